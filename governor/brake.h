#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sluice/prediction.h"

namespace sluice {

/// How much of a limit is too near to it, and how far ahead that is looked for. Where the kernel
/// kills a whole group, whoever governs the jobs dies with them and nothing is left to mend it: so
/// there the brake acts earlier, and asks for more room before a job goes on.
struct BrakePoints {
  double near = 0.95;    ///< Part of the limit at which the brake acts.
  double clear = 0.90;   ///< Part of it below which jobs go on.
  double horizon = 0.5;  ///< Seconds: some looks, and what a suspension takes to act.
};
constexpr BrakePoints brake_points(MemoryLimit::Kill kill) {
  return kill == MemoryLimit::Kill::group ? BrakePoints{0.90, 0.85, 1.0} : BrakePoints{};
}

/// A job that Sluice itself runs, as the brake sees it. Numbers of memory are bytes.
struct BrakedJob {
  std::uint64_t turn = 0;    ///< Order of start: the largest is the youngest. Unique.
  double used = 0;           ///< Held now.
  double growth = 0;         ///< Per second, over the last second or so; negative counts as none.
  double expected_peak = 0;  ///< What it is expected to hold at most, margin included.
  bool suspended = false;
  bool retryable = false;   ///< May be ended and run again from its beginning.
  std::uint64_t owner = 0;  ///< Whose it is, by any number.
};

/// One look at the level of memory that is nearest to its hard limit.
struct BrakeView {
  std::vector<BrakedJob> jobs;
  double limit = 0;  ///< Beyond it the kernel kills.
  double used = 0;   ///< By anybody, that cannot be given up.
  /// Of `used`, per second: jobs together grow by no more. None: not known.
  std::optional<double> growth = std::nullopt;
  MemoryLimit::Kill kill = MemoryLimit::Kill::process;  ///< Whom the kernel kills at the limit.
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
/// What a job is expected to need is its owner's word in the end, and holds against that owner's
/// jobs only; against those of others a job counts with what it holds, and none that holds next to
/// nothing counts as one that runs. So nobody's claims keep another's job from running.
///
/// The gap between 95 and 90 % keeps a job from being stopped and started in turns. Where the
/// kernel kills a whole group it is 90 and 85 %, projected a whole second ahead (`brake_points`).
/// Pure: the same view gives the same orders.
BrakeOrders decide_brake(const BrakeView& view);

}  // namespace sluice
