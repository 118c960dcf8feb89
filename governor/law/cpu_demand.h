#pragma once

#include <chrono>
#include <optional>

#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// The cores that a running job needs: what it used and what it waited for. Not CPU time alone: N
/// busy jobs on C CPUs always use C, so that overload would look like room.
///
/// Rises at once, falls with a time constant of four seconds, unless the caller gives another: a
/// job that waits for a moment between two computations keeps its cores.
class CpuDemand {
 public:
  static constexpr Duration kFall = std::chrono::seconds(4);

  struct State {
    std::optional<double> cores;
    double used = 0;
    Duration cpu{0}, delay{0}, progress{0};
    TimePoint seen;  ///< Time of `cores`.
    // At the begin of the span that is being measured:
    Duration wall_began{0}, cpu_began{0}, delay_began{0};
  };

  CpuDemand() = default;
  explicit CpuDemand(const State& state) : state_(state) {}
  const State& state() const { return state_; }

  /// Takes in a measurement; at most `cpus` cores are believed. A rate needs a fifth of a second:
  /// shorter spans are left for the next call.
  /// `fall`: in which the cores fall to what is used.
  void see(const JobUsage& usage, double cpus, TimePoint now, Duration fall = kFall);

  /// nullopt until first measured. Falls while nothing is measured for more than two seconds: the
  /// job is suspended, or its holder does not report.
  std::optional<double> cores(TimePoint now) const;
  /// CPU time per second over the last span measured; 0 before, and when that is too long ago.
  double used(TimePoint now) const;
  /// How far the run is, as if it had never waited for a CPU; see `unimpeded`. Until it is measured
  /// it is as far as it is old.
  Duration progress(TimePoint admitted, TimePoint now) const;
  /// All that was measured so far.
  Duration cpu() const { return state_.cpu; }
  Duration delay() const { return state_.delay; }

 private:
  State state_;
};

}  // namespace sluice
