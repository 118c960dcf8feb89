#include "governor/brake.h"

#include <algorithm>

namespace sluice {
namespace {

constexpr double kNear = 0.95;
constexpr double kClear = 0.90;
constexpr double kHorizon = 0.5;  ///< Seconds: some looks, and what a suspension takes to act.

/// A job that outgrew its prediction is taken to grow by another quarter.
constexpr double kOutgrown = 1.25;

double soon(const BrakedJob& job) {
  return job.suspended ? 0 : std::max(0.0, job.growth) * kHorizon;
}

double still_to_grow(const BrakedJob& job) {
  const double peak = job.used > job.expected_peak ? job.used * kOutgrown : job.expected_peak;
  return peak - job.used;
}

/// Suspends the youngest running jobs until the rest stays clear; never the last that runs.
void suspend_youngest(const std::vector<BrakedJob>& jobs, std::size_t run, double projected,
                      double near, BrakeOrders& orders) {
  for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) {
    if (run <= 1 || projected < near) return;
    if (job->suspended) continue;
    projected -= soon(*job);
    --run;
    orders.suspend.push_back(job->turn);
  }
}

void end_youngest(const std::vector<BrakedJob>& jobs, BrakeOrders& orders) {
  const auto victim = std::find_if(jobs.rbegin(), jobs.rend(), [](const BrakedJob& job) {
    return job.suspended && job.retryable;
  });
  if (victim != jobs.rend()) orders.end.push_back(victim->turn);
}

void resume_eldest(const BrakeView& view, const std::vector<BrakedJob>& jobs, BrakeOrders& orders) {
  double expected = view.used;
  bool anything_runs = false;
  for (const BrakedJob& job : jobs) {
    if (job.suspended) continue;
    anything_runs = true;
    expected += still_to_grow(job);
  }
  for (const BrakedJob& job : jobs) {
    if (!job.suspended) continue;
    expected += still_to_grow(job);
    if (anything_runs && expected > kClear * view.limit) return;
    orders.resume.push_back(job.turn);
    anything_runs = true;
  }
}

}  // namespace

BrakeOrders decide_brake(const BrakeView& view) {
  BrakeOrders orders;
  if (view.jobs.empty() || view.limit <= 0) return orders;
  std::vector<BrakedJob> jobs = view.jobs;
  std::sort(jobs.begin(), jobs.end(),
            [](const BrakedJob& a, const BrakedJob& b) { return a.turn < b.turn; });
  double projected = view.used;
  std::size_t run = 0;
  for (const BrakedJob& job : jobs) {
    projected += soon(job);
    if (!job.suspended) ++run;
  }
  const double near = kNear * view.limit;
  if (run == 0 || projected < near) {
    resume_eldest(view, jobs, orders);
    return orders;
  }
  suspend_youngest(jobs, run, projected, near, orders);
  if (orders.suspend.empty()) end_youngest(jobs, orders);
  return orders;
}

}  // namespace sluice
