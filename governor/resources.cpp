#include "governor/resources.h"

#include <algorithm>
#include <utility>

namespace sluice {
namespace {

using Kind = ResourceOptions::Kind;

std::int64_t default_consumption(const ResourceOptions& options) {
  if (options.kind == Kind::highlander) return 1;
  return options.consumption.value_or(options.kind == Kind::quantity ? 1 : 0);
}

Shortage default_shortage(Kind kind) {
  return kind == Kind::highlander ? Shortage::skip : Shortage::block;
}

}  // namespace

Resources::Resources(const std::map<std::string, ResourceOptions>& options) {
  reconfigure(options);
}

void Resources::reconfigure(const std::map<std::string, ResourceOptions>& options) {
  for (Manager& manager : managers_) manager.there = false;
  for (const auto& [key, wanted] : options) {
    auto found =
        std::find_if(managers_.begin(), managers_.end(), [&, &name = key](const auto& each) {
          return each.key == name && (each.options.kind == wanted.kind || each.used == 0);
        });
    if (found == managers_.end()) {
      managers_.emplace_back().key = key;
      found = std::prev(managers_.end());
    }
    found->options = wanted;
    found->there = true;
    reconfigure_items(*found,
                      wanted.kind == Kind::discrete ? wanted.items : std::vector<std::string>{});
  }
}

/// Items that are still held keep their holder, whether they are listed or not.
void Resources::reconfigure_items(Manager& manager, const std::vector<std::string>& names) {
  std::vector<Item> items;
  for (const std::string& name : names) {
    const auto before = std::find_if(manager.items.begin(), manager.items.end(),
                                     [&](const Item& item) { return item.name == name; });
    const JobId holder = before == manager.items.end() ? JobId{} : before->holder;
    items.push_back({name, holder, true});
  }
  for (Item& item : manager.items) {
    const bool listed = std::find(names.begin(), names.end(), item.name) != names.end();
    if (!listed && item.holder != JobId{}) items.push_back({item.name, item.holder, false});
  }
  manager.items = std::move(items);
  count_items(manager);
}

void Resources::count_items(Manager& manager) {
  std::erase_if(manager.items,
                [](const Item& item) { return !item.listed && item.holder == JobId{}; });
  manager.free_items = manager.listed_items = 0;
  for (const Item& item : manager.items) {
    manager.listed_items += item.listed ? 1 : 0;
    manager.free_items += item.listed && item.holder == JobId{} ? 1 : 0;
  }
}

std::vector<ResourceNeed> Resources::needs_of(const JobRequest& job,
                                              const QueueOptions& queue) const {
  std::vector<ResourceNeed> needs;
  for (std::uint32_t number = 0; number < managers_.size(); ++number) {
    const Manager& manager = managers_[number];
    if (!manager.there) continue;
    const auto demand = std::find_if(job.resources.begin(), job.resources.end(),
                                     [&](const auto& each) { return each.manager == manager.key; });
    const bool named = demand != job.resources.end();
    const bool listed = std::find(queue.resources.begin(), queue.resources.end(), manager.key) !=
                        queue.resources.end();
    if (!named && !listed) continue;
    std::int64_t amount = named ? demand->amount : default_consumption(manager.options);
    if (manager.options.kind == Kind::highlander) amount = job.key.empty() || amount == 0 ? 0 : 1;
    if (amount > 0) needs.push_back({number, amount});
  }
  return needs;
}

Resources::Standing Resources::standing(const ResourceNeed& need, std::string_view job_key) const {
  const Manager& manager = managers_[need.manager];
  Standing standing;
  standing.manager = manager.key;
  standing.needs = need.amount;
  standing.blocks =
      manager.options.shortage.value_or(default_shortage(manager.options.kind)) == Shortage::block;
  switch (manager.options.kind) {
    case Kind::quantity:
      standing.total = manager.options.total;
      standing.free = standing.total - manager.used;
      break;
    case Kind::discrete:
      standing.total = manager.listed_items;
      standing.free = manager.free_items;
      break;
    case Kind::highlander:
      standing.total = 1;
      standing.free = manager.keys.contains(std::string(job_key)) ? 0 : 1;
      break;
  }
  standing.is_short = standing.needs > standing.free;
  standing.is_impossible = standing.needs > standing.total;
  return standing;
}

std::vector<HeldItems> Resources::book(const std::vector<ResourceNeed>& needs,
                                       std::string_view job_key, JobId holder) {
  std::vector<HeldItems> all;
  for (const ResourceNeed& need : needs) {
    Manager& manager = managers_[need.manager];
    manager.used += need.amount;
    if (manager.options.kind == Kind::highlander) ++manager.keys[std::string(job_key)];
    if (manager.options.kind != Kind::discrete) continue;
    HeldItems& held = all.emplace_back();
    held.manager = manager.key;
    for (Item& item : manager.items) {
      if (static_cast<std::int64_t>(held.items.size()) == need.amount) break;
      if (!item.listed || item.holder != JobId{}) continue;
      item.holder = holder;
      held.items.push_back(item.name);
    }
    manager.free_items -= need.amount;
  }
  return all;
}

void Resources::release(const std::vector<ResourceNeed>& needs, std::string_view job_key,
                        JobId holder) {
  for (const ResourceNeed& need : needs) {
    Manager& manager = managers_[need.manager];
    manager.used -= need.amount;
    if (manager.options.kind == Kind::highlander) {
      const auto counted = manager.keys.find(std::string(job_key));
      if (counted != manager.keys.end() && --counted->second == 0) manager.keys.erase(counted);
    }
    for (Item& item : manager.items) {
      if (item.holder == holder) item.holder = JobId{};
    }
    if (manager.options.kind == Kind::discrete) count_items(manager);
  }
}

bool Resources::is_highlander(std::uint32_t manager) const {
  return managers_[manager].options.kind == Kind::highlander;
}

const Resources::Manager* Resources::find(std::string_view key) const {
  const auto found = std::find_if(managers_.begin(), managers_.end(), [&](const Manager& each) {
    return each.there && each.key == key;
  });
  return found == managers_.end() ? nullptr : &*found;
}

bool Resources::is_jqm_compatible(std::string_view manager) const {
  const Manager* found = find(manager);
  return found && found->options.jqm_compatible;
}

bool Resources::in_use(std::string_view manager) const {
  const Manager* found = find(manager);
  return found && found->used > 0;
}

std::vector<ResourceStatus> Resources::status() const {
  std::vector<ResourceStatus> all;
  for (const Manager& manager : managers_) {
    if (!manager.there) continue;
    const Kind kind = manager.options.kind;
    const std::int64_t total = kind == Kind::quantity   ? manager.options.total
                               : kind == Kind::discrete ? manager.listed_items
                                                        : 0;
    all.push_back({manager.key, kind, total, manager.used, 0});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  return all;
}

}  // namespace sluice
