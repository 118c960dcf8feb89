#include "service/daemon/shadow_core.h"

#include <algorithm>

#include "governor/admission_pass.h"
#include "governor/booking.h"
#include "governor/change.h"
#include "governor/core.h"
#include "governor/cpu_use.h"
#include "governor/impossible.h"
#include "governor/job_cost.h"
#include "governor/memory_charge.h"
#include "governor/reload.h"
#include "governor/request_conversion.h"
#include "governor/restore.h"
#include "governor/waiting.h"
#include "governor/window_control.h"

namespace sluice {
namespace {

/// Numbers from here on are those of stand-ins: no daemon gets this far.
constexpr std::uint64_t kStandIns = std::uint64_t{1} << 62;

/// Where jobs stand that never waited: before those that do.
constexpr std::int64_t kFront = -(std::int64_t{1} << 62);

/// Sentences about what is lacking: the first ones say what to do.
constexpr std::size_t kMostLacking = 4;

}  // namespace

ShadowCore::ShadowCore(GovernorOptions options, CostModel cost_model,
                       std::vector<KnownSensor> sensors, TimePoint now)
    : state_(std::move(options), std::move(cost_model), std::move(sensors), now) {
  rebuild(state_, now);
  judge_all(state_, now);
}

void ShadowCore::adopt(JobSnapshot job, TimePoint now) {
  const JobId id = job.id;
  job.request = complete(state_.options.queueing, std::move(job.request));
  const auto bad = check_request(state_.options.queueing, job.request);
  if (bad && lacking_.size() < kMostLacking) {
    lacking_.insert("a running job's " + bad->field + ": " + bad->message +
                    ": the shadow ignores it");
  }
  job.cost = cost_of(state_, job.request);
  const auto restored = restore(state_, {{std::move(job)}, {}, {}}, now);
  slots_[id.value] = std::get<Admitted>(restored.front()).slot;
}

void ShadowCore::end(JobId job, TimePoint now) {
  const auto found = slots_.find(job.value);
  if (found == slots_.end()) return;
  finish(state_, found->second, Outcome::ok, now);
  slots_.erase(found);
}

void ShadowCore::set_others(std::size_t count, TimePoint now) {
  while (others_.size() > count) {
    end(others_.back(), now);
    others_.pop_back();
  }
  while (others_.size() < count) {
    JobSnapshot other;
    other.id = JobId{kStandIns + others_.size()};
    other.arrived = now;
    other.admitted = now;
    others_.push_back(other.id);
    adopt(std::move(other), now);
  }
}

/// Adds a job to the pending ones, or to those that the configuration would refuse.
void ShadowCore::enqueue(const JobSnapshot& job, std::vector<JobId>& refused, std::string& refusal,
                         TimePoint now) {
  const auto refuse = [&](const std::string& why) {
    if (refused.empty()) refusal = why;
    refused.push_back(job.id);
  };
  JobRequest request = complete(state_.options.queueing, job.request);
  // Only jobs that wait for no other come here.
  request.after.clear();
  if (const auto bad = check_request(state_.options.queueing, request)) {
    return refuse(bad->field + ": " + bad->message);
  }
  const Points cost = cost_of(state_, request);
  const std::uint32_t queue = queue_for(state_, request);
  if (const auto refusal_for_good = refuse_for_good(state_, request, cost, queue, job.id)) {
    return refuse(to_sentence(*refusal_for_good));
  }
  PendingJob pending = prepare(state_, std::move(request), job.id, cost, queue);
  pending.arrived = std::min(job.arrived, now);
  pending.arrival = ++state_.last_arrival;
  const bool is_known = job.order.arrival > 0;
  pending.order = is_known ? OrderNumber{job.order.whole, job.order.part}
                           : OrderNumber{kFront + static_cast<std::int64_t>(pending.arrival), 0};
  pending.is_frozen = job.frozen;
  add_pending(state_, std::move(pending));
}

/// Lets jobs start as if those that have begun still waited, and takes back what was only assumed.
void ShadowCore::compare(const RealState& real, ShadowVerdict& verdict) {
  const Duration ramp = state_.last_ramp;
  const Counters counters = state_.counters;
  std::vector<JobId> refused;
  std::string ignored;
  std::vector<const JobSnapshot*> candidates;
  for (const auto* jobs : {&real.began, &real.waiting}) {
    for (const JobSnapshot& job : *jobs) candidates.push_back(&job);
  }
  std::ranges::stable_sort(candidates, {}, &JobSnapshot::arrived);
  for (const JobSnapshot* job : candidates) {
    if (job->admitted) {
      enqueue(*job, refused, ignored, real.now);
    } else {
      enqueue(*job, verdict.refuses, verdict.refusal, real.now);
    }
  }
  for (const Admitted& started : start_pending(state_, real.now, nullptr)) {
    const auto begun = std::ranges::find(real.began, started.id, &JobSnapshot::id);
    if (begun == real.began.end()) {
      verdict.starts.push_back(started.id);
      finish(state_, started.slot, Outcome::ok, real.now);
    } else {
      slots_[started.id.value] = started.slot;
    }
  }
  state_.last_ramp = ramp;
  state_.counters = counters;
  verdict.began = real.began.size();
  for (const JobSnapshot& job : real.began) {
    if (runs(job.id)) continue;
    verdict.holds.push_back(job.id);
    if (const auto slot = state_.pending->find(job.id)) {
      discard(state_, remove_pending(state_, *slot));
    }
    adopt(job, real.now);
  }
}

/// Lets the law see the readings, while those jobs wait that would still wait.
void ShadowCore::observe(RealState& real) {
  for (const RealState::Use& use : real.uses) {
    const auto found = slots_.find(use.job.value);
    if (found == slots_.end()) continue;
    if (!use.starting) state_.running.started(found->second);
    if (use.usage) measured(state_, found->second, *use.usage, real.now);
  }
  observe_memory(state_, std::move(real.memory));
  if (!real.sweep.empty()) sluice::observe(state_, real.sweep, real.now);
  observe_use(state_, std::move(real.use));
  adjust_window(state_, real.now);
}

ShadowVerdict ShadowCore::next(RealState real) {
  const TimePoint now = real.now;
  state_.operated = real.operated;
  for (const auto& [queue, position] : real.queues) operate_queue(state_, queue, position);
  for (const JobId job : real.ended) end(job, now);
  // First the CPUs: all of them bound the cost of a job that was learned from cores.
  if (!is_set_) observe_use(state_, real.use);
  set_others(real.others, now);
  if (!std::exchange(is_set_, true)) {
    for (JobSnapshot& job : real.began) adopt(std::move(job), now);
    real.began.clear();
  }
  ShadowVerdict verdict;
  verdict.size = state_.window.size;
  compare(real, verdict);
  verdict.usage = state_.running.permits().usage();
  for (const JudgedSensor& sensor : sensors_that_count(state_)) {
    if (sensor.red && sensor.name != "pause") verdict.red.emplace_back(sensor.name);
  }
  observe(real);
  while (!state_.pending->empty()) {
    discard(state_, remove_pending(state_, state_.pending->by_arrival().front().slot));
  }
  return verdict;
}

}  // namespace sluice
