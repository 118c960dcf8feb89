#pragma once

#include <cstdint>
#include <vector>

namespace sluice {

/// The part of a limit at which the brake acts.
inline constexpr double kBrakeNear = 0.95;

/// A job that Sluice itself runs, as the brake sees it. Numbers of memory are bytes.
struct BrakedJob {
  std::uint64_t turn = 0;    ///< Order of start: the largest is the youngest. Unique.
  double used = 0;           ///< Held now.
  double growth = 0;         ///< Per second, over the last second or so; negative counts as none.
  double expected_peak = 0;  ///< What it is expected to hold at most, margin included.
  bool suspended = false;
  bool retryable = false;  ///< May be ended and run again from its beginning.
};

/// One look at the level of memory that is nearest to its hard limit.
struct BrakeView {
  std::vector<BrakedJob> jobs;
  double limit = 0;  ///< Beyond it the kernel kills.
  double used = 0;   ///< By anybody, that cannot be given up.
};

/// What to do now, by turn.
struct BrakeOrders {
  std::vector<std::uint64_t> suspend, resume, end;

  bool operator==(const BrakeOrders&) const = default;
};

/// The emergency brake: the seat belt for when a prediction was wrong or others took the memory.
///
///  - What elder jobs are expected to need is theirs. A job that grows while it and their expected
///    peaks together reach 95 % of the limit is suspended, but never the eldest that runs. This is
///    what makes it safe to start a job of which nothing is known beside others.
///  - The use that is projected half a second ahead reaches 95 % of the limit: the youngest job
///    that runs is suspended, and the next youngest, until what goes on growing stays below; never
///    the last. Suspending frees nothing; it keeps elder jobs alive, and an elder one gives all
///    its memory back when it ends.
///  - Only the eldest is left running and still gets there: of the suspended jobs the youngest
///    that may be run again is ended, one a look. If none may be, nothing is left to do.
///  - An elder suspended job goes on before a younger one, as soon as everything that runs and it
///    may grow to its expected peak below 90 % of the limit, or if nothing else runs.
///
/// The gap between 95 and 90 % keeps a job from being stopped and started in turns. Pure: the same
/// view gives the same orders.
BrakeOrders decide_brake(const BrakeView& view);

}  // namespace sluice
