#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/units.h"

namespace sluice {

struct JobRequest;

/// The memory that a job is expected to hold at its peak, as a distribution, in bytes.
struct MemoryNeed {
  double mean = 0;       ///< >= 0
  double deviation = 0;  ///< >= 0; where few samples speak, widened to say so (Student's t).

  bool operator==(const MemoryNeed&) const = default;
};

/// Which rung of the ladder answered: the job's own word, runs of its key, of its program, of
/// anything, or, where nothing is known, a formula and a prior.
enum class Rung { declared, key, program, everything, prior };

/// Whether that rung speaks of this very job: its own word, or runs of the same.
constexpr bool vouches(Rung rung) { return rung == Rung::declared || rung == Rung::key; }

/// What a job is expected to need.
struct Prediction {
  Points cost;
  std::optional<MemoryNeed> memory;  ///< None: no memory is kept for it.
  std::optional<Duration> duration;  ///< None: not known.
  Rung rung = Rung::prior;           ///< Of `memory` and `duration`.

  Prediction() = default;
  Prediction(Points points) : cost(points) {}  // Implicit: a model may know of nothing but points.
};

/// Predicts what a job needs that does not say so itself. Must be thread-safe and must not throw
/// or block: it is called on callers' threads and with the governor's lock held. It may answer
/// differently from call to call, as more is learned.
using CostModel = std::function<Prediction(const JobRequest&)>;

/// A limit on memory that holds for all jobs together: the host's memory, or that of a cgroup
/// which they are below.
struct MemoryLimit {
  std::string where;  ///< "host", or the cgroup's folder; fit for printing.
  Bytes limit;
  Bytes used;  ///< Of it, by anybody, that cannot be given up.
  /// Whom the kernel kills there: one process, or all of a group that this process is in
  /// (memory.oom.group), which is the end of whoever governs the jobs, too.
  enum class Kill { process, group };
  Kill kill = Kill::process;
};

/// Reads every limit on memory that applies; what cannot be read is left out. Called on the window
/// thread and must not block.
using MemoryMeter = std::function<std::vector<MemoryLimit>(TimePoint now)>;

std::string_view to_string(Rung rung);

}  // namespace sluice
