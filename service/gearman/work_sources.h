#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/non_copyable.h"
#include "costmodel/history.h"
#include "metrics/service_facts.h"
#include "service/options.h"
#include "sluice/governor.h"
#include "sluice/prediction.h"

namespace sluice {
class CommandJobs;
}  // namespace sluice

namespace sluice::gearman {

class Worker;
struct JobEvent;

/// The sources from which a daemon itself takes jobs, and the commands that run these. Use it on
/// the io_context's thread, which must be the process's main thread. If there is any source,
/// construct it before any other thread starts.
class WorkSources : NonCopyable {
 public:
  /// What this process's user must not run in the sources, naming the option; nullopt if there is
  /// no problem.
  static std::optional<std::string> problem_of(const std::vector<GearmanOptions>& sources);

  /// Throws std::invalid_argument, naming the option, for what must not run here.
  WorkSources(boost::asio::io_context& context, const std::vector<GearmanOptions>& sources,
              const Log& log);
  ~WorkSources();  ///< Hangs up on every server, and ends every job.

  /// Work sources for the governor to register.
  std::vector<std::shared_ptr<WorkSource>> registered() const;

  /// `on_event`: see `Tools`.
  void start(Governor& governor, std::function<bool(std::string_view)> is_jqm_compatible,
             std::function<void(const JobEvent&)> on_event);

  /// The job that waits or runs here under its submitter's name, or under the server's handle if it
  /// has none; nullopt if there is none.
  std::optional<JobId> find(std::string_view name) const;

  /// Sets the history that learns from their jobs, and the memory that the brake monitors, from now
  /// on.
  void configure(std::shared_ptr<History> history, const ReservationOptions& reservation,
                 MemoryMeter meter);

  /// Takes no more jobs: running ones continue, and waiting ones go back to their source. Complete
  /// when `jobs` is 0.
  void drain();

  /// Takes no more jobs, ends all it has and gives them back to their source. Complete when `jobs`
  /// is 0.
  void stop();

  /// One entry per server.
  std::vector<WorkSourceFacts> facts() const;

  /// Jobs taken that have not ended.
  std::size_t jobs() const;

 private:
  void note_name(const JobEvent& event);

  boost::asio::io_context& context_;
  const Log log_;
  std::unique_ptr<CommandJobs> commands_;            ///< Null if there is no source.
  std::map<std::string, JobId, std::less<>> names_;  ///< Of its jobs; of equal ones the last.
  std::vector<std::shared_ptr<Worker>> workers_;
};

}  // namespace sluice::gearman
