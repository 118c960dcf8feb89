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

/// What moved the window.
enum class WindowCause { slow_start, growth, red, idle_restart, reload };

/// One change of the window.
struct WindowChange {
  TimePoint at;
  Points from;
  Points to;
  WindowCause cause = WindowCause::slow_start;
  std::string sensor;  ///< For `red`: the worst sensor. Otherwise empty.
};

/// One sensor at one instant.
struct SensorStatus {
  std::string name;
  SensorPolicy policy;
  bool red = false;                ///< The verdict after hysteresis and `on_error`.
  bool up = false;                 ///< The last attempt to read it worked.
  bool fresh = false;              ///< Up, and the reading is not older than `max_age`.
  bool ignored = false;            ///< Not fresh, and its policy says to go on without it.
  std::optional<Reading> reading;  ///< The last good one.
  TimePoint taken;                 ///< When that was.
  std::string failure;             ///< Why the last attempt failed; empty while up.
  std::uint64_t failures = 0;      ///< Attempts that failed since start.
  Duration read_duration{0};       ///< What the last attempt took on the window thread.
};

/// A histogram with cumulative counts left to the exporter: `counts[i]` holds what is <=
/// `bounds[i]` and above the bound before; the last count holds what is above every bound.
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
inline constexpr std::size_t kWindowCauses = 5;   ///< Values of `WindowCause`.

/// What happened since the governor started; never decreases. Arrays are indexed by the enum.
struct Counters {
  std::uint64_t submitted = 0;
  std::uint64_t admitted = 0;
  std::array<std::uint64_t, kOutcomes> finished{};      ///< Jobs that ran, by outcome.
  std::uint64_t cancelled = 0;                          ///< Jobs that never ran.
  std::array<std::uint64_t, kRefusalCodes> rejected{};  ///< Refused for good: try_admit and submit.
  std::array<std::uint64_t, kWindowCauses> window_increases{};
  std::array<std::uint64_t, kWindowCauses> window_decreases{};
  std::uint64_t registrations = 0;
  std::array<std::uint64_t, kRefusalCodes> deregistrations{};  ///< By what made it full.
  Histogram<kWaitBounds.size()> wait;          ///< Seconds from submit to admission.
  Histogram<kDurationBounds.size()> duration;  ///< Seconds from admission to finish.
};

/// What running jobs hold, each by the best that is known of it: what the kernel says, else what
/// its holder reports as far as that can be true, else what it declared.
struct HeldMemory {
  Bytes measured, reported, declared;
  std::size_t unverified = 0;  ///< Jobs that count by reports.
};

/// One queue at one instant.
struct QueueStatus {
  std::string name;
  bool paused = false;
  std::size_t running = 0, pending = 0;
  Points pending_cost;
  /// Those of the pending jobs that no room anywhere would let start: frozen ones, those that wait
  /// for another job or that a rule pauses; all of them while the queue is paused.
  std::size_t held = 0;
  Points held_cost;
  std::optional<TimePoint> oldest_arrival;  ///< Of its pending job that waits longest.
  std::optional<Refusal> limiting;          ///< Why its first job waits; none if none waits.
  HeldMemory memory;
  std::vector<Refusal> blockers = {};  ///< All that keeps its first job; the first is `limiting`.
};

/// One resource manager at one instant.
struct ResourceStatus {
  std::string key;
  ResourceOptions::Kind kind = ResourceOptions::Kind::quantity;
  std::int64_t total = 0;   ///< Units or items; 0 for a highlander.
  std::int64_t used = 0;    ///< Held by running jobs; may be above `total` after a change.
  std::size_t waiting = 0;  ///< Pending jobs that need it.
};

/// The limit on memory that binds most, and what is kept below it for running jobs.
struct MemoryStatus {
  std::string where;  ///< "host", or the cgroup's folder.
  Bytes limit, used;  ///< As last read.
  Bytes promised;     ///< Of the limit, without the reserve.
  Bytes others;       ///< Used by anything that no memory is kept for.
  Bytes kept;         ///< For running jobs: what they hold, or are expected to.
  Bytes margin;       ///< On top of it, as predictions may be wrong.
  JobId most{};       ///< The running job that most is kept for; none where none is.
};

/// Everything about a governor but its single jobs, at one instant.
struct Status {
  TimePoint now;
  Law law = Law::adaptive;
  Points size, usage, minimum, maximum;
  std::optional<Points> threshold;  ///< Where slow start ends; none under `rfc`.
  std::size_t running = 0, pending = 0, starting = 0;
  Points pending_cost;
  std::optional<TimePoint> oldest_arrival;  ///< Of the pending job that waits longest.
  bool registered = false, paused = false, draining = false;
  std::optional<Refusal> full;      ///< Why no more work is taken; none: it is.
  std::vector<Refusal> blockers;    ///< All that stands against more work; the first is `full`.
  std::optional<Refusal> limiting;  ///< Why the first job in line waits; none if none waits.
  std::optional<WindowChange> last_change;
  std::vector<SensorStatus> sensors;
  std::vector<QueueStatus> queues;        ///< By name.
  std::vector<ResourceStatus> resources;  ///< By key.
  std::optional<MemoryStatus> memory;     ///< None where no limit is known.
  Counters counters;
};

std::string_view to_string(WindowCause cause);
std::string_view to_string(Law law);
std::string_view to_string(Unit unit);
std::string_view to_string(ResourceOptions::Kind kind);
std::string_view to_string(ContentionMode mode);

}  // namespace sluice
