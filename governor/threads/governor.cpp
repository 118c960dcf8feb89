#include "sluice/governor.h"

#include <utility>

#include "governor/threads/governor_state.h"

// The public class forwards to the state that it shares with its permits.

namespace sluice {

Governor::Governor(GovernorOptions options, std::vector<Sensor> sensors, CostModel cost_model,
                   GovernorEvents events, std::vector<std::shared_ptr<WorkSource>> work_sources)
    : state_(std::make_shared<GovernorState>(std::move(options), std::move(sensors),
                                             std::move(cost_model), std::move(events),
                                             std::move(work_sources))) {
  state_->start();
}

Governor::~Governor() { state_->stop(); }

Admission Governor::try_admit(const JobRequest& job) { return state_->try_admit(job); }

std::variant<Queued, Refusal> Governor::submit(JobRequest job, OnAdmission on_admission) {
  return state_->submit(std::move(job), std::move(on_admission));
}

std::variant<Permit, Queued, Refusal> Governor::admit_or_queue(JobRequest job,
                                                               OnAdmission on_admission) {
  return state_->admit_or_queue(std::move(job), std::move(on_admission));
}

std::variant<Submitted, Refusal> Governor::submit(JobRequest job) {
  auto promise = std::make_shared<std::promise<Admission>>();
  auto admission = promise->get_future();
  auto result = state_->submit(
      std::move(job), [promise](JobId, Admission ended) { promise->set_value(std::move(ended)); });
  if (const auto* refusal = std::get_if<Refusal>(&result)) return *refusal;
  const Queued& queued = std::get<Queued>(result);
  if (queued.deduplicated) admission = {};
  return Submitted{queued.id, std::move(admission), queued.deduplicated};
}

std::vector<Restored> Governor::restore(GovernorSnapshot snapshot,
                                        const OnAdmission& on_admission) {
  return state_->restore(std::move(snapshot), on_admission);
}

JobRequest Governor::complete(JobRequest job) const {
  return state_->read([&](const auto& core) { return core.completed(std::move(job)); });
}

std::optional<BadRequest> Governor::check(const JobRequest& job) const {
  return state_->read([&](const auto& core) { return core.check(job); });
}

std::optional<BadRequest> Governor::set(JobId id, const JobChange& change) {
  return state_->set(id, change);
}

std::optional<Explanation> Governor::explain(JobId id) const {
  return state_->read([&](const auto& core) { return core.explain(id, Clock::now()); });
}

bool Governor::pause_queue(std::string_view name) {
  return state_->operate_queue(name, Switch::paused);
}

bool Governor::resume_queue(std::string_view name) {
  return state_->operate_queue(name, Switch::running);
}

bool Governor::cancel(JobId id) { return state_->cancel(id); }
void Governor::pause() { state_->operate(Switch::paused); }
void Governor::resume() { state_->operate(Switch::running); }
void Governor::drain() { state_->operate(Switch::draining); }
void Governor::wait_until_idle() { state_->wait_until_idle(); }

void Governor::reload(GovernorOptions options, std::vector<Sensor> sensors, CostModel cost_model) {
  state_->reload(std::move(options), std::move(sensors), std::move(cost_model));
}

Status Governor::status() const { return state_->status(); }
std::vector<JobView> Governor::jobs() const {
  return state_->read([](const auto& core) { return core.jobs(Clock::now()); });
}
std::optional<JobView> Governor::job(JobId id) const {
  return state_->read([&](const auto& core) { return core.job(id, Clock::now()); });
}

}  // namespace sluice
