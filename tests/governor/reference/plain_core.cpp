#include "reference/plain_core.h"

#include <algorithm>
#include <utility>

#include "reference/plain_locks.h"

// Submitting, ending and querying jobs.

namespace sluice::reference {

PlainCore::PlainCore(GovernorOptions options, CostModel cost_model, std::vector<KnownSensor>,
                     TimePoint)
    : cost_model_(std::move(cost_model)), size_(options.window.initial) {
  reload(std::move(options));
  for (const auto& [name, queue] : options_.queueing.queues) {
    if (queue.paused) paused_queues_.insert(name);
  }
}

/// Fills in what the request leaves open from the definition of its key, else from the defaults.
JobRequest PlainCore::completed(JobRequest request) const {
  const auto definition = options_.queueing.keys.find(request.key);
  const KeyOptions key =
      definition == options_.queueing.keys.end() ? KeyOptions{} : definition->second;
  const auto& queues = options_.queueing.queues;
  const std::string first = queues.contains("default") ? "default" : queues.begin()->first;
  if (request.queue.empty()) request.queue = key.queue.value_or(first);
  if (!request.priority) request.priority = key.priority.value_or(0);
  if (!request.cost) request.cost = key.cost;
  request.global_lock = request.global_lock || key.global_lock;
  for (const auto& [manager, amount] : key.resources) {
    const bool said = std::any_of(request.resources.begin(), request.resources.end(),
                                  [&](const auto& need) { return need.manager == manager; });
    if (!said) request.resources.push_back({manager, amount});
  }
  return request;
}

/// A manager applies to a job if the job's queue lists it or the job names it.
std::map<std::string, std::int64_t> PlainCore::needs_of(const JobRequest& request) const {
  std::map<std::string, std::int64_t> needs;
  for (const std::string& manager : options_.queueing.queues.at(request.queue).resources) {
    const ResourceOptions& resource = options_.queueing.resources.at(manager);
    const int usual = resource.kind == ResourceOptions::Kind::discrete ? 0 : 1;
    needs[manager] = resource.consumption.value_or(usual);
  }
  for (const ResourceDemand& named : request.resources) needs[named.manager] = named.amount;
  std::erase_if(needs, [&](const auto& need) {
    const bool is_highlander =
        options_.queueing.resources.at(need.first).kind == ResourceOptions::Kind::highlander;
    return need.second == 0 || (is_highlander && request.key.empty());
  });
  return needs;
}

Points PlainCore::cost_of(const JobRequest& request) const {
  if (request.cost) return std::max(*request.cost, Points{1});
  return std::clamp(cost_model_(request).cost, Points{1}, options_.window.maximum);
}

/// Why a job can never be taken: it needs more than exists, or a rule rejects it.
std::optional<Refusal> PlainCore::never(const Job& job) const {
  if (job.cost > options_.window.maximum) return refusal(job, RefusalCode::impossible, "window");
  for (const auto& [manager, amount] : job.needs) {
    const ResourceOptions& resource = options_.queueing.resources.at(manager);
    const auto items = static_cast<std::int64_t>(resource.items.size());
    const bool too_much =
        (resource.kind == ResourceOptions::Kind::quantity && amount > resource.total) ||
        (resource.kind == ResourceOptions::Kind::discrete && amount > items);
    if (too_much) return refusal(job, RefusalCode::impossible, manager);
  }
  const RuleOptions* rule = applying_rule(job);
  if (!rule || rule->action != RuleOptions::Action::reject) return std::nullopt;
  return refusal(job, RefusalCode::rule, name_of(*rule));
}

std::variant<Queued, Refusal> PlainCore::submit(JobRequest request, TimePoint now,
                                                std::optional<JobId> expected) {
  Job job;
  job.request = completed(std::move(request));
  job.cost = cost_of(job.request);
  job.arrived = now;
  job.locks = spread(options_.queueing.contention, job.request.locks);
  job.needs = needs_of(job.request);
  // Rules compare with the number the job would get.
  job.id = expected.value_or(JobId{last_id_ + 1});
  if (const auto why = never(job)) return *why;
  if (operated_ == Switch::draining) return refusal(job, RefusalCode::draining, "draining");
  for (const Job& waiting : pending_) {
    for (const auto& [manager, amount] : job.needs) {
      const bool is_highlander =
          options_.queueing.resources.at(manager).kind == ResourceOptions::Kind::highlander;
      if (!is_highlander || waiting.request.key != job.request.key) continue;
      if (waiting.needs.contains(manager)) return Queued{waiting.id, true};
    }
  }
  for (const JobId before : job.request.after) {
    const auto over = over_.find(before);
    if (over == over_.end() || over->second == Outcome::ok) continue;
    if (job.request.on_failure != OnFailure::cancel) continue;
    return refusal(job, RefusalCode::dependency, {}, before);
  }
  if (pending_.size() >= options_.max_pending) {
    return refusal(job, RefusalCode::max_pending, "max_pending");
  }
  if (!expected) ++last_id_;
  job.number = ++last_number_;
  job.place = static_cast<double>(job.number);
  pending_.push_back(job);
  return Queued{job.id, false};
}

JobId PlainCore::expect() { return JobId{++last_id_}; }

void PlainCore::give_up(JobId expected) { end(expected, Outcome::cancelled); }

bool PlainCore::cancel(JobId id) {
  if (!find_pending(id)) return false;
  std::erase_if(pending_, [&](const Job& job) { return job.id == id; });
  end(id, Outcome::cancelled);
  return true;
}

void PlainCore::finish(std::uint32_t slot, Outcome outcome, TimePoint) {
  std::erase_if(running_, [&](const Job& job) { return job.id.value == slot; });
  end(JobId{slot}, outcome);
}

/// A job after one that did not end well ends with it, unless it may still run.
void PlainCore::end(JobId id, Outcome outcome) {
  over_[id] = outcome;
  if (outcome == Outcome::ok) return;
  const auto dies = [&](const Job& job) {
    return job.request.on_failure == OnFailure::cancel &&
           std::ranges::find(job.request.after, id) != job.request.after.end();
  };
  for (;;) {
    const auto next = std::find_if(pending_.begin(), pending_.end(), dies);
    if (next == pending_.end()) return;
    ended_.push_back({next->id, refusal(*next, RefusalCode::dependency, {}, id)});
    cancel(next->id);
  }
}

std::vector<Ended> PlainCore::take_ended() { return std::exchange(ended_, {}); }

std::optional<TimePoint> PlainCore::next_boundary(TimePoint now) const {
  const ContentionOptions& contention = options_.queueing.contention;
  std::optional<TimePoint> next;
  for (const Job& job : pending_) {
    if (!contention.aging_ticks || is_saturated(job, now)) continue;
    const TimePoint boundary = now < job.arrived
                                   ? job.arrived + contention.tick
                                   : job.arrived + (ticks(job, now) + 1) * contention.tick;
    next = std::min(next.value_or(boundary), boundary);
  }
  return next;
}

std::optional<Explanation> PlainCore::explain(JobId id, TimePoint now) const {
  const ContentionOptions& contention = options_.queueing.contention;
  const Job* job = find(id);
  if (!job) return std::nullopt;
  Explanation all;
  all.job.id = id;
  all.job.request = job->request;
  all.base_tenths = contention.base_tenths;
  const bool weighs = contention.mode != ContentionMode::off;
  for (std::size_t level = 0; weighs && level < contention.levels.size(); ++level) {
    const int worst = level_value(*job, level);
    LevelWeight& here = all.levels.emplace_back(LevelWeight{contention.levels[level], worst, {}});
    for (const Job& holder : running_) {
      const int each = value(contention.table, job->locks[level], holder.locks[level]);
      if (worst > 0 && each == worst && here.by == JobId{}) here.by = holder.id;
    }
  }
  all.spv_tenths = weighs ? spv(*job) : 0;
  all.age_ticks = ticks(*job, now);
  all.aging_ticks = contention.aging_ticks;
  all.weight = weight(all.spv_tenths, *job, now);
  if (contention.aging_ticks)
    all.saturates = job->arrived + *contention.aging_ticks * contention.tick;
  for (const Job& holder : running_) {
    if (would_block(*job, holder)) all.certain_conflicts.push_back(holder.id);
  }
  const std::vector<const Job*> order = in_order(job->request.queue, now, {});
  all.job.place = static_cast<std::size_t>(std::ranges::find(order, job) - order.begin()) + 1;
  return all;
}

Points PlainCore::usage() const {
  Points sum;
  for (const Job& job : running_) sum += job.cost;
  return sum;
}

Job* PlainCore::find_pending(JobId id) {
  const auto job = std::ranges::find(pending_, id, &Job::id);
  return job == pending_.end() ? nullptr : &*job;
}

const Job* PlainCore::find(JobId id) const {
  for (const auto* jobs : {&pending_, &running_}) {
    const auto job = std::ranges::find(*jobs, id, &Job::id);
    if (job != jobs->end()) return &*job;
  }
  return nullptr;
}

std::string_view PlainCore::named(std::string name) const {
  return *names_.insert(std::move(name)).first;
}

Refusal PlainCore::refusal(const Job& job, RefusalCode code, std::string binding,
                           JobId ahead) const {
  Refusal said;
  said.code = code;
  said.binding = named(std::move(binding));
  said.cost = job.cost;
  said.usage = usage();
  said.size = code == RefusalCode::impossible ? options_.window.maximum : size_;
  said.ahead = ahead;
  return said;
}

}  // namespace sluice::reference
