#include <algorithm>
#include <utility>

#include "reference/plain_core.h"

// One admission pass: tours over the queues, each taking its candidate.

namespace sluice::reference {
namespace {

constexpr std::string_view kWindow = "window";
constexpr std::string_view kMemory = "memory";

Bytes memory_of(const JobRequest& request) { return request.memory.value_or(Bytes{}); }

bool blocks(const ResourceOptions& resource) {
  const bool is_highlander = resource.kind == ResourceOptions::Kind::highlander;
  const Shortage usual = is_highlander ? Shortage::skip : Shortage::block;
  return resource.shortage.value_or(usual) == Shortage::block;
}

std::int64_t total_of(const ResourceOptions& resource) {
  switch (resource.kind) {
    case ResourceOptions::Kind::quantity:
      return resource.total;
    case ResourceOptions::Kind::discrete:
      return static_cast<std::int64_t>(resource.items.size());
    default:
      return 1;
  }
}

}  // namespace

std::vector<Admitted> PlainCore::pass(TimePoint now, std::vector<Decision>* decisions) {
  std::vector<Admitted> admitted;
  bool again = true;
  while (again) {
    Pass pass;
    pass.now = now;
    pass.decisions = decisions;
    again = one_pass(pass);
    admitted.insert(admitted.end(), pass.admitted.begin(), pass.admitted.end());
  }
  return admitted;
}

/// Tours until one admits nothing. Returns whether any job was admitted.
bool PlainCore::one_pass(Pass& pass) {
  if (options_.queueing.contention.batch) {
    for (const Job& job : pending_) pass.frozen_spv[job.id] = spv(job);
  }
  const std::vector<std::string> queues = queue_order(pass.now);
  bool moved = true;
  while (moved) {
    moved = false;
    for (const std::string& queue : queues) {
      const bool took = !pass.done.contains(queue) && take_candidate(pass, queue);
      moved = moved || took;
    }
  }
  return !pass.admitted.empty();
}

/// The queues with pending jobs, ordered by how long their first job has waited, longest first.
std::vector<std::string> PlainCore::queue_order(TimePoint now) const {
  std::vector<std::pair<TimePoint, std::string>> heads;
  for (const auto& [name, queue] : options_.queueing.queues) {
    const std::vector<const Job*> order = in_order(name, now, {});
    if (!order.empty()) heads.emplace_back(order.front()->arrived, name);
  }
  std::ranges::sort(heads);
  std::vector<std::string> names;
  for (const auto& [arrived, name] : heads) names.push_back(name);
  return names;
}

/// Admits the first job of the queue that is eligible and fits. Returns false if there is none, or
/// if the queue is done for this pass.
bool PlainCore::take_candidate(Pass& pass, const std::string& queue) {
  for (const Job* job : in_order(queue, pass.now, pass.frozen_spv)) {
    if (pass.passed_over.contains(job->id)) continue;
    if (const auto unfit = ineligible(*job, pass.now)) {
      tell(pass, *job, *unfit);
      continue;
    }
    if (const auto shut = closed(*job)) {
      tell(pass, *job, *shut);
      break;
    }
    std::vector<Short> shorts;
    add_room(shorts, pass, *job);
    add_managers(shorts, pass, *job);
    if (shorts.empty()) {
      admit(pass, *job);
      return true;
    }
    // A job short of several resources waits for those that block.
    std::ranges::stable_partition(shorts, [](const Short& each) { return each.blocks; });
    tell(pass, *job, shorts.front().refusal);
    const bool others_first = !shorts.front().blocks || may_pass_over(pass, *job, shorts);
    if (!others_first) {
      end_queue(pass, *job, shorts);
      break;
    }
    pass.passed_over.insert(job->id);
  }
  return false;
}

/// The window and the memory. While nothing runs, no job is short of them.
void PlainCore::add_room(std::vector<Short>& shorts, const Pass& pass, const Job& job) const {
  if (running_.empty()) return;
  const auto add = [&](std::string_view what, bool too_little, RefusalCode code) {
    const bool full = pass.full.contains(std::string(what));
    if (!too_little && !full) return;
    const auto aged = pass.kept_for.find(std::string(what));
    // A job that would fit except for an aged job waits for that job.
    const bool kept = !too_little && aged != pass.kept_for.end();
    const Refusal why = refusal(job, kept ? RefusalCode::held_for : code, std::string(what),
                                kept ? aged->second : JobId{});
    shorts.push_back({what, true, why});
  };
  add(kWindow, usage() + job.cost > size_, RefusalCode::window);
  const auto there_is = options_.queueing.declared_memory;
  const std::uint64_t needed = memory_of(job.request).value;
  if (!there_is || needed == 0) return;
  std::uint64_t held = 0;
  for (const Job& holder : running_) held += memory_of(holder.request).value;
  add(kMemory, held + needed > there_is->value, RefusalCode::memory);
}

void PlainCore::add_managers(std::vector<Short>& shorts, const Pass& pass, const Job& job) const {
  for (const auto& [manager, amount] : job.needs) {
    const ResourceOptions& resource = options_.queueing.resources.at(manager);
    const bool is_highlander = resource.kind == ResourceOptions::Kind::highlander;
    const std::int64_t needed = is_highlander ? 1 : amount;
    const std::int64_t left = free_of(manager, job.request.key);
    if (needed <= left && !pass.full.contains(manager)) continue;
    Refusal why = refusal(job, RefusalCode::resource, manager);
    why.needs = needed;
    why.free = left;
    why.total = total_of(resource);
    shorts.push_back({named(manager), blocks(resource), why});
  }
}

std::int64_t PlainCore::free_of(const std::string& manager, const std::string& job_key) const {
  const ResourceOptions& resource = options_.queueing.resources.at(manager);
  if (resource.kind == ResourceOptions::Kind::discrete) {
    return static_cast<std::int64_t>(free_items(manager).size());
  }
  const bool is_highlander = resource.kind == ResourceOptions::Kind::highlander;
  std::int64_t left = is_highlander ? 1 : resource.total;
  for (const Job& holder : running_) {
    const auto held = holder.needs.find(manager);
    if (held == holder.needs.end()) continue;
    if (is_highlander && holder.request.key != job_key) continue;
    left -= is_highlander ? 1 : held->second;
  }
  return left;
}

/// In the configured order. An item is free if it exists and no job holds it.
std::vector<std::string> PlainCore::free_items(const std::string& manager) const {
  std::vector<std::string> items = options_.queueing.resources.at(manager).items;
  for (const Job& holder : running_) {
    for (const HeldItems& held : holder.items) {
      if (held.manager != manager) continue;
      std::erase_if(items, [&](const std::string& item) {
        return std::ranges::find(held.items, item) != held.items.end();
      });
    }
  }
  return items;
}

/// Whether others may go first: the job is short of room alone, is not aged, and not too many jobs
/// of its queue have been passed over already.
bool PlainCore::may_pass_over(Pass& pass, const Job& job, const std::vector<Short>& shorts) const {
  const bool room_alone = std::ranges::all_of(
      shorts, [](const Short& each) { return each.what == kWindow || each.what == kMemory; });
  if (!room_alone || is_saturated(job, pass.now)) return false;
  const int usual = options_.window.law == Law::adaptive ? 16 : 0;
  const int most = options_.queueing.queues.at(job.request.queue).backfill.value_or(usual);
  return ++pass.short_of_room[job.request.queue] <= most;
}

/// The job is next: its queue is done for the pass, and what it waits for is full for all. An aged
/// job also keeps the memory and the managers it is not short of yet: else jobs of other queues
/// could take one while it waits for the other, and so on for ever.
void PlainCore::end_queue(Pass& pass, const Job& job, const std::vector<Short>& shorts) const {
  pass.done.insert(job.request.queue);
  const bool aged = is_saturated(job, pass.now);
  const auto fill = [&](const std::string& what) {
    const bool is_new = pass.full.insert(what).second;
    if (is_new && aged) pass.kept_for[what] = job.id;
  };
  for (const Short& each : shorts) {
    if (each.blocks) fill(std::string(each.what));
  }
  if (!aged) return;
  if (job.request.memory) fill(std::string(kMemory));
  for (const auto& [manager, amount] : job.needs) {
    if (blocks(options_.queueing.resources.at(manager))) fill(manager);
  }
}

int PlainCore::spv_in(const Pass& pass, const Job& job) const {
  const auto frozen = pass.frozen_spv.find(job.id);
  return frozen == pass.frozen_spv.end() ? spv(job) : frozen->second;
}

void PlainCore::admit(Pass& pass, const Job& job) {
  Job starting = job;
  Decision decision;
  decision.job = job.id;
  decision.cost = job.cost;
  decision.weight = weight(spv_in(pass, job), job, pass.now);
  for (const auto& [manager, amount] : job.needs) {
    const bool has_items =
        options_.queueing.resources.at(manager).kind == ResourceOptions::Kind::discrete;
    if (!has_items) continue;
    std::vector<std::string> items = free_items(manager);
    items.resize(static_cast<std::size_t>(amount));
    starting.items.push_back({manager, items});
  }
  for (const Job& holder : running_) {
    if (would_block(job, holder)) decision.conflicts.push_back(holder.id);
  }
  std::erase_if(pending_, [&](const Job& each) { return each.id == starting.id; });
  running_.push_back(starting);
  decision.usage = usage();
  decision.size = size_;
  decision.items = starting.items;
  pass.admitted.push_back(
      {starting.id, starting.cost, static_cast<std::uint32_t>(starting.id.value), starting.items});
  if (pass.decisions) pass.decisions->push_back(decision);
}

/// Reports why a job did not start, unless that was the last report on it.
void PlainCore::tell(Pass& pass, const Job& job, const Refusal& refusal) {
  const std::string what = std::string(to_string(refusal.code)) + " " +
                           std::string(refusal.binding) + " " + std::to_string(refusal.ahead.value);
  if (!pass.decisions || std::exchange(told_[job.id], what) == what) return;
  Decision decision;
  decision.job = job.id;
  decision.cost = job.cost;
  decision.usage = usage();
  decision.size = size_;
  decision.weight = weight(spv_in(pass, job), job, pass.now);
  decision.refusal = refusal;
  pass.decisions->push_back(decision);
}

}  // namespace sluice::reference
