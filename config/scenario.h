#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"
#include "config/scenario_job.h"
#include "sluice/job.h"

namespace sluice {

/// The largest scenario that is read: 8 MiB. More jobs than that stand in a file of their own.
inline constexpr std::size_t kMostScenarioBytes = std::size_t{8} << 20;

/// A sensor's pressure from an instant on, until its next point.
struct SensorPoint {
  int line = 0;
  Duration at{0};
  std::string name;
  double pressure = 0;  ///< 0 to 100; 1 is its limit.
};

/// Something that an operator does.
struct ScenarioEvent {
  enum class Do { pause, resume, drain, cancel, set, pause_queue, resume_queue, reload };
  /// Where a job moves to; `of` is a job's id, for before and after.
  struct Position {
    JobChange::Position::Where where = JobChange::Position::Where::front;
    std::string of;
  };
  ConfigPosition place;  ///< In the file.
  Duration at{0};
  Do what = Do::pause;
  std::string job;                   ///< cancel, set: its id.
  std::optional<std::string> queue;  ///< pause_queue, resume_queue; set: where the job goes.
  std::optional<int> priority, nice;
  std::optional<Position> position;
  std::optional<bool> frozen, global_lock;
  std::optional<std::vector<LevelLocks>> locks;
  std::shared_ptr<const Config> config;  ///< reload; never null there.
};

/// Where the jobs of a scenario stand if not in it.
struct JobsFile {
  std::string path;  ///< Relative ones were made relative to the scenario's folder.
  ConfigPosition place;
};

/// What `sluice replay` plays: a closed world.
struct Scenario {
  std::string file;             ///< As it is to be named to people.
  Config config;                ///< At the start.
  double cpus = 1;              ///< Of the machine; > 0.
  std::optional<Bytes> memory;  ///< For jobs that declare theirs; none: unlimited.
  /// Inclusive; none: until nothing runs, nothing more is told here and no job can start.
  std::optional<Duration> until;
  // In the order of time, those of one instant in the order of the file.
  std::vector<SensorPoint> sensors;
  std::vector<ScenarioJob> jobs;
  std::vector<ScenarioEvent> events;
  std::optional<JobsFile> jobs_file;  ///< Then `jobs` is empty.
};

/// The configuration that is in force for what is submitted at an instant: of the last reload until
/// then, else the first one. Lives as long as the scenario.
const Config& config_at(const Scenario& scenario, Duration at);

/// What events name that `is_job` does not know. A scenario whose jobs stand in it was checked.
std::vector<ConfigError> check_event_jobs(const Scenario& scenario,
                                          const std::function<bool(std::string_view id)>& is_job);

/// A scenario, or all that is wrong with it in the order of the file; after the hundredth error the
/// rest is only counted.
using ScenarioResult = std::variant<Scenario, std::vector<ConfigError>>;

/// Reads YAML text. Pure; never throws for any bytes. `file_name` is for messages, and its folder
/// is where relative paths begin. A file of jobs is not opened.
ScenarioResult parse_scenario(std::string_view text, std::string file_name);

/// Reads a file of at most `kMostScenarioBytes`. A file that cannot be read is an error without a
/// line.
ScenarioResult read_scenario(const std::string& path);

}  // namespace sluice
