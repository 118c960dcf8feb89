#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/options.h"
#include "sluice/prediction.h"
#include "sluice/status.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// What is known of a running job's memory.
struct MemoryUse {
  Bytes held;         ///< At the last look.
  Bytes peak;         ///< The most at any look.
  TimePoint grew_at;  ///< When the peak last rose by more than a twentieth, or 8 MiB.
  /// Time in which it could act, neither suspended nor waiting for a CPU, and CPU time: now, and
  /// when it last grew. 0 where its holder does not tell.
  Duration active{0}, active_at_growth{0}, cpu{0}, cpu_at_growth{0};
  bool is_measured = true;  ///< The kernel says so; else its holder alone does.

  static MemoryUse first(const JobUsage& usage, TimePoint now);
  void see(const JobUsage& usage, TimePoint now);

  /// The same of so much of what was held.
  MemoryUse part(double of_it) const;

  /// It has not grown for four seconds in which it could, or for one in which it could and did next
  /// to nothing: what works may hold what it has for seconds and then grow on.
  bool has_settled(TimePoint now) const;
};

/// What a job that runs is expected to need by now. A job that nobody vouches for and that has
/// settled is taken by what it shows: it keeps what it held at most, give or take a quarter. Its
/// own earlier runs know of a late peak, and are believed. What nobody measures shows that it needs
/// less, never that it needs more.
MemoryNeed need_while_running(const Prediction& expected, const std::optional<MemoryUse>& use,
                              TimePoint now);

/// What is set aside for a job on its own: the mean and `z` deviations.
Bytes most_of(const ReservationOptions& options, const MemoryNeed& need);

/// What the kernel is to hold a job to, bytes of its group: `memory.high` slows it down beyond,
/// `memory.max` kills it.
struct EnforcedLimits {
  std::optional<Bytes> high, max;
};

/// Mean and `z` deviations, at least 64 MiB, where `memory.enforce` asks for a limit and the job's
/// own word or runs vouch for what it needs; else none.
EnforcedLimits enforced_limits(const ReservationOptions& options, const Prediction& expected);

/// Memory that is kept free for what running jobs are expected to grow to.
///
///        limit of the tightest level (host, or a cgroup on the way up)
///   |---------------------------------------------------------------|
///   | others | job 1  . . | job 2 . . | job 3 . . | margin | new?   |  reserve |
///              used  grows                          z·sd
///
/// Memory peaks late: compilers and linkers reach theirs seconds or minutes after their start, so
/// a gate that looks at what is used now admits far too much. A job is therefore charged its
/// expected peak from its first moment, and the sum of what running jobs may need beyond the sum
/// of their means grows with the root of the sum of their variances only, as errors of independent
/// jobs partly cancel:
///
///   others + Σ max(used now, mean) + mean_new + z·√(Σ sd² + sd_new²) <= (1 - reserve) × limit
///
/// Source: the statistical reservation of admission control for variable streams; CockroachDB's
/// long-running admission charges max(observed, estimate) per job in the same way.
/// Pure bookkeeping: no clock, no file. Not thread-safe.
class Reservation {
 public:
  /// What one running job is charged, in bytes and bytes squared.
  struct Charge {
    double mean = 0, variance = 0;
    bool measured = false;  ///< Its use is known; else it is somewhere in the use of others.
  };

  /// A job that holds more than its mean was predicted too low, and may be wrong by as much again:
  /// what it holds counts, and the surprise is its least deviation. Where its holder alone says so,
  /// no surprise is believed.
  static Charge charge_of(const MemoryNeed& need, const std::optional<MemoryUse>& use);

  void configure(const ReservationOptions& options);

  /// Only declared memory counts, and so much of it there is: a world without a machine.
  void fix(std::optional<Bytes> total);

  /// New readings of the limits; `used` by the measured jobs together at that time. No reading at
  /// all leaves the last ones in force: what cannot be seen has not become free. Reported use is
  /// not measured.
  void observe(std::vector<MemoryLimit> limits, double used);

  /// Of what holders alone report, so many bytes together, the part that can be true: as much as
  /// any level uses beyond what is measured. 0 to 1.
  double believed_part(double reported) const;

  /// The largest limit of any level; none where none is known, or nothing but declarations count.
  std::optional<Bytes> machine() const;

  bool is_in_force() const { return fixed_ || !levels_.empty(); }
  bool is_fixed() const { return fixed_; }

  void clear() { mean_ = variance_ = unmeasured_ = 0; }
  void add(const Charge& charge);
  void remove(const Charge& charge);

  /// How a need stands against what is left, in bytes. `needs` is what it adds: its mean, and what
  /// the common margin grows by. It fits if needs <= free.
  struct Standing {
    double needs = 0, free = 0, total = 0;
    bool fits() const { return needs <= free; }
  };
  /// None where no limit is known.
  std::optional<Standing> standing(const MemoryNeed& need) const;

  /// The same for a job that can be suspended and that nobody vouches for. It runs on probation:
  /// the emergency brake suspends it as soon as it takes what elder jobs are expected to need, and
  /// so keeps it from harm (brake.h). To start it must find a quarter of what it is expected to
  /// need; a small one, of less than a hundredth of what is promised, must find room beside the
  /// means alone. Without that nothing unknown could ever run beside something unknown on a tight
  /// host.
  std::optional<Standing> standing_on_probation(const MemoryNeed& need) const;

  /// For people and metrics; none where no limit is known.
  std::optional<MemoryStatus> status() const;

 private:
  struct Level {
    MemoryLimit seen;
    double unmeasured_use = 0;  ///< Of what was used, by anything but measured jobs.
  };

  double margin(double more_variance) const;
  double promised(const Level& level) const;
  double others(const Level& level) const;
  const Level& tightest() const;

  ReservationOptions options_;
  std::vector<Level> levels_;
  bool fixed_ = false;
  double mean_ = 0, variance_ = 0;
  double unmeasured_ = 0;  ///< Of `mean_`, kept for jobs that nobody measures.
};

}  // namespace sluice
