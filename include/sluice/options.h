#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sluice/prediction.h"
#include "sluice/queueing.h"
#include "sluice/sensor.h"
#include "sluice/units.h"

namespace sluice {

/// Which control law sizes the window: the mailing-list post's, or ours.
enum class Law { rfc, adaptive };

/// A number of points, for the machine or for each usable CPU ("40" or "10/cpu").
struct PointsSpec {
  enum class Per { machine, cpu };
  double points = 0;  ///< >= 0
  Per per = Per::machine;

  /// Whole points, rounded down, at least 1.
  Points on(double cpus) const;
  bool operator==(const PointsSpec&) const = default;
};

/// The congestion window. Fields without a value take the default named beside them; a default
/// never contradicts a given value but gives way to it.
struct WindowOptions {
  Law law = Law::adaptive;
  std::optional<PointsSpec> initial;    ///< Size at the start; 15/cpu. In [minimum, maximum].
  std::optional<PointsSpec> minimum;    ///< Never below; 10.
  std::optional<PointsSpec> maximum;    ///< Never above; 100/cpu.
  std::optional<PointsSpec> threshold;  ///< adaptive: where slow start ends at first; 15/cpu.
  std::optional<PointsSpec> step;  ///< rfc: of growth and cut; adaptive: of a round's growth; 10.
  double increase_above = 0.8;     ///< Grow only where usage is above (rfc) or at least (adaptive)
                                   ///< this part of the size; (0, 1].
  Duration interval = std::chrono::seconds(1);     ///< Between two looks at the sensors; >= 10ms.
  Duration round = std::chrono::seconds(15);       ///< adaptive: what a change needs to show.
  Duration cut_settle = std::chrono::seconds(60);  ///< adaptive: at most one cut in this time.
  double cut_gain = 0.5;  ///< adaptive: part cut away for each unit of pressure above 1; (0, 1].
  double hard = 1.2;      ///< adaptive: from this pressure a cut need not wait for the last; >= 1.
  Duration idle_restart = std::chrono::minutes(10);  ///< adaptive: back to initial after this.
  Duration dwell = std::chrono::seconds(1);  ///< Stay deregistered at least this long; >= 0.
};

/// `WindowOptions` on a machine: every value known.
struct WindowParameters {
  Law law = Law::adaptive;
  Points initial{10}, minimum{10}, maximum{100}, threshold{15}, step{10};
  double increase_above = 0.8;
  Duration interval{}, round{}, cut_settle{}, idle_restart{}, dwell{};
  double cut_gain = 0.5;
  double hard = 1.2;
};

/// Settles what was left open. `cpus` > 0 is what this machine may use, a fraction under a quota.
WindowParameters settle(const WindowOptions& options, double cpus);

/// The `starting` gate: at most max(most - running, floor) jobs in set-up at once.
/// Source: Zuul's starting-builds sensor.
struct StartingOptions {
  /// Most; default 5 x CPUs up to 4 CPUs, 2.5 x CPUs above, rounded down (Zuul's). >= 1
  std::optional<int> most;
  /// Floor; default half the CPUs, at least 1, at most `most` (Zuul's). >= 1
  std::optional<int> floor;

  int most_on(double cpus) const;
  int floor_on(double cpus) const;
};

/// Whether a sensor is there. `automatic`: where it makes sense on this host.
enum class Presence { automatic, on, off };

/// What every sensor can be told. Fields without a value: the sensor's own default.
struct SensorSettings {
  Presence presence = Presence::automatic;
  std::optional<double> limit;  ///< Meaning and default: see each sensor below.
  std::optional<double> resume;
  std::optional<OnError> on_error;
  std::optional<Duration> max_age;
  std::optional<Acts> acts;
};

struct LoadOptions : SensorSettings {};          ///< limit: load1 per CPU; 2.5
struct CpuPressureOptions : SensorSettings {};   ///< limit: ratio of time; none, so off
struct MemoryOptions : SensorSettings {};        ///< limit: least available ratio; 5%
struct MemoryPressureOptions : SensorSettings {  ///< limit: most `some`; 20%
  std::optional<double> full;                    ///< most `full`; 10%
};
struct IoPressureOptions : SensorSettings {};  ///< limit: most `full`; 40%
struct CgroupOptions : SensorSettings {        ///< limit: most of the memory limit used; 95%
  std::optional<double> throttled;             ///< most throttled periods; 50%
};
struct DiskOptions : SensorSettings {  ///< limit: least available space and inodes; 5%
  /// Folders whose filesystems must have room; none given: `/`, the temporary folder, state_dir.
  std::optional<std::vector<std::string>> paths;
  /// Folders with a least part of their own instead of `limit`, watched as well.
  std::map<std::string, double> limits;
};
struct PidsOptions : SensorSettings {    ///< limit: least free ratio; 5%
  std::optional<std::int64_t> headroom;  ///< least free number; 10
};

/// Somebody's own sensor: a number in a file, red at or above `limit` (required).
struct FileSensorOptions : SensorSettings {
  std::string path;
  Duration every = std::chrono::seconds(5);  ///< Between two reads.
};

/// Somebody's own sensor: a command. With `limit`, the number it prints, red at or above it;
/// without, its exit status, where 0 is green and 1 red (anything else is a failure).
struct CommandSensorOptions : SensorSettings {
  std::vector<std::string> command;  ///< Program and arguments; no shell.
  Duration every = std::chrono::seconds(10);
  Duration timeout = std::chrono::seconds(5);  ///< Then it is killed, and the read has failed.
};

/// All sensors but `pause` and `starting`, which the governor has by itself.
struct SensorOptions {
  LoadOptions load;
  CpuPressureOptions cpu_pressure;
  MemoryOptions memory;
  MemoryPressureOptions memory_pressure;
  IoPressureOptions io_pressure;
  CgroupOptions cgroup;
  DiskOptions disk;
  PidsOptions pids;
  std::map<std::string, FileSensorOptions> files;        ///< By name.
  std::map<std::string, CommandSensorOptions> commands;  ///< By name.
};

/// What predicts the needs of a job: the formula of the mailing-list post, base + per_node x
/// inventory, or what was learned from earlier runs, and the formula where nothing was.
struct CostOptions {
  enum class Model { formula, history };
  Points base{5};                             ///< >= 0
  Points per_node{5};                         ///< >= 0
  Points minimum{5};                          ///< No job costs less; >= 1
  std::optional<Model> model = std::nullopt;  ///< None: history; formula under `rfc`.
};

/// Memory is kept free for what running jobs are expected to grow to.
struct ReservationOptions {
  enum class Brake { suspend, off };
  enum class Enforce { off, high, max };
  double reserve = 0.1;  ///< Part of every limit that is never promised to a job; [0, 1).
  double z = 2.33;       ///< Deviations kept on top of the mean: 2.33 is one case in a hundred.
  Bytes prior{512ULL << 20};  ///< Kept for a job of which nothing is known; > 0.
  /// What happens when memory runs short all the same: the youngest job that Sluice itself runs is
  /// suspended, and as the last resort ended and queued again; or nothing.
  Brake brake = Brake::suspend;
  int retries = 1;  ///< Times that a job is queued again, if it may be run twice; >= 0.
  /// Whether a known job in a cgroup of its own is held to its mean and `z` deviations: beyond them
  /// the kernel slows it down (`high`, v2 only) or kills it (`max`), whatever room there is.
  Enforce enforce = Enforce::off;
};

/// What a governor is made of, and what a reload replaces as a whole.
struct GovernorOptions {
  WindowParameters window;
  std::size_t max_pending = 100000;  ///< Jobs that may wait at once.
  int starting_most = 5;             ///< See `StartingOptions`.
  int starting_floor = 1;
  Presence starting = Presence::on;
  QueueingOptions queueing;
  ReservationOptions reservation;
  MemoryMeter memory_meter;  ///< Empty: memory is kept only as `queueing.declared_memory` says.
};

/// Everything that decides about jobs on one host, as one value.
struct Options {
  WindowOptions window;
  StartingOptions starting;
  Presence starting_presence = Presence::automatic;
  SensorOptions sensors;
  CostOptions cost;
  ReservationOptions reservation;
  QueueingOptions queueing;
  std::size_t max_pending = 100000;
  std::optional<std::string> state_dir;  ///< Folder for what must survive; its disk is watched.
};

}  // namespace sluice
