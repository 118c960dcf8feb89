#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/job.h"
#include "sluice/options.h"
#include "sluice/reading.h"
#include "sluice/refusal.h"
#include "sluice/sensor.h"
#include "sluice/units.h"

namespace sluice {

/// How the CPUs were used when last sampled.
struct CpuStatus {
  double cpus = 1;     ///< Usable CPUs, less what a hypervisor took; > 0.
  double busy = 0;     ///< CPU time used / CPU time there was; 0 to 1.
  double waiting = 0;  ///< Mean number of tasks waiting for a CPU, per CPU.
  double demand = 0;   ///< Cores the running jobs need, as far as known.
  double others = 0;   ///< Cores used by anything else.
};

/// Why the window moved. Under `knee`: `knee`, more jobs would only make the others slower;
/// `yield`, tasks waited for CPUs that are busy; `unused`, it was not half used.
enum class WindowCause { slow_start, growth, red, idle_restart, reload, knee, yield, unused };

/// One change of the window.
struct WindowChange {
  TimePoint at;
  Points from;
  Points to;
  WindowCause cause = WindowCause::slow_start;
  std::string sensor;                           ///< For `red`: the worst sensor. Otherwise empty.
  std::optional<CpuStatus> cpu = std::nullopt;  ///< As last sampled then.
  std::size_t pending = 0;                      ///< Jobs that waited.
  std::string said = "";                        ///< For `red`: what that sensor said.
};

/// A snapshot of one sensor.
struct SensorStatus {
  std::string name;
  SensorPolicy policy;
  bool red = false;                ///< The verdict after hysteresis and `on_error`.
  bool up = false;                 ///< The last read succeeded.
  bool fresh = false;              ///< Up, and the reading is not older than `max_age`.
  bool ignored = false;            ///< Not fresh, and its policy is to ignore it.
  std::optional<Reading> reading;  ///< The last successful one.
  TimePoint taken;                 ///< Time of `reading`.
  std::string failure;             ///< Why the last read failed; empty while up.
  std::uint64_t failures = 0;      ///< Failed reads since start.
  Duration read_duration{0};       ///< Time the last read took on the window thread.
};

/// A histogram. Counts are not cumulative (the exporter sums them): `counts[i]` holds values <=
/// `bounds[i]` and above the previous bound; the last count holds values above every bound.
template <std::size_t N>
struct Histogram {
  std::array<std::uint64_t, N + 1> counts{};
  double sum = 0;  ///< seconds
};

/// Bounds in seconds. Most waits are milliseconds or minutes; jobs last a moment or hours.
inline constexpr std::array<double, 10> kWaitBounds{.005, .05, .25, 1, 5, 15, 60, 180, 600, 1800};
inline constexpr std::array<double, 13> kDurationBounds{.1, .5,  1,   2.5,  5,    10,  30,
                                                        60, 300, 900, 1800, 3600, 7200};

inline constexpr std::size_t kOutcomes = 5;       ///< Values of `Outcome`.
inline constexpr std::size_t kRefusalCodes = 18;  ///< Values of `RefusalCode`.
inline constexpr std::size_t kWindowCauses = 8;   ///< Values of `WindowCause`.

/// Totals since the governor started; never decrease. Arrays are indexed by the enum.
struct Counters {
  std::uint64_t submitted = 0;
  std::uint64_t admitted = 0;
  std::array<std::uint64_t, kOutcomes> finished{};      ///< Jobs that ran, by outcome.
  std::uint64_t cancelled = 0;                          ///< Jobs that never ran.
  std::array<std::uint64_t, kRefusalCodes> rejected{};  ///< Refused for good: try_admit, submit.
  std::array<std::uint64_t, kWindowCauses> window_increases{};
  std::array<std::uint64_t, kWindowCauses> window_decreases{};
  std::uint64_t registrations = 0;
  std::array<std::uint64_t, kRefusalCodes> deregistrations{};  ///< By the reason for closing.
  Histogram<kWaitBounds.size()> wait;          ///< Seconds from submit to admission.
  Histogram<kDurationBounds.size()> duration;  ///< Seconds from admission to finish.
};

/// Memory held by running jobs, each from the best source: the kernel's figure, else the holder's
/// report as far as it is plausible, else the declaration.
struct HeldMemory {
  Bytes measured, reported, declared;
  std::size_t unverified = 0;  ///< Jobs counted by report.
};

/// A snapshot of one queue.
struct QueueStatus {
  std::string name;
  bool paused = false;
  std::size_t running = 0, pending = 0;
  Points pending_cost;
  /// The pending jobs that no free capacity would let start: frozen ones, those that wait for
  /// another job or that a rule pauses; all of them while the queue is paused.
  std::size_t held = 0;
  Points held_cost;
  std::optional<TimePoint> oldest_arrival;  ///< Arrival of the pending job that has waited longest.
  std::optional<Refusal> limiting;          ///< Why its first job waits; nullopt if no job waits.
  HeldMemory memory;
  std::vector<Refusal> blockers = {};  ///< All that blocks its first job; the first is `limiting`.
  /// The configured queue of a branch, which is there while it has jobs; empty for that queue
  /// itself.
  std::string branch_of = {};
  /// Its jobs that have run and ended: since the start, of a branch since it was made.
  std::uint64_t ended = 0;
};

/// A snapshot of one resource manager.
struct ResourceStatus {
  std::string key;
  ResourceOptions::Kind kind = ResourceOptions::Kind::quantity;
  std::int64_t total = 0;   ///< Units or items; 0 for a highlander.
  std::int64_t used = 0;    ///< Held by running jobs; may exceed `total` after a change.
  std::size_t waiting = 0;  ///< Pending jobs that need it.
};

/// The memory limit that binds most, and what is reserved below it for running jobs.
struct MemoryStatus {
  std::string where;  ///< "host", or the cgroup's folder.
  Bytes limit, used;  ///< As last read.
  Bytes promised;     ///< The part of the limit that jobs may get: all but the reserve.
  Bytes others;       ///< Used by processes for which nothing is reserved.
  Bytes kept;         ///< Reserved for running jobs: what they hold, or are expected to.
  Bytes margin;       ///< On top of `kept`, for errors of the predictions.
  JobId most{};       ///< The running job with the largest reservation; 0 if there is none.
};

/// A snapshot of a governor, without its individual jobs.
struct Status {
  TimePoint now;
  Law law = Law::adaptive;
  Points size, usage, minimum, maximum;
  std::optional<Points> threshold;  ///< End of slow start; nullopt under `rfc`.
  std::size_t running = 0, pending = 0, starting = 0;
  Points pending_cost;
  std::optional<TimePoint> oldest_arrival;  ///< Arrival of the pending job that has waited longest.
  bool registered = false, paused = false, draining = false;
  std::optional<Refusal> full;      ///< Why no more work is accepted; nullopt if more is.
  std::vector<Refusal> blockers;    ///< Everything that blocks more work; the first is `full`.
  std::optional<Refusal> limiting;  ///< Why the first job in line waits; nullopt if no job waits.
  std::optional<WindowChange> last_change;
  std::vector<SensorStatus> sensors;
  std::vector<QueueStatus> queues;        ///< By name.
  std::vector<ResourceStatus> resources;  ///< By key.
  std::optional<MemoryStatus> memory;     ///< nullopt if no limit is known.
  std::optional<CpuStatus> cpu;           ///< nullopt if it is not measured.
  /// Jobs wait and the machine has no room for them: its CPUs are busy, tasks wait for one, or
  /// memory, a gate, the maximum of the window or, under `knee`, I/O that gets no more done with
  /// more jobs binds. Stays set for ten seconds: for a fleet that grows by it.
  bool short_of_capacity = false;
  Counters counters;
};

std::string_view to_string(WindowCause cause);

/// A change with the numbers behind it, for people: "grown 30 -> 60 points: 34% busy, 41 jobs
/// wait", "holds 24: 99% busy, 0.18 tasks wait for each CPU", "cut 60 -> 40 points by load: " and
/// what the sensor said. Without numbers if the CPUs were not measured. Every report of a change
/// uses this text.
std::string to_sentence(const WindowChange& change);
/// A refusal as `to_sentence` in `refusal.h` tells it; of a red sensor also what it read, or why it
/// could not: "sensor disk is red: /var: 1.0 GiB of 40.0 GiB available (97% in use)".
std::string to_sentence(const Refusal& refusal, const Status& status, const JobNames& names = {});
std::string_view to_string(Law law);
std::string_view to_string(Unit unit);
std::string_view to_string(ResourceOptions::Kind kind);
std::string_view to_string(ContentionMode mode);

}  // namespace sluice
