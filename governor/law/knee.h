#pragma once

#include <chrono>
#include <optional>

#include "governor/law/window.h"
#include "sluice/status.h"

namespace sluice {

/// Above this many waiting tasks per CPU the machine has more work than it can do.
inline constexpr double kWaitingTarget = 0.15;
/// From here on the CPUs are as busy as they get: ticks and wake-ups leave the rest.
inline constexpr double kBusyKnee = 0.97;

/// A queue in which each job of ours waits for less than this, in the mean, is none: jobs of
/// milliseconds come and go in bursts, and some always wait while CPUs are free. The time in a
/// queue counts, not its length (CoDel: Nichols and Jacobson, "Controlling queue delay", 2012).
inline constexpr Duration kShortWait = std::chrono::milliseconds(10);

/// Whether one more job would only make the others slower: every CPU is busy, or tasks wait.
bool is_at_knee(const MachineUse& use);

/// Whether tasks wait for I/O: jobs that hardly use a CPU may be those that do.
bool waits_for_io(const MachineUse& use);

/// Whether growth ended because doublings brought nothing more through while tasks waited for I/O.
bool is_full_of_io(const KneeState& state, const MachineUse& use);

/// Whether the machine's CPU time was measured in the last ten seconds.
bool can_see_knee(const WindowState& state, const WindowInput& input);

/// Whether a change of the size is worth a line: the first, another cause, or a tenth more or less
/// than the last one reported, and no more than one a second.
bool is_worth_reporting(const std::optional<WindowChange>& reported, const WindowChange& change);

/// One step of `law: knee`: as many jobs as the machine can use, found within a second.
///
/// A machine has a knee (Kleinrock, "Power and deterministic rules of thumb", 1979): up to it one
/// more job is one more core at work, beyond it one more job makes only the others slower. As BBR
/// does for a network path, the law asks for what gets through and for what queues, instead of
/// waiting for a loss.
///
///   busy     0 ............ 0.9 ......... 0.97 ............
///   window   x 2^h          x 1.05        holds; slack below one job
///            while jobs     or + one      waiting above twice the target for
///            wait for it    job           3 s: x CPUs / demand
///
/// Tasks count as waiting only if our jobs wait for longer than `kShortWait` each, or are measured
/// to wait.
///
/// In this order:
/// - A red gate stops the window; a red congestion sensor cuts it as under `adaptive`.
/// - Beyond the knee it yields, at most once in three seconds or the ramp of the last job,
///   whichever is longer, and never below half of the CPUs: beside a greedy neighbour the
///   scheduler divides the rest.
/// - At the knee it holds, and shrinks until less than the next job's cost is free beyond the most
///   in use within a second: ten points of slack would be a third compiler on two CPUs. While
///   neighbours leave the jobs less than half of the CPUs it grows up to that half.
/// - Below the knee it grows if jobs wait for it, at most once in the ramp of the job admitted
///   last: until that has shown its demand, more would be a guess.
/// - While tasks wait for I/O, it doubles only as long as doubling brings through a quarter more
///   (BBR's full pipe: three fruitless rounds end it, for ten seconds).
/// - A window that is not half used for a second falls to twice the usage (RFC 7661).
WindowStep step_knee(const WindowParameters& parameters, const WindowState& state,
                     const WindowInput& input);

}  // namespace sluice
