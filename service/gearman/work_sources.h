#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "costmodel/history.h"
#include "metrics/service_facts.h"
#include "service/options.h"
#include "sluice/governor.h"
#include "sluice/prediction.h"

namespace sluice {

class CommandJobs;
class GearmanWorker;

/// Where a daemon takes jobs from by itself, and the commands that run them. Belongs to the
/// io_context's thread, which must be the process's main one; to be made before any other thread
/// where there is a source at all.
class WorkSources {
 public:
  /// What of the sources this process's user must not run, naming the option; none: nothing.
  static std::optional<std::string> problem_of(const std::vector<GearmanOptions>& sources);

  /// Throws std::invalid_argument for what must not be run here, naming the option.
  WorkSources(boost::asio::io_context& context, const std::vector<GearmanOptions>& sources,
              const Log& log);
  ~WorkSources();  ///< Hangs up on every server, and ends every job.

  WorkSources(const WorkSources&) = delete;
  WorkSources& operator=(const WorkSources&) = delete;

  /// For the governor to register.
  std::vector<std::shared_ptr<WorkSource>> registered() const;

  void start(Governor& governor, std::function<bool(std::string_view)> is_jqm_compatible);

  /// What is learned from their jobs, and what the brake looks at, from now on.
  void configure(std::shared_ptr<History> history, const ReservationOptions& reservation,
                 MemoryMeter meter);

  /// Takes no more jobs: those that run, run on, and those that wait go back to where they came
  /// from. `jobs` says when that is done.
  void drain();

  /// Takes no more jobs; those there are, are ended and go back to where they came from. `jobs`
  /// says when that is done.
  void stop();

  /// One for each server.
  std::vector<WorkSourceFacts> facts() const;

  /// Taken and not over yet.
  std::size_t jobs() const;

 private:
  boost::asio::io_context& context_;
  const Log log_;
  std::unique_ptr<CommandJobs> commands_;  ///< Null where there is no source.
  std::vector<std::shared_ptr<GearmanWorker>> workers_;
};

}  // namespace sluice
