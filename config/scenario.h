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

/// The largest scenario accepted: 8 MiB. Larger sets of jobs belong in a file of their own.
inline constexpr std::size_t kMostScenarioBytes = std::size_t{8} << 20;

/// A sensor's pressure from an instant until its next point.
struct SensorPoint {
  int line = 0;
  Duration at{0};
  std::string name;
  double pressure = 0;  ///< 0 to 100; 1 is its limit.
};

/// What the counters of the CPUs show from an instant until the next point.
struct CpuPoint {
  Duration at{0};
  double busy = 0;     ///< CPU time used / CPU time there is; 0 to 1.
  double waiting = 0;  ///< Mean number of tasks waiting for a CPU, per CPU; 0 to 1000.
};

/// An action of an operator.
struct ScenarioEvent {
  enum class Do { pause, resume, drain, cancel, set, pause_queue, resume_queue, reload };
  /// Where to move a job; `of` is the id of the job to move before or after.
  struct Position {
    JobChange::Position::Where where = JobChange::Position::Where::front;
    std::string of;
  };
  ConfigPosition place = {};  ///< In the file.
  Duration at{0};
  Do what = Do::pause;
  std::string job = {};                   ///< cancel, set: the job's id.
  std::optional<std::string> queue = {};  ///< pause_queue, resume_queue; set: the new queue.
  std::optional<int> priority = {}, nice = {};
  std::optional<Position> position = {};
  std::optional<bool> frozen = {}, global_lock = {};
  std::optional<std::vector<LevelLocks>> locks = {};
  std::shared_ptr<const Config> config = {};  ///< reload: never null; else null.
};
std::string_view to_string(ScenarioEvent::Do what);

/// Threads and memory of other programs on a modelled host, for a time.
struct ScenarioNeighbour {
  Duration from{0};
  std::optional<Duration> until;  ///< nullopt: to the end.
  double threads = 1;             ///< Always runnable.
  bool yields = false;            ///< It gets what the jobs leave over, as at nice 19.
  Bytes memory{0};
};

/// The machine as a model that answers what is admitted: `machine: {model: host}`.
struct ScenarioHost {
  double cpus = 1;                                  ///< Of the host; a quota may leave less.
  Bytes disk_per_second{std::uint64_t{200} << 20};  ///< > 0
  std::optional<double> quota;                      ///< CPUs; > 0.
  double steal = 0;                                 ///< Part of the CPU time; [0, 1).
  std::vector<ScenarioNeighbour> neighbours;
};

/// Runs that Sluice has learned from before the scenario begins, all alike.
struct ScenarioRun {
  std::string key = {}, program = {}, user = {}, variant = {};  ///< See `JobRequest`.
  Duration runs{0};
  double cores = 1;
  Bytes memory{0};
  std::int64_t times = 1;
};

/// The file that holds the jobs of a scenario, if they are not in the scenario itself.
struct JobsFile {
  std::string path;  ///< Relative paths are already resolved against the scenario's folder.
  ConfigPosition place;
};

/// The closed world that `sluice replay` plays.
struct Scenario {
  std::string file;  ///< The name shown to people.
  /// Its events happened to these jobs elsewhere, so here they may come at another time: a reload
  /// leaves what jobs still need until they have ended, and what cannot be done to a queue is
  /// passed over with a note.
  bool recorded = false;
  Config config;                     ///< At the start.
  double cpus = 1;                   ///< Of the machine that jobs may use; > 0.
  std::optional<Bytes> memory;       ///< For jobs that declare their memory; nullopt if unlimited.
  std::optional<ScenarioHost> host;  ///< nullopt: jobs take the time they say, whatever else runs.
  /// Empty: the CPUs are not measured, unless there is a host. Before the first point they are
  /// idle.
  std::vector<CpuPoint> cpu;
  /// With a host: what was learned before; what runs is learned, too. nullopt: nothing is.
  std::optional<std::vector<ScenarioRun>> history;
  /// Inclusive; nullopt to play until nothing runs, nothing scheduled here is left and no job can
  /// start.
  std::optional<Duration> until;
  // In order of time; those of one instant in file order.
  std::vector<SensorPoint> sensors;
  std::vector<ScenarioJob> jobs;
  std::vector<ScenarioEvent> events;
  std::optional<JobsFile> jobs_file;  ///< Then `jobs` is empty.
};

/// Whether CPU time and the jobs' use of it are measured, which `law: knee` needs.
bool is_measured(const Scenario& scenario);

/// The configuration in effect for a job submitted at `at`: that of the last reload up to then,
/// else the first. Lives as long as the scenario.
const Config& config_at(const Scenario& scenario, Duration at);

/// An error for each job that events name and `is_job` does not know. Not needed for a scenario
/// that contains its jobs: parsing has checked it.
std::vector<ConfigError> check_event_jobs(const Scenario& scenario,
                                          const std::function<bool(std::string_view id)>& is_job);

/// A scenario, or all its errors in file order; errors after the hundredth are only counted.
using ScenarioResult = std::variant<Scenario, std::vector<ConfigError>>;

/// Parses YAML text. Pure; never throws, whatever the bytes. `file_name` appears in messages, and
/// relative paths start at its folder. Does not open a file of jobs.
ScenarioResult parse_scenario(std::string_view text, std::string file_name);

/// Reads a file of at most `kMostScenarioBytes`. An unreadable file gives an error without a line.
ScenarioResult read_scenario(const std::string& path);

}  // namespace sluice
