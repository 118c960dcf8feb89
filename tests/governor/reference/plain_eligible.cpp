#include <algorithm>

#include "reference/plain_core.h"
#include "reference/plain_locks.h"

// Jobs that are passed over at no cost to the queue: paused, frozen, waiting for others, ruled out,
// limited, or kept from a certain conflict.

namespace sluice::reference {
namespace {

/// `*` stands for any bytes, `?` for one.
bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '*') {
    return matches(pattern.substr(1), text) || (!text.empty() && matches(pattern, text.substr(1)));
  }
  const bool same = !text.empty() && (pattern.front() == '?' || pattern.front() == text.front());
  return same && matches(pattern.substr(1), text.substr(1));
}

bool matches_id(const std::string& pattern, const std::string& id, JobId number) {
  if (pattern.front() != '>' && pattern.front() != '<') return matches(pattern, id);
  const bool is_number =
      pattern.size() > 1 && pattern.find_first_not_of("0123456789", 1) == std::string::npos;
  if (!is_number) return false;
  const std::uint64_t bound = std::stoull(pattern.substr(1));
  return pattern.front() == '>' ? number.value > bound : number.value < bound;
}

bool applies(const RuleOptions& rule, const JobRequest& request, JobId number) {
  if (rule.action == RuleOptions::Action::pass_on) return false;
  if (rule.id && !matches_id(*rule.id, request.id, number)) return false;
  if (rule.key && !matches(*rule.key, request.key)) return false;
  if (rule.queue && !matches(*rule.queue, request.queue)) return false;
  return !rule.reason || std::ranges::any_of(request.reasons, [&](const std::string& reason) {
    return matches(*rule.reason, reason);
  });
}

/// The N of "rate-limit:N:label"; 0 if it is no limit.
int limit_of(const std::string& reason) {
  constexpr std::string_view kLimit = "rate-limit:";
  if (!reason.starts_with(kLimit)) return 0;
  const std::size_t end = reason.find(':', kLimit.size());
  if (end == std::string::npos || end == kLimit.size()) return 0;
  const std::string n = reason.substr(kLimit.size(), end - kLimit.size());
  if (n.size() > 9 || n.find_first_not_of("0123456789") != std::string::npos) return 0;
  return std::stoi(n);
}

}  // namespace

/// The first rule in the list that matches and is not `continue`.
const RuleOptions* PlainCore::applying_rule(const Job& job) const {
  for (const RuleOptions& rule : options_.queueing.rules) {
    if (applies(rule, job.request, job.id)) return &rule;
  }
  return nullptr;
}

std::string PlainCore::name_of(const RuleOptions& rule) const {
  return "rules[" + std::to_string(&rule - options_.queueing.rules.data()) + "]";
}

/// The limiting reasons of a job, each once.
std::set<std::string> PlainCore::buckets_of(const Job& job) const {
  std::set<std::string> buckets;
  for (const std::string& reason : job.request.reasons) {
    if (limit_of(reason) > 0) buckets.insert(reason);
  }
  return buckets;
}

std::optional<Refusal> PlainCore::closed(const Job& job) const {
  if (operated_ == Switch::draining) return refusal(job, RefusalCode::draining, "draining");
  if (operated_ == Switch::paused) return refusal(job, RefusalCode::paused, "pause");
  if (!red_.empty()) return refusal(job, RefusalCode::sensor, red_);
  return std::nullopt;
}

/// Why a job is kept back for a reason other than the locks of other jobs.
std::optional<Refusal> PlainCore::hindered(const Job& job) const {
  if (paused_queues_.contains(job.request.queue)) {
    return refusal(job, RefusalCode::queue_paused, job.request.queue);
  }
  if (job.frozen) return refusal(job, RefusalCode::frozen, {});
  if (const auto first = awaited(job)) return refusal(job, RefusalCode::dependency, {}, *first);
  return limited(job);
}

/// The job that this one waits for. If it waits for a failed job to be resolved by hand, that one
/// comes before jobs that may still end well.
std::optional<JobId> PlainCore::awaited(const Job& job) const {
  std::optional<JobId> unfinished;
  for (const JobId before : job.request.after) {
    const auto over = over_.find(before);
    if (over == over_.end()) {
      unfinished = unfinished.value_or(before);
    } else if (over->second != Outcome::ok && job.request.on_failure == OnFailure::hold) {
      return before;
    }
  }
  return unfinished;
}

/// A job must fit into the bucket of the rule that applies to it and into all buckets it names.
std::optional<Refusal> PlainCore::limited(const Job& job) const {
  if (const RuleOptions* rule = applying_rule(job)) {
    const std::string name = name_of(*rule);
    if (rule->action == RuleOptions::Action::pause) return refusal(job, RefusalCode::rule, name);
    const auto in_it = std::ranges::count_if(
        running_, [&](const Job& holder) { return applying_rule(holder) == rule; });
    if (rule->action == RuleOptions::Action::rate_limit && in_it >= rule->n) {
      return refusal(job, RefusalCode::rate_limit, name);
    }
  }
  for (const std::string& bucket : buckets_of(job)) {
    const auto in_it = std::ranges::count_if(
        running_, [&](const Job& holder) { return buckets_of(holder).contains(bucket); });
    const std::string label = bucket.substr(bucket.find(':') + 1);
    if (in_it >= limit_of(bucket)) return refusal(job, RefusalCode::rate_limit, label);
  }
  return std::nullopt;
}

/// Whether a job that starts now is certain to block on a holder's locks.
bool PlainCore::would_block(const Job& job, const Job& holder) const {
  if (job.request.global_lock || holder.request.global_lock) return true;
  const LockTable& table = options_.queueing.contention.table;
  for (std::size_t level = 0; level < job.locks.size(); ++level) {
    const int worst = value(table, job.locks[level], holder.locks[level]);
    if (worst > 0 && worst == certain(table)) return true;
  }
  return false;
}

/// In mode hold a job of any age waits for its certain conflicts to end.
std::optional<Refusal> PlainCore::held(const Job& job) const {
  if (options_.queueing.contention.mode != ContentionMode::hold) return std::nullopt;
  const auto blocks = [&](const Job& holder) { return would_block(job, holder); };
  if (std::ranges::none_of(running_, blocks)) return std::nullopt;
  const auto is_global = [](const Job& holder) { return holder.request.global_lock; };
  if (job.request.global_lock || std::ranges::any_of(running_, is_global)) {
    return refusal(job, RefusalCode::contention, "global_lock");
  }
  std::size_t level = 0;
  const LockTable& table = options_.queueing.contention.table;
  while (level_value(job, level) != certain(table)) ++level;
  return refusal(job, RefusalCode::contention, options_.queueing.contention.levels[level]);
}

/// In mode hold an aged job that could otherwise start keeps its locks from jobs that came later
/// and are no more urgent; else it would wait for ever.
std::optional<Refusal> PlainCore::reserved(const Job& job, TimePoint now) const {
  const ContentionOptions& contention = options_.queueing.contention;
  if (contention.mode != ContentionMode::hold) return std::nullopt;
  const Job* oldest = nullptr;
  for (const Job& aged : pending_) {
    const bool may_reserve =
        contention.boosts_priority || *job.request.priority <= *aged.request.priority;
    if (aged.number >= job.number || !may_reserve || !is_saturated(aged, now)) continue;
    if (!would_block(job, aged) && !would_block(aged, job)) continue;
    if (hindered(aged)) continue;
    if (!oldest || aged.number < oldest->number) oldest = &aged;
  }
  if (!oldest) return std::nullopt;
  return refusal(job, RefusalCode::held_for, "locks", oldest->id);
}

std::optional<Refusal> PlainCore::ineligible(const Job& job, TimePoint now) const {
  if (auto why = hindered(job)) return why;
  if (auto why = held(job)) return why;
  return reserved(job, now);
}

}  // namespace sluice::reference
