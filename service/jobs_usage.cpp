// What jobs have used, and what that teaches.
#include <algorithm>
#include <chrono>

#include "costmodel/history.h"
#include "service/jobs.h"

namespace sluice {
namespace {

std::int64_t seconds_since_1970() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

void Jobs::predict(JobRecord& job) const {
  if (history_) job.prediction = history_->predict(job.request);
}

void Jobs::keep_memory(const ReservationOptions& options, MemoryMeter brake) {
  reservation_ = options;
  brake_ = JobBrake(std::move(brake), options.z);
}

void Jobs::brake(const JobRecord& job, const JobUsage& usage, TimePoint now) {
  const Prediction expected = history_ ? history_->predict(job.request) : Prediction{};
  for (const BrakeAction& action : brake_.report(job.number, usage, expected, now)) {
    if (links_.braked) links_.braked(jobs_.at(action.job), action);
  }
}

bool Jobs::measured(JobId number, JobUsage usage, TimePoint now) {
  const auto found = jobs_.find(number.value);
  if (found == jobs_.end() || !found->second.permit) return false;
  JobRecord& job = found->second;
  if (job.usage) usage.peak_memory = std::max(usage.peak_memory, job.usage->peak_memory);
  job.usage = usage;
  job.permit.measured(usage);
  if (history_) history_->running(number.value, job.request, usage);
  if (job.request.suspendable) brake(job, usage, now);
  return true;
}

void Jobs::charge(JobId number, const JobUsage& usage) {
  const auto found = jobs_.find(number.value);
  if (found != jobs_.end() && found->second.permit) found->second.permit.measured(usage);
}

void Jobs::learn(const JobRecord& job, LeaseEnd cause) {
  if (!history_) return;
  history_->ended(job.number.value);
  // Who reports no memory says nothing about it, and not that the job needs none.
  if (!job.admitted || !job.usage || job.usage->peak_memory == Bytes{0}) return;
  // Where only the lease ended, nobody said how the job did, nor what it had used in the end.
  const Outcome outcome = cause == LeaseEnd::finish ? job.outcome : Outcome::cancelled;
  const auto& need = job.prediction ? job.prediction->memory : std::nullopt;
  const Bytes kept{need ? static_cast<std::uint64_t>(need->mean) : 0};
  history_->learn(sample_of(job.request, *job.usage, outcome, kept, seconds_since_1970()));
}

}  // namespace sluice
