#include "governor/books/resources.h"

#include <algorithm>
#include <utility>

namespace sluice {
namespace {

using Kind = ResourceOptions::Kind;

std::int64_t consumption_of(const ResourceOptions& options) {
  if (options.kind == Kind::highlander) return 1;
  return options.consumption.value_or(options.kind == Kind::quantity ? 1 : 0);
}

Shortage shortage_of(const ResourceOptions& options) {
  return options.shortage.value_or(options.kind == Kind::highlander ? Shortage::skip
                                                                    : Shortage::block);
}

/// The job's own demand; null if it has none.
const std::int64_t* demand_of(const JobRequest& job, std::string_view key) {
  const auto found = std::ranges::find(job.resources, key, &ResourceDemand::manager);
  return found == job.resources.end() ? nullptr : &found->amount;
}

}  // namespace

Resources::Resources(const std::map<std::string, ResourceOptions>& options) {
  reconfigure(options);
}

void Resources::reconfigure(const std::map<std::string, ResourceOptions>& options) {
  std::map<std::pair<std::string_view, Kind>, std::uint32_t> numbers;
  for (std::uint32_t number = 0; number < managers_.size(); ++number) {
    Manager& manager = managers_[number];
    numbers.emplace(std::pair(manager.key, manager.kind), number);
    retire(manager);
  }
  known_.clear();
  for (const auto& [key, wanted] : options) {
    const auto next = static_cast<std::uint32_t>(managers_.size());
    const auto [entry, is_new] = numbers.try_emplace({key, wanted.kind}, next);
    if (is_new) managers_.emplace_back().key = *keys_.insert(key).first;
    Manager& manager = managers_[entry->second];
    apply(wanted, manager);
    known_.emplace(manager.key, entry->second);
  }
}

std::vector<SavedManager> Resources::saved() const {
  std::vector<SavedManager> saved;
  for (const Manager& manager : managers_) {
    SavedManager& each = saved.emplace_back();
    each.key = manager.key;
    each.kind = manager.kind;
    each.used = manager.used;
    for (const Item& item : manager.items) {
      if (item.holder != JobId{}) each.items.push_back({item.name, item.holder});
    }
    each.running = {manager.running.begin(), manager.running.end()};
  }
  return saved;
}

void Resources::restore(const std::vector<SavedManager>& saved,
                        const std::map<std::string, ResourceOptions>& options) {
  managers_.clear();
  for (const SavedManager& each : saved) {
    Manager& manager = managers_.emplace_back();
    manager.key = *keys_.insert(each.key).first;
    manager.kind = each.kind;
    manager.used = each.used;
    for (const SavedManager::Item& item : each.items) {
      manager.items.push_back({item.name, item.holder, false});
    }
    manager.running = {each.running.begin(), each.running.end()};
  }
  reconfigure(options);
}

void Resources::apply(const ResourceOptions& options, Manager& manager) {
  manager.kind = options.kind;
  manager.consumption = consumption_of(options);
  manager.blocks = shortage_of(options) == Shortage::block;
  switch (options.kind) {
    case Kind::quantity:
      manager.total = options.total;
      manager.free = manager.total - manager.used;
      break;
    case Kind::discrete:
      list_items(options.items, manager);
      break;
    case Kind::highlander:
      manager.total = 1;
      break;
  }
}

void Resources::retire(Manager& manager) {
  manager.total = 0;
  if (manager.kind == Kind::quantity) manager.free = -manager.used;
  if (manager.kind == Kind::discrete) list_items({}, manager);
}

/// Held items keep their holder, listed or not.
void Resources::list_items(const std::vector<std::string>& names, Manager& manager) {
  std::map<std::string, JobId> held;
  for (Item& item : manager.items) {
    if (item.holder != JobId{}) held.emplace(std::move(item.name), item.holder);
  }
  manager.items.clear();
  manager.free = 0;
  for (const std::string& name : names) {
    const auto before = held.extract(name);
    manager.items.push_back({name, before ? before.mapped() : JobId{}, true});
    if (!before) ++manager.free;
  }
  manager.total = static_cast<std::int64_t>(names.size());
  for (const auto& [name, holder] : held) manager.items.push_back({name, holder, false});
}

std::vector<ResourceNeed> Resources::needs_of(const JobRequest& job,
                                              const QueueOptions& queue) const {
  std::vector<ResourceNeed> needs;
  for (const std::string& key : queue.resources) {
    if (!demand_of(job, key)) add_need(key, nullptr, job, needs);
  }
  for (const ResourceDemand& demand : job.resources) {
    add_need(demand.manager, &demand.amount, job, needs);
  }
  std::sort(needs.begin(), needs.end());
  return needs;
}

void Resources::add_need(std::string_view key, const std::int64_t* amount, const JobRequest& job,
                         std::vector<ResourceNeed>& needs) const {
  const auto known = known_.find(key);
  if (known == known_.end()) return;
  const Manager& manager = managers_[known->second];
  const std::int64_t wanted = amount ? *amount : manager.consumption;
  const bool has_its_own = manager.kind == Kind::highlander && job.key.empty();
  if (wanted <= 0 || has_its_own) return;
  needs.push_back({known->second, manager.kind == Kind::highlander ? 1 : wanted});
}

Resources::Standing Resources::standing(const ResourceNeed& need, std::string_view job_key) const {
  const Manager& manager = managers_[need.manager];
  Standing standing;
  standing.manager = manager.key;
  standing.needs = need.amount;
  standing.total = manager.total;
  standing.free = manager.free;
  if (manager.kind == Kind::highlander) {
    standing.free = manager.running.contains(job_key) ? 0 : manager.total;
  }
  standing.is_short = standing.needs > standing.free;
  standing.blocks = manager.blocks;
  standing.is_impossible = standing.needs > standing.total;
  return standing;
}

std::vector<HeldItems> Resources::book(const std::vector<ResourceNeed>& needs,
                                       std::string_view job_key, JobId holder) {
  std::vector<HeldItems> held;
  for (const ResourceNeed& need : needs) {
    Manager& manager = managers_[need.manager];
    manager.used += need.amount;
    switch (manager.kind) {
      case Kind::quantity:
        manager.free -= need.amount;
        break;
      case Kind::discrete:
        held.push_back(take_items(manager, need.amount, holder));
        break;
      case Kind::highlander:
        ++manager.running[std::string(job_key)];
        break;
    }
  }
  return held;
}

HeldItems Resources::take_items(Manager& manager, std::int64_t amount, JobId holder) {
  HeldItems held{std::string(manager.key), {}};
  for (Item& item : manager.items) {
    if (static_cast<std::int64_t>(held.items.size()) == amount) break;
    if (item.holder != JobId{}) continue;  // True of every draining item.
    item.holder = holder;
    held.items.push_back(item.name);
  }
  manager.free -= amount;
  return held;
}

std::vector<HeldItems> Resources::adopt(std::vector<ResourceNeed>& needs, std::string_view job_key,
                                        JobId holder, const std::vector<HeldItems>& items) {
  std::erase_if(needs, [&](const ResourceNeed& need) {
    return managers_[need.manager].kind == Kind::discrete;
  });
  book(needs, job_key, holder);
  std::vector<HeldItems> held;
  for (const HeldItems& each : items) {
    const auto known = known_.find(each.manager);
    if (known == known_.end() || managers_[known->second].kind != Kind::discrete) continue;
    HeldItems taken = take_named(managers_[known->second], each.items, holder);
    if (taken.items.empty()) continue;
    needs.push_back({known->second, static_cast<std::int64_t>(taken.items.size())});
    held.push_back(std::move(taken));
  }
  std::sort(needs.begin(), needs.end());
  return held;
}

HeldItems Resources::take_named(Manager& manager, const std::vector<std::string>& names,
                                JobId holder) {
  HeldItems held{std::string(manager.key), {}};
  for (const std::string& name : names) {
    const auto item = std::ranges::find(manager.items, name, &Item::name);
    if (item == manager.items.end()) {
      manager.items.push_back({name, holder, false});
    } else if (item->holder == JobId{}) {
      item->holder = holder;
      --manager.free;  // A draining item would have a holder, so this one is listed.
    } else {
      continue;
    }
    ++manager.used;
    held.items.push_back(name);
  }
  return held;
}

void Resources::release(const std::vector<ResourceNeed>& needs, std::string_view job_key,
                        JobId holder) {
  for (const ResourceNeed& need : needs) {
    Manager& manager = managers_[need.manager];
    manager.used -= need.amount;
    switch (manager.kind) {
      case Kind::quantity:
        manager.free += need.amount;
        break;
      case Kind::discrete:
        return_items(manager, holder);
        break;
      case Kind::highlander:
        const auto counted = manager.running.find(job_key);
        if (counted != manager.running.end() && --counted->second == 0) {
          manager.running.erase(counted);
        }
        break;
    }
  }
}

void Resources::return_items(Manager& manager, JobId holder) {
  for (Item& item : manager.items) {
    if (item.holder != holder) continue;
    item.holder = JobId{};
    if (item.listed) ++manager.free;
  }
  std::erase_if(manager.items,
                [](const Item& item) { return !item.listed && item.holder == JobId{}; });
}

bool Resources::is_highlander(std::uint32_t manager) const {
  return managers_[manager].kind == Kind::highlander;
}

bool Resources::in_use(std::string_view manager) const {
  return std::any_of(managers_.begin(), managers_.end(),
                     [&](const Manager& each) { return each.key == manager && each.used > 0; });
}

std::vector<ResourceStatus> Resources::status() const {
  std::vector<ResourceStatus> all;
  for (const auto& [key, number] : known_) {
    const Manager& manager = managers_[number];
    const std::int64_t total = manager.kind == Kind::highlander ? 0 : manager.total;
    all.push_back({std::string(manager.key), manager.kind, total, manager.used, 0});
  }
  std::ranges::sort(all, {}, &ResourceStatus::key);
  return all;
}

}  // namespace sluice
