#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sluice/prediction.h"

namespace sluice {

/// How close to a limit is too close, and how far ahead to project. Where the kernel kills a whole
/// group, the governor dies with the jobs and nothing is left to recover; there the brake acts
/// earlier and demands more free memory before a job resumes.
struct BrakePoints {
  double near = 0.95;    ///< Part of the limit at which the brake acts.
  double clear = 0.90;   ///< Part of it below which jobs resume.
  double horizon = 0.5;  ///< Seconds: a few samples, and the time a suspension takes to act.
};
constexpr BrakePoints brake_points(MemoryLimit::Kill kill) {
  return kill == MemoryLimit::Kill::group ? BrakePoints{0.90, 0.85, 1.0} : BrakePoints{};
}

/// A job that Sluice itself runs, as input of the brake. Memory is in bytes.
struct BrakedJob {
  std::uint64_t turn = 0;    ///< Order of start: the largest is the newest job. Unique.
  double used = 0;           ///< Held now.
  double growth = 0;         ///< Per second, over about the last second; negative counts as 0.
  double expected_peak = 0;  ///< Expected maximum, margin included.
  bool suspended = false;
  bool retryable = false;   ///< May be ended and run again from the start.
  std::uint64_t owner = 0;  ///< Identifies the owner.
  double margin = 0;        ///< The part of `expected_peak` for errors of the prediction.
};

/// One sample of the memory level that is nearest to its hard limit.
struct BrakeView {
  std::vector<BrakedJob> jobs;
  double limit = 0;  ///< The kernel kills above it.
  double used = 0;   ///< By anyone; cannot be reclaimed.
  /// Growth of `used` per second: an upper bound of the jobs' joint growth. nullopt if unknown.
  std::optional<double> growth = std::nullopt;
  MemoryLimit::Kill kill = MemoryLimit::Kill::process;  ///< What the kernel kills at the limit.
};

/// The actions to take now; jobs by turn.
struct BrakeOrders {
  std::vector<std::uint64_t> suspend, resume, end;

  bool operator==(const BrakeOrders&) const = default;
};

/// The emergency brake: the safety net for wrong predictions and for memory taken by others.
///
///  - Older jobs own what they are expected to need. A job that grows while it and the expected
///    peaks of older jobs together reach 95 % of the limit is suspended, but never the oldest
///    running one. This makes it safe to start an unknown job beside others.
///  - If the use projected half a second ahead reaches 95 % of the limit, the newest running job is
///    suspended, then the next newest, until the rest can keep growing below it; never the last.
///    Suspending frees nothing; it keeps older jobs alive, and an older job returns all its memory
///    when it ends.
///  - If only the oldest is left running and the projection still reaches 95 %, the newest
///    suspended job that may be run again is ended, one per sample. If there is none, nothing is
///    left to do.
///  - Suspended jobs resume oldest first, as soon as the job and everything that runs can grow to
///    their expected peaks below 90 % of the limit, or if nothing else runs; the margins of these
///    peaks count as those of a sum do. If an older one does not fit yet, one younger one that does
///    passes it per call: it gives its memory back when it ends, and their number is limited.
///
/// The expected need of a job is in the end its owner's claim, and holds only against that owner's
/// jobs. Against those of others a job counts with what it holds, and a job that holds next to
/// nothing does not count as running. So no claim keeps another owner's job from running.
///
/// The gap between 95 and 90 % keeps a job from being stopped and started in turns. Where the
/// kernel kills a whole group the figures are 90 and 85 %, projected a whole second ahead
/// (`brake_points`). Pure: the same view gives the same orders.
BrakeOrders decide_brake(const BrakeView& view);

}  // namespace sluice
