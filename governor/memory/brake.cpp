#include "governor/memory/brake.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace sluice {
namespace {

/// A job that outgrew its prediction is expected to grow by another quarter.
constexpr double kOutgrown = 1.25;

/// Minimum growth within the horizon, as a part of the limit, that is worth a suspension.
constexpr double kGrows = 0.001;

double peak_of(const BrakedJob& job) {
  return job.used > job.expected_peak ? job.used * kOutgrown : job.expected_peak;
}

double still_to_grow(const BrakedJob& job) { return peak_of(job) - job.used; }

/// What several jobs may still grow by together: errors of independent predictions cancel in part,
/// as in the reservation (reservation.h).
class JointGrowth {
 public:
  void add(const BrakedJob& job) {
    const double all = still_to_grow(job);
    const double doubt = job.used > job.expected_peak ? 0 : std::min(job.margin, all);
    certain_ += all - doubt;
    variance_ += doubt * doubt;
  }
  double value() const { return certain_ + std::sqrt(variance_); }

 private:
  double certain_ = 0, variance_ = 0;
};

/// A running job that holds a smaller part of the limit does not count as running for other owners.
constexpr double kMatters = 0.01;

/// Counts running jobs, per owner and in total.
class LiveJobs {
 public:
  explicit LiveJobs(double limit) : least_(kMatters * limit) {}

  void add(const BrakedJob& job) { count(job, 1); }
  void remove(const BrakedJob& job) { count(job, -1); }

  /// Whether a job runs that counts for this owner: its own, or another's that holds enough.
  bool any_for(std::uint64_t owner) const { return most_for(owner) > 0; }
  bool only_one_for(std::uint64_t owner) const { return most_for(owner) <= 1; }
  bool any() const { return all_ > 0; }

 private:
  struct Count {
    int all = 0, that_matter = 0;
  };

  void count(const BrakedJob& job, int by) {
    Count& owned = by_owner_[job.owner];
    all_ += by;
    owned.all += by;
    if (job.used < least_) return;
    owned.that_matter += by;
    that_matter_ += by;
  }

  int most_for(std::uint64_t owner) const {
    const auto found = by_owner_.find(owner);
    const Count own = found == by_owner_.end() ? Count{} : found->second;
    return own.all + that_matter_ - own.that_matter;
  }

  double least_;
  int all_ = 0, that_matter_ = 0;
  std::map<std::uint64_t, Count> by_owner_;
};

/// One decision, with the jobs in order of age.
class Brake {
 public:
  explicit Brake(const BrakeView& view)
      : view_(view), points_(brake_points(view.kill)), jobs_(view.jobs), run_(view.limit) {
    std::ranges::sort(jobs_, {}, &BrakedJob::turn);
    bound_growth();
    projected_ = view.used;
    for (const BrakedJob& job : jobs_) {
      projected_ += soon(job);
      if (!job.suspended) run_.add(job);
    }
  }

  BrakeOrders decide() {
    in_danger_ = run_.any() && projected_ >= points_.near * view_.limit;
    suspend_encroaching();
    if (in_danger_) suspend_youngest();
    if (in_danger_ && orders_.suspend.empty()) end_youngest();
    if (orders_.suspend.empty() && orders_.end.empty()) resume_eldest();
    return orders_;
  }

 private:
  /// A job's growth within the horizon.
  double soon(const BrakedJob& job) const {
    return job.suspended ? 0 : std::max(0.0, job.growth) * points_.horizon;
  }

  /// The kernel counts pages shared by many processes in each of them.
  void bound_growth() {
    if (!view_.growth) return;
    double together = 0;
    for (const BrakedJob& job : jobs_) together += std::max(0.0, job.growth);
    const double most = std::max(0.0, *view_.growth);
    if (together <= most) return;
    for (BrakedJob& job : jobs_) job.growth = std::max(0.0, job.growth) * most / together;
  }

  void suspend(BrakedJob& job) {
    projected_ -= soon(job);
    run_.remove(job);
    job.suspended = true;
    orders_.suspend.push_back(job.turn);
  }

  /// Suspends jobs that grow into what older jobs are expected to need.
  void suspend_encroaching() {
    double kept = view_.used;
    for (const BrakedJob& job : jobs_) kept -= job.used;
    kept = std::max(0.0, kept);
    std::map<std::uint64_t, double> expected;  // Beyond `kept`, per owner.
    LiveJobs elders(view_.limit);
    for (BrakedJob& job : jobs_) {
      const bool grows = soon(job) > kGrows * view_.limit;
      const double below = kept + expected[job.owner];
      const bool takes = below + job.used + soon(job) >= points_.near * view_.limit;
      if (!job.suspended && elders.any_for(job.owner) && grows && takes) suspend(job);
      kept += job.used;
      if (job.suspended) continue;
      expected[job.owner] += still_to_grow(job);
      elders.add(job);
    }
  }

  /// Suspends the newest running jobs until the rest stays clear of the limit; never the last one.
  void suspend_youngest() {
    for (auto job = jobs_.rbegin(); job != jobs_.rend(); ++job) {
      if (projected_ < points_.near * view_.limit) return;
      if (job->suspended) continue;
      if (run_.only_one_for(job->owner)) return;
      suspend(*job);
    }
  }

  void end_youngest() {
    const auto victim = std::find_if(jobs_.rbegin(), jobs_.rend(), [](const BrakedJob& job) {
      return job.suspended && job.retryable;
    });
    if (victim != jobs_.rend()) orders_.end.push_back(victim->turn);
  }

  void resume_eldest() {
    std::map<std::uint64_t, JointGrowth> expected;
    for (const BrakedJob& job : jobs_) {
      if (!job.suspended) expected[job.owner].add(job);
    }
    std::set<std::uint64_t> waiting;  // Owners of an older job that stays suspended.
    bool has_passed = false;
    for (const BrakedJob& job : jobs_) {
      const bool passes = waiting.contains(job.owner);
      if (!job.suspended || (passes && has_passed)) continue;
      JointGrowth owned = expected[job.owner];
      owned.add(job);
      const bool has_room =
          !in_danger_ && view_.used + owned.value() <= points_.clear * view_.limit;
      if (run_.any_for(job.owner) && !has_room) {
        waiting.insert(job.owner);
        continue;
      }
      has_passed = has_passed || passes;
      expected[job.owner] = owned;
      orders_.resume.push_back(job.turn);
      run_.add(job);
    }
  }

  const BrakeView& view_;
  const BrakePoints points_;
  std::vector<BrakedJob> jobs_;
  double projected_ = 0;
  bool in_danger_ = false;
  LiveJobs run_;
  BrakeOrders orders_;
};

}  // namespace

BrakeOrders decide_brake(const BrakeView& view) {
  if (view.jobs.empty() || view.limit <= 0) return {};
  return Brake(view).decide();
}

}  // namespace sluice
