#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/cpu_profile.h"
#include "sluice/memory_profile.h"
#include "sluice/units.h"

namespace sluice {

struct JobRequest;

/// Distribution of the memory that a job is expected to hold at its peak, in bytes.
struct MemoryNeed {
  double mean = 0;       ///< >= 0
  double deviation = 0;  ///< >= 0; with few samples widened accordingly (Student's t).
  /// Bound that it hardly ever exceeds, from many similar runs; >= mean. Infinite if unknown.
  double most = std::numeric_limits<double>::infinity();

  bool operator==(const MemoryNeed&) const = default;
};

/// What a single job is expected to hold at most, in bytes.
struct ExpectedPeak {
  double bytes = 0;
  double margin = 0;  ///< The part of it for errors of the prediction.
};

/// The mean and `z` deviations, but not above `need.most`.
inline ExpectedPeak expected_peak(double z, const MemoryNeed& need) {
  const double margin = std::min(z * need.deviation, std::max(0.0, need.most - need.mean));
  return {need.mean + margin, margin};
}

/// The rung of the ladder that a prediction comes from: the job's own declaration, runs of its key,
/// of its program, of anything or, without any history, a formula and a prior.
enum class Rung { declared, key, program, everything, prior };

/// Whether the rung describes this very job: its own declaration, or runs of its key.
constexpr bool vouches(Rung rung) { return rung == Rung::declared || rung == Rung::key; }

/// A job that uses fewer cores than this sleeps: it does next to nothing but wait.
inline constexpr double kAsleepCores = 0.1;

/// The predicted needs of a job.
struct Prediction {
  Points cost;
  std::optional<MemoryNeed> memory;  ///< nullopt: no memory is reserved for it.
  std::optional<Duration> duration;  ///< nullopt if unknown.
  Rung rung = Rung::prior;           ///< Of `memory` and `duration`.
  /// Cores it is expected to keep busy, by runs of its key or program; nullopt if unknown.
  std::optional<double> cores = std::nullopt;
  /// Its own runs, or all of at least three runs of its program, used less than `kAsleepCores`, and
  /// none more in a later phase.
  bool sleeps = false;
  /// How its own earlier runs used the CPUs over time: at each time the most that one of the last
  /// needed. Empty if unknown.
  CpuProfile profile = {};
  /// Time from its start until a run shows what it needs; nullopt if unknown.
  std::optional<Duration> ramp = std::nullopt;
  /// The most cores that a run of its key or program needed after its first second; nullopt if
  /// unknown.
  std::optional<double> late_cores = std::nullopt;
  /// How its memory grows over time, by many of its own earlier runs; null if unknown.
  std::shared_ptr<const MemoryProfile> growth = nullptr;
  /// Set if `cost` comes from cores: under `knee` it is then at most all CPUs, but no less than
  /// this.
  std::optional<Points> least_cost = std::nullopt;

  Prediction() = default;
  Prediction(Points points) : cost(points) {}  // Implicit: a model may know points only.
};

/// Predicts the needs that a job does not declare. Must be thread-safe and must not throw or
/// block: it runs on callers' threads, and with the governor's lock held. Answers may change from
/// call to call as the model learns.
using CostModel = std::function<Prediction(const JobRequest&)>;

/// A memory limit that all jobs share: the host's memory, or the limit of a cgroup above them.
struct MemoryLimit {
  std::string where;  ///< "host", or the cgroup's folder; printable.
  Bytes limit;
  Bytes used;  ///< Part of it that anyone uses and that cannot be reclaimed.
  /// The OOM killer's victim at this limit: one process, or a whole group that contains this
  /// process (memory.oom.group), and so the governor too.
  enum class Kill { process, group };
  Kill kill = Kill::process;
};

/// Reads every memory limit that applies and omits those that cannot be read. Runs on the window
/// thread and must not block.
using MemoryMeter = std::function<std::vector<MemoryLimit>(TimePoint now)>;

std::string_view to_string(Rung rung);

/// How an expectation is known, by the name of its rung: "by runs of its key"; empty for "".
std::string known_by(std::string_view rung);

}  // namespace sluice
