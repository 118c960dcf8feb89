#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sluice/machine_use.h"
#include "sluice/prediction.h"
#include "sluice/queueing.h"
#include "sluice/sensor.h"
#include "sluice/units.h"

namespace sluice {

/// The control law that sizes the window. `rfc`: the mailing-list post's. `adaptive`: ours, by the
/// sensors alone. `knee`, the default: ours, by measurements of the CPUs and the jobs.
enum class Law { rfc, adaptive, knee };

/// A number of points, per machine or per usable CPU ("40" or "10/cpu").
struct PointsSpec {
  enum class Per { machine, cpu };
  double points = 0;  ///< >= 0
  Per per = Per::machine;

  /// In whole points, rounded down, at least 1.
  Points on(double cpus) const;
  bool operator==(const PointsSpec&) const = default;
};

/// The congestion window. An unset field takes the default named beside it; a default that
/// contradicts a given value yields to it.
struct WindowOptions {
  Law law = Law::knee;
  std::optional<PointsSpec> initial;    ///< Size at start; 15/cpu. In [minimum, maximum].
  std::optional<PointsSpec> minimum;    ///< Lower bound; 10.
  std::optional<PointsSpec> maximum;    ///< Upper bound; 100/cpu.
  std::optional<PointsSpec> threshold;  ///< Where slow start first ends; knee: `maximum`,
                                        ///< adaptive: 15/cpu.
  std::optional<PointsSpec> step;       ///< rfc: growth and cut; adaptive, knee: one growth; 10.
  double increase_above = 0.8;  ///< Grow only if usage is above (rfc) or at least (adaptive)
                                ///< this part of the size; (0, 1].
  Duration interval = std::chrono::seconds(1);  ///< Time between two sensor samples; 1ms to 1h.
  Duration round = std::chrono::seconds(15);    ///< adaptive: time for a change to take effect.
  /// adaptive, knee: at most one cut in this time.
  Duration cut_settle = std::chrono::seconds(60);
  double cut_gain = 0.5;  ///< adaptive, knee: part cut per unit of pressure above 1; (0, 1].
  /// adaptive, knee: from this pressure on a cut need not wait for the last to take effect; >= 1.
  double hard = 1.2;
  Duration idle_restart = std::chrono::minutes(10);  ///< adaptive: reset to initial after this.
  Duration dwell = std::chrono::seconds(1);  ///< Stay deregistered at least this long; >= 0.
};

/// `WindowOptions` resolved for a machine: every value is known.
struct WindowParameters {
  Law law = Law::adaptive;
  Points initial{10}, minimum{10}, maximum{100}, threshold{15}, step{10};
  Points blind_threshold{15};  ///< knee: `threshold` while CPU time cannot be measured.
  double increase_above = 0.8;
  Duration interval{}, round{}, cut_settle{}, idle_restart{}, dwell{};
  double cut_gain = 0.5;
  double hard = 1.2;
};

/// The sizes of a window as they are written, not yet in points: those given, and the defaults of
/// the others.
struct WindowSizes {
  PointsSpec minimum, maximum, initial, threshold;
};

/// The sizes on a machine with `cpus` > 0. Pure; never throws. A default that contradicts a given
/// value yields to it: first the bounds to each other, then the rest to the bounds.
WindowSizes settle_sizes(const WindowOptions& options, double cpus);

/// Resolves unset options. `cpus` > 0: the CPUs this process may use, a fraction under a quota.
WindowParameters settle(const WindowOptions& options, double cpus);

/// The `starting` gate: at most max(most - running, floor) jobs in set-up at once.
/// Source: Zuul's starting-builds sensor.
struct StartingOptions {
  /// Default 5 x CPUs up to 4 CPUs, 2.5 x CPUs above, rounded down (Zuul's). >= 1
  std::optional<int> most;
  /// Default half the CPUs, at least 1, at most `most` (Zuul's). >= 1
  std::optional<int> floor;

  int most_on(double cpus) const;
  int floor_on(double cpus) const;
};

/// Whether a sensor is enabled. `automatic`: if it makes sense on this host.
enum class Presence { automatic, on, off };

/// Settings common to all sensors. An unset field takes the sensor's own default.
struct SensorSettings {
  Presence presence = Presence::automatic;
  std::optional<double> limit;  ///< Meaning and default: at each sensor below.
  std::optional<double> resume;
  std::optional<OnError> on_error;
  std::optional<Duration> max_age;
  std::optional<Acts> acts;
};

struct LoadOptions : SensorSettings {};          ///< limit: load1 per CPU; 2.5
struct CpuPressureOptions : SensorSettings {};   ///< limit: ratio of time; no default, so off
struct MemoryOptions : SensorSettings {};        ///< limit: minimum available ratio; 5%
struct MemoryPressureOptions : SensorSettings {  ///< limit: maximum `some`; 20%
  std::optional<double> full;                    ///< maximum `full`; 10%
};
struct IoPressureOptions : SensorSettings {};  ///< limit: maximum `full`; 40%
struct CgroupOptions : SensorSettings {  ///< limit: maximum part of the memory limit in use; 95%
  std::optional<double> throttled;       ///< maximum part of throttled periods; 50%
};
struct DiskOptions : SensorSettings {  ///< limit: minimum available space and inodes; 5%
  /// Folders whose filesystems are watched; nullopt: `/`, the temporary folder, state_dir.
  std::optional<std::vector<std::string>> paths;
  /// More folders to watch, each with a minimum of its own instead of `limit`.
  std::map<std::string, double> limits;
};
struct PidsOptions : SensorSettings {    ///< limit: minimum free ratio; 5%
  std::optional<std::int64_t> headroom;  ///< minimum free number; 10
};

/// A user-defined sensor: a number in a file, red at or above `limit` (required).
struct FileSensorOptions : SensorSettings {
  std::string path;
  Duration every = std::chrono::seconds(5);  ///< Time between two reads; 10ms to 24h.
};

/// A user-defined sensor: a command. With `limit`, it prints a number and is red at or above it;
/// without, its exit status decides: 0 is green, 1 red, anything else a failure.
struct CommandSensorOptions : SensorSettings {
  std::vector<std::string> command;           ///< Program and arguments; no shell.
  Duration every = std::chrono::seconds(10);  ///< Time between two runs; 100ms to 24h.
  /// Then the command is killed and the read fails; 10ms to 1h.
  Duration timeout = std::chrono::seconds(5);
};

/// All sensors except `pause` and `starting`, which are built into the governor.
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

/// How the needs of a job are predicted: by the formula of the mailing-list post, base + per_node x
/// inventory; or from earlier runs, falling back to the formula where there are none.
struct CostOptions {
  enum class Model { formula, history };
  Points base{5};      ///< 0 to `kMostPoints`.
  Points per_node{5};  ///< 0 to `kMostPoints`.
  /// Lower bound for every job, 1 to `kMostPoints`; nullopt: 5, or 1 under `knee`.
  std::optional<Points> minimum = std::nullopt;
  std::optional<Model> model = std::nullopt;  ///< nullopt: history; formula under `rfc`.
};

/// Resolves `minimum`.
CostOptions settle(CostOptions options, Law law);

/// Memory reserved for the expected growth of running jobs.
struct ReservationOptions {
  enum class Brake { suspend, off };
  enum class Enforce { off, high, max };
  double reserve = 0.1;  ///< Part of every limit that is never promised to a job; [0, 1).
  /// Deviations reserved on top of the mean, 0 to 10: 2.33 is one case in a hundred.
  double z = 2.33;
  Bytes prior{512ULL << 20};  ///< Reserved for a job about which nothing is known; 1 byte to 1 PiB.
  /// Reaction if memory runs short nevertheless: suspend the newest job that Sluice itself runs
  /// and, as a last resort, end it and queue it again; or do nothing.
  Brake brake = Brake::suspend;
  int retries = 1;  ///< Times a job is queued again, if it may be run twice; 0 to 100.
  /// Whether a job of known need in a cgroup of its own is limited to its mean plus `z` deviations:
  /// above that the kernel throttles it (`high`, v2 only) or kills it (`max`), however much memory
  /// is free.
  Enforce enforce = Enforce::off;
};

/// Everything a governor is built from; a reload replaces all of it.
struct GovernorOptions {
  WindowParameters window;
  std::size_t max_pending = 100000;  ///< Most jobs that may be pending at once.
  int starting_most = 5;             ///< See `StartingOptions`.
  int starting_floor = 1;
  Presence starting = Presence::on;
  QueueingOptions queueing;
  ReservationOptions reservation;
  MemoryMeter memory_meter;  ///< Empty: only `queueing.declared_memory` limits memory.
  Points least_cost{1};      ///< knee: what a running job costs at least; >= 1.
  UseMeter use_meter;        ///< Empty: busy CPUs are not known, and `knee` acts as `adaptive`.
  /// knee: what red sensors of CPU and I/O (load, cpu_pressure, io_pressure) leave to the jobs. A
  /// command that a user waits for always runs one job, as `make -l` does, and uses up to half of
  /// the CPUs whatever load and cpu_pressure say: beside a greedy neighbour the scheduler divides
  /// the rest. A served executor starts nothing and leaves the work to others.
  enum class WhenRed { start_none, use_half };
  WhenRed when_red = WhenRed::start_none;
};

/// All settings that govern jobs on one host, as one value.
struct Options {
  WindowOptions window;
  StartingOptions starting;
  Presence starting_presence = Presence::automatic;
  SensorOptions sensors;
  CostOptions cost;
  ReservationOptions reservation;
  QueueingOptions queueing;
  std::size_t max_pending = 100000;
  std::optional<std::string> state_dir;  ///< Folder for persistent state; its disk is watched.
};

}  // namespace sluice
