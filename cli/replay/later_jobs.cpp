#include "cli/replay/later_jobs.h"

#include <chrono>
#include <utility>

namespace sluice::cli {
namespace {

/// A client hears that a job of its batch has started or ended, and submits the next one.
constexpr Duration kClientTakes = std::chrono::milliseconds(1);

}  // namespace

bool LaterJobs::Batch::has_room_for(const ScenarioJob& job) const {
  const bool may_wait = job.batch_waiting == 0 || waiting < job.batch_waiting;
  return may_wait && (job.batch_unfinished == 0 || unfinished < job.batch_unfinished);
}

void LaterJobs::follow(ScenarioJob job) {
  hold(job.request.id);
  std::vector<std::shared_ptr<ScenarioJob>>& others = following_[job.follows];
  others.push_back(std::make_shared<ScenarioJob>(std::move(job)));
}

std::optional<ScenarioJob> LaterJobs::pass_batch(ScenarioJob job) {
  if (job.batch.empty()) return job;
  Batch& batch = batches_[job.batch];
  if (batch.held.empty() && batch.has_room_for(job)) {
    join_batch(job);
    return job;
  }
  hold(job.request.id);
  batch.held.push_back(std::make_shared<ScenarioJob>(std::move(job)));
  ++in_batches_;
  return std::nullopt;
}

void LaterJobs::join_batch(const ScenarioJob& job) {
  if (job.batch.empty()) return;
  Batch& batch = batches_[job.batch];
  ++batch.waiting;
  ++batch.unfinished;
  members_.insert_or_assign(job.request.id, Member{&batch});
}

void LaterJobs::started(const std::string& name, TimePoint now) {
  const auto found = members_.find(name);
  if (found == members_.end() || !std::exchange(found->second.waits, false)) return;
  --found->second.batch->waiting;
  fill(*found->second.batch, now);
}

void LaterJobs::over(const std::string& name, TimePoint now) {
  leave_batch(name, now);
  const auto followers = following_.extract(name);
  if (followers.empty()) return;
  for (const std::shared_ptr<ScenarioJob>& job : followers.mapped()) release(now + job->gap, job);
}

void LaterJobs::leave_batch(const std::string& name, TimePoint now) {
  const auto left = members_.extract(name);
  if (left.empty()) return;
  Batch& batch = *left.mapped().batch;
  if (left.mapped().waits) --batch.waiting;
  --batch.unfinished;
  fill(batch, now);
}

void LaterJobs::fill(Batch& batch, TimePoint now) {
  while (!batch.held.empty() && batch.has_room_for(*batch.held.front())) {
    join_batch(*batch.held.front());
    release(now + kClientTakes, std::move(batch.held.front()));
    batch.held.pop_front();
    --in_batches_;
  }
}

void LaterJobs::release(TimePoint at, std::shared_ptr<ScenarioJob> job) {
  due_.push({at, ++turn_, std::move(job)});
}

std::optional<TimePoint> LaterJobs::next() const {
  return due_.empty() ? std::nullopt : std::optional(due_.top().at);
}

std::optional<ScenarioJob> LaterJobs::take_due(TimePoint now) {
  if (due_.empty() || due_.top().at > now) return std::nullopt;
  const std::shared_ptr<ScenarioJob> job = due_.top().job;
  due_.pop();
  return std::move(*job);
}

}  // namespace sluice::cli
