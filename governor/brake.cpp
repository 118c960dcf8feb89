#include "governor/brake.h"

#include <algorithm>

namespace sluice {
namespace {

constexpr double kClear = 0.90;
constexpr double kHorizon = 0.5;  ///< Seconds: some looks, and what a suspension takes to act.

/// A job that outgrew its prediction is taken to grow by another quarter.
constexpr double kOutgrown = 1.25;

/// What a job must grow by within the horizon, as a part of the limit, to be worth a suspension.
constexpr double kGrows = 0.001;

double soon(const BrakedJob& job) {
  return job.suspended ? 0 : std::max(0.0, job.growth) * kHorizon;
}

double peak_of(const BrakedJob& job) {
  return job.used > job.expected_peak ? job.used * kOutgrown : job.expected_peak;
}

double still_to_grow(const BrakedJob& job) { return peak_of(job) - job.used; }

/// One look, with the jobs in order of age.
class Brake {
 public:
  explicit Brake(const BrakeView& view) : view_(view), jobs_(view.jobs) {
    std::sort(jobs_.begin(), jobs_.end(),
              [](const BrakedJob& a, const BrakedJob& b) { return a.turn < b.turn; });
    projected_ = view.used;
    for (const BrakedJob& job : jobs_) {
      projected_ += soon(job);
      if (!job.suspended) ++run_;
    }
  }

  BrakeOrders decide() {
    const bool in_danger = run_ > 0 && projected_ >= kBrakeNear * view_.limit;
    keep_off_what_is_kept();
    if (in_danger) suspend_youngest();
    if (in_danger && orders_.suspend.empty()) end_youngest();
    if (!in_danger && orders_.suspend.empty()) resume_eldest();
    return orders_;
  }

 private:
  void suspend(BrakedJob& job) {
    projected_ -= soon(job);
    --run_;
    job.suspended = true;
    orders_.suspend.push_back(job.turn);
  }

  /// Suspends jobs that grow into what elder ones are expected to need.
  void keep_off_what_is_kept() {
    double kept = view_.used;
    for (const BrakedJob& job : jobs_) kept -= job.used;
    kept = std::max(0.0, kept);
    bool is_eldest = true;
    for (BrakedJob& job : jobs_) {
      const bool grows = soon(job) > kGrows * view_.limit;
      const bool takes = kept + job.used + soon(job) >= kBrakeNear * view_.limit;
      if (!job.suspended && !is_eldest && grows && takes) suspend(job);
      kept += job.suspended ? job.used : peak_of(job);
      is_eldest = is_eldest && job.suspended;
    }
  }

  /// The youngest running jobs, until the rest stays clear; never the last that runs.
  void suspend_youngest() {
    for (auto job = jobs_.rbegin(); job != jobs_.rend(); ++job) {
      if (run_ <= 1 || projected_ < kBrakeNear * view_.limit) return;
      if (!job->suspended) suspend(*job);
    }
  }

  void end_youngest() {
    const auto victim = std::find_if(jobs_.rbegin(), jobs_.rend(), [](const BrakedJob& job) {
      return job.suspended && job.retryable;
    });
    if (victim != jobs_.rend()) orders_.end.push_back(victim->turn);
  }

  void resume_eldest() {
    double expected = view_.used;
    for (const BrakedJob& job : jobs_) {
      if (!job.suspended) expected += still_to_grow(job);
    }
    for (const BrakedJob& job : jobs_) {
      if (!job.suspended) continue;
      expected += still_to_grow(job);
      if (run_ > 0 && expected > kClear * view_.limit) return;
      orders_.resume.push_back(job.turn);
      ++run_;
    }
  }

  const BrakeView& view_;
  std::vector<BrakedJob> jobs_;
  double projected_ = 0;
  std::size_t run_ = 0;
  BrakeOrders orders_;
};

}  // namespace

BrakeOrders decide_brake(const BrakeView& view) {
  if (view.jobs.empty() || view.limit <= 0) return {};
  return Brake(view).decide();
}

}  // namespace sluice
