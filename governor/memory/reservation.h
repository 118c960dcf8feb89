#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "governor/memory/reservation_state.h"
#include "sluice/options.h"
#include "sluice/prediction.h"
#include "sluice/status.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// The memory use of a running job, as far as known.
struct MemoryUse {
  Bytes held;         ///< In the last sample.
  Bytes peak;         ///< The largest sample.
  TimePoint grew_at;  ///< When the peak last rose by more than a twentieth, or 8 MiB.
  /// Time in which it could run (neither suspended nor waiting for a CPU), and CPU time: now, and
  /// when it last grew. 0 if its holder does not report it.
  Duration active{0}, active_at_growth{0}, cpu{0}, cpu_at_growth{0};
  bool is_measured = true;     ///< From the kernel; else from its holder's report only.
  Duration progress{0};        ///< How far its run is, see `unimpeded`.
  Duration wall{0}, delay{0};  ///< In the last sample, see `JobUsage`.

  static MemoryUse first(const JobUsage& usage, TimePoint now);
  void see(const JobUsage& usage, TimePoint now);

  /// The same, scaled to a part of the memory held.
  MemoryUse part(double fraction) const;

  /// It has not grown for four seconds in which it could run, or for one in which it could but did
  /// next to nothing: a working job may hold its memory for seconds and then grow further.
  bool has_settled(TimePoint now) const;
};

/// The current expectation of a running job's need. A job that nobody vouches for and that has
/// settled is judged by what it shows: it keeps its peak, give or take a quarter. A prediction from
/// its own earlier runs knows about a late peak, and stands. Unmeasured use may lower the expected
/// need, never raise it.
MemoryNeed need_while_running(const Prediction& expected, const std::optional<MemoryUse>& use,
                              TimePoint now);

/// Memory set aside for a single job: its expected peak.
Bytes reserved_peak(const ReservationOptions& options, const MemoryNeed& need);

/// Kernel limits for a job's group, in bytes: above `memory.high` the kernel throttles the job,
/// above `memory.max` it kills it.
struct EnforcedLimits {
  std::optional<Bytes> high, max;
};

/// Mean and `z` deviations, at least 64 MiB, if `memory.enforce` asks for a limit and the job's own
/// declaration or runs vouch for its need; else none.
EnforcedLimits enforced_limits(const ReservationOptions& options, const Prediction& expected);

/// Memory reserved for the expected growth of running jobs.
///
///        limit of the tightest level (host, or a cgroup on the way up)
///   |---------------------------------------------------------------|
///   | others | job 1  . . | job 2 . . | job 3 . . | margin | new?   |  reserve |
///              used  grows                          z·sd
///
/// Memory peaks late: compilers and linkers reach their peak seconds or minutes after their start,
/// so a gate on current usage admits far too much. A job is therefore charged its expected peak
/// from the start. Errors of independent jobs partly cancel, so the margin beyond the sum of the
/// means grows only with the square root of the summed variances:
///
///   others + Σ max(used now, mean) + mean_new + z·√(Σ sd² + sd_new²) <= (1 - reserve) × limit
///
/// Where many runs show how much each of the jobs needs at most, the margin is never more than what
/// is between their means and these peaks: a normal distribution has no end, jobs have.
///
/// Source: the statistical reservation of admission control for variable streams; CockroachDB's
/// long-running admission charges max(observed, estimate) per job in the same way.
/// Pure bookkeeping: no clock, no file. Not thread-safe.
class Reservation {
 public:
  /// The charge of one running job, in bytes and bytes squared.
  struct Charge {
    double mean = 0, variance = 0;
    bool among_others = false;  ///< Not measured, but in the last reading: as use of others.
    /// What it may still exceed the mean by; infinite if unknown.
    double beyond = std::numeric_limits<double>::infinity();
  };

  /// A job that holds more than its mean was predicted too low, and the prediction may be off by as
  /// much again: the memory it holds counts, and the excess is its minimum deviation. An excess
  /// that only its holder reports is not believed.
  static Charge charge_of(const MemoryNeed& need, const std::optional<MemoryUse>& use);

  void configure(const ReservationOptions& options) { options_ = options; }

  /// Counts only declared memory, against this total: a simulation without a machine.
  void set_declared_total(std::optional<Bytes> total);

  /// New readings of the limits; `used` by the measured jobs together at that time. Without any
  /// reading the last ones stay in force: unseen memory has not become free. Reported use is not
  /// measured.
  void observe(std::vector<MemoryLimit> limits, double used);

  const std::vector<ReservationLevel>& levels() const { return levels_; }
  const ReservationSums& sums() const { return sums_; }
  /// Those of another reservation.
  void take_over(std::vector<ReservationLevel> levels, const ReservationSums& sums);

  /// The part, 0 to 1, of the bytes known only from reports that can be true: the level with the
  /// least unmeasured use limits it.
  double believed_part(double reported) const;

  /// The largest limit of any level; nullopt if none is known, or only declarations count.
  std::optional<Bytes> machine() const;

  bool is_in_force() const { return declared_only_ || !levels_.empty(); }
  bool counts_declared_only() const { return declared_only_; }

  void clear() { sums_ = {}; }
  void add(const Charge& charge);
  void remove(const Charge& charge);

  /// A need compared with what is left, in bytes. `needs` is its mean plus the growth of the common
  /// margin. It fits if needs <= free.
  struct Standing {
    double needs = 0, free = 0, total = 0;
    bool fits() const { return needs <= free; }
  };
  std::optional<Standing> standing(const MemoryNeed& need) const;  ///< nullopt: no limit known.

  /// The same for a suspendable job that nobody vouches for. It runs on probation: the emergency
  /// brake suspends it as soon as it takes memory that older jobs are expected to need, and so
  /// protects them (brake.h). To start, a quarter of its expected need must be free; a small one,
  /// below a hundredth of the promised memory, must fit beside the other means, without the margin.
  /// Otherwise no unknown job could ever run beside another on a tight host.
  std::optional<Standing> standing_on_probation(const MemoryNeed& need) const;

  /// The same at a later time, when all running jobs are charged `running`; margin not free.
  std::optional<Standing> standing_beside(const Charge& running, const MemoryNeed& need) const;

  /// For people and metrics; nullopt if no limit is known.
  std::optional<MemoryStatus> status() const;

 private:
  void count_beyond(const Charge& charge, int by);
  double margin(double more_variance, double more_beyond) const;
  double margin() const { return margin(0, 0); }
  double promised(const ReservationLevel& level) const;
  double others(const ReservationLevel& level) const;
  const ReservationLevel& tightest() const;

  ReservationOptions options_;
  std::vector<ReservationLevel> levels_;
  bool declared_only_ = false;
  ReservationSums sums_;
};

}  // namespace sluice
