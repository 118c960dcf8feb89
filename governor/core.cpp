#include "governor/core.h"

#include <utility>

#include "governor/booking.h"
#include "governor/change.h"
#include "governor/definitions.h"
#include "governor/memory.h"
#include "governor/reload.h"
#include "governor/submission.h"
#include "governor/views.h"

namespace sluice {

Core::Core(GovernorOptions options, CostModel cost_model, std::vector<KnownSensor> sensors,
           TimePoint now)
    : state_(std::move(options), std::move(cost_model), std::move(sensors), now) {
  rebuild(state_, now);
  judge_all(state_, now);
}

std::variant<Admitted, Refusal> Core::try_admit(const JobRequest& job, TimePoint now) {
  return sluice::try_admit(state_, job, now);
}

std::variant<Queued, Refusal> Core::submit(JobRequest job, TimePoint now, std::optional<JobId> id) {
  return sluice::submit(state_, std::move(job), now, id);
}

std::variant<Admitted, Queued, Refusal> Core::admit_or_queue(JobRequest job, TimePoint now) {
  return sluice::admit_or_queue(state_, std::move(job), now);
}

JobId Core::expect() { return sluice::expect(state_); }
void Core::give_up(JobId expected) { sluice::give_up(state_, expected); }
bool Core::cancel(JobId id) { return sluice::cancel(state_, id); }

std::vector<RestoreResult> Core::restore(GovernorSnapshot life, TimePoint now) {
  return sluice::restore(state_, std::move(life), now);
}

JobRequest Core::completed(JobRequest job) const {
  return complete(state_.options.queueing, std::move(job));
}

std::optional<BadRequest> Core::check(const JobRequest& job) const {
  return sluice::check(state_, job);
}

std::optional<BadRequest> Core::set(JobId id, const JobChange& change, TimePoint now) {
  return sluice::set(state_, id, change, now);
}

bool Core::operate_queue(std::string_view queue, Switch position) {
  return sluice::operate_queue(state_, queue, position);
}

void Core::finish(std::uint32_t slot, Outcome outcome, TimePoint now) {
  sluice::finish(state_, slot, outcome, now);
}

void Core::measured(std::uint32_t slot, const JobUsage& usage, TimePoint now) {
  sluice::measured(state_, slot, usage, now);
}

void Core::observe_memory(std::vector<MemoryLimit> limits) {
  sluice::observe_memory(state_, std::move(limits));
}

void Core::operate(Switch position) {
  // A pause must not reopen a draining governor for submits.
  if (operated() == Switch::draining && position == Switch::paused) return;
  state_.operated = position;
}

std::vector<Admitted> Core::pass(TimePoint now, std::vector<Decision>* decisions) {
  return start_pending(state_, now, decisions);
}

std::optional<TimePoint> Core::next_boundary(TimePoint now) const {
  return state_.boundaries.next(*state_.pending, now);
}

std::vector<std::string_view> Core::observe(const std::vector<Sweep>& sweep, TimePoint now) {
  return sluice::observe(state_, sweep, now);
}

std::optional<WindowChange> Core::adjust_window(TimePoint now) {
  return sluice::adjust_window(state_, now);
}

RegistrationStep Core::check_registration(TimePoint now) {
  return sluice::check_registration(state_, now);
}

std::optional<BadRequest> Core::check_reload(const QueueingOptions& options) const {
  return sluice::check_reload(state_, options);
}

std::optional<WindowChange> Core::reload(GovernorOptions options, CostModel cost_model,
                                         std::vector<KnownSensor> sensors, TimePoint now) {
  return sluice::reload(state_, std::move(options), std::move(cost_model), std::move(sensors), now);
}

std::optional<Front> Core::front(TimePoint now) const { return sluice::front(state_, now); }

Points Core::cost_of(const JobRequest& job) const { return sluice::cost_of(state_, job); }

std::optional<Points> Core::pending_cost(JobId id) const {
  const auto slot = state_.pending->find(id);
  return slot ? std::optional((*state_.pending)[*slot].cost) : std::nullopt;
}

void Core::count_rejected(RefusalCode code, std::uint64_t times) {
  state_.counters.rejected[static_cast<std::size_t>(code)] += times;
}

Status Core::status(TimePoint now) const { return sluice::status(state_, now); }
std::vector<JobView> Core::jobs(TimePoint now) const { return sluice::jobs(state_, now); }

std::optional<JobView> Core::job(JobId id, TimePoint now) const {
  return sluice::job(state_, id, now);
}

std::optional<Explanation> Core::explain(JobId id, TimePoint now) const {
  return sluice::explain(state_, id, now);
}

}  // namespace sluice
