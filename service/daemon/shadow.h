#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/non_copyable.h"
#include "config/config.h"
#include "governor/threads/sampling.h"
#include "metrics/service_facts.h"
#include "service/daemon/shadow_core.h"
#include "service/jobs/jobs.h"
#include "sluice/embed.h"

namespace sluice {

/// What a shadow has in common with the governor beside it.
struct ShadowSurroundings {
  std::optional<std::string> state_dir;  ///< Its disk is watched.
  std::shared_ptr<History> history;      ///< Asked for predictions only; null if there is none.
  std::shared_ptr<const ExecutorGroup> executor;
  GovernorOptions::WhenRed when_red = GovernorOptions::WhenRed::start_none;
};

/// Another configuration, of which the daemon tells what it would do next. It reads the sensors and
/// the daemon's own list of jobs, never the governor. Used on the service's thread.
class Shadow : NonCopyable {
 public:
  using Loaded = std::variant<std::unique_ptr<Shadow>, std::vector<ConfigError>>;
  static Loaded load(const std::string& file, ShadowSurroundings surroundings);

  Shadow(const Config& config, Assembly assembly, std::vector<std::string> differences);

  /// What only the governor knows: switches, and how many jobs run in all. Call it once a second.
  void see(const Status& status, const Jobs& jobs);
  /// Call it every `kShadowEvery`. Takes at most one percent of the time.
  void poll(const Jobs& jobs, TimePoint now);

  ShadowFacts facts() const;

 private:
  RealState real_state(const Jobs& jobs, TimePoint now);

  const std::string file_;
  const Assembly assembly_;  ///< The sensors' names outlive the core.
  const std::vector<std::string> differences_;
  ShadowCore core_;
  Switch operated_ = Switch::running;
  std::vector<std::pair<std::string, Switch>> queues_;
  std::size_t others_ = 0;
  TimePoint due_, sweep_due_;
  ShadowVerdict last_;
  std::uint64_t began_ = 0, held_ = 0;
  JobId last_held_;
};

/// Between two samples of the CPUs, as the governor takes them.
inline constexpr Duration kShadowEvery = std::chrono::milliseconds(250);

}  // namespace sluice
