#include "governor/validation/check_queueing.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/suggest.h"
#include "governor/validation/check_request.h"
#include "vocabulary/phrases.h"

namespace sluice {
namespace {

constexpr std::size_t kMostLockLevels = 16;
constexpr int kMostTenths = 1000;

[[noreturn]] void refuse(const std::string& field, const std::string& message) {
  throw std::invalid_argument(field + " " + message);
}

[[noreturn]] void refuse(const std::string& definition, const BadRequest& bad) {
  refuse(definition + "." + bad.field + ":", bad.message);
}

void check_name(const std::string& field, std::string_view name) {
  const std::string problem = problem_of_name(name);
  if (!problem.empty()) refuse(field, "has a name " + quote_text(name) + ", which " + problem);
}

/// Every name must be valid and unique.
void check_names(const std::string& field, const std::vector<std::string>& names) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    check_name(field, name);
    if (!seen.insert(name).second) refuse(field, "has " + quote_text(name) + " twice");
  }
}

bool is_in_tenths(std::int64_t tenths) { return tenths >= 0 && tenths <= kMostTenths; }

void check_table(const LockTable& table) {
  for (std::size_t row = 0; row < LockTable::kRows; ++row) {
    const auto& cells = table.tenths[row];
    const std::string field = "contention.table." + std::string(LockTable::kModes[row]);
    for (std::size_t column = 0; column < cells.size(); ++column) {
      if (is_in_tenths(cells[column])) continue;
      refuse(field + "[" + std::to_string(column) + "]",
             "must be from 0 to 1000 tenths, not " + std::to_string(cells[column]));
    }
    if (cells[LockTable::shared_hit] < cells[LockTable::shared_miss]) {
      refuse(field, "must not weigh a shared lock less where names meet than where they do not");
    }
    if (cells[LockTable::exclusive_hit] < cells[LockTable::exclusive_miss]) {
      refuse(field,
             "must not weigh an exclusive lock less where names meet than where they do not");
    }
  }
}

void check_contention(const ContentionOptions& contention) {
  const std::string levels = "contention.levels";
  if (contention.levels.size() > kMostLockLevels) {
    refuse(levels, "must be at most " + std::to_string(kMostLockLevels) + ", not " +
                       std::to_string(contention.levels.size()));
  }
  check_names(levels, contention.levels);
  if (!is_in_tenths(contention.base_tenths)) {
    refuse("contention.base",
           "must be from 0 to 1000 tenths, not " + std::to_string(contention.base_tenths));
  }
  if (contention.tick <= Duration{0}) refuse("contention.tick", "must be above 0");
  if (contention.aging_ticks.value_or(0) < 0) {
    refuse("contention.aging_ticks",
           "must not be negative; is " + std::to_string(*contention.aging_ticks));
  }
  if (contention.batch && contention.mode != ContentionMode::order) {
    refuse("contention.batch", "needs contention.mode order");
  }
  check_table(contention.table);
}

void check_queue(const std::string& field, const QueueOptions& queue,
                 const QueueingOptions& options) {
  check_names(field + ".resources", queue.resources);
  for (const std::string& manager : queue.resources) {
    if (options.resources.contains(manager)) continue;
    refuse(field + ".resources", "names " + quote_text(manager) +
                                     ", which is not a resource manager; " +
                                     there_are(names_in(options.resources)));
  }
  if (queue.backfill.value_or(0) < 0) {
    refuse(field + ".backfill", "must not be negative; is " + std::to_string(*queue.backfill));
  }
}

void check_resource(const std::string& field, const ResourceOptions& manager) {
  using Kind = ResourceOptions::Kind;
  if (manager.kind == Kind::quantity && manager.total < 0) {
    refuse(field + ".total", "must not be negative; is " + std::to_string(manager.total));
  }
  if (manager.kind == Kind::discrete) check_names(field + ".items", manager.items);
  if (!manager.consumption) return;
  if (manager.kind == Kind::highlander) {
    refuse(field + ".consumption", "has no meaning for a highlander, which has one unit");
  }
  if (*manager.consumption < 0) {
    refuse(field + ".consumption",
           "must not be negative; is " + std::to_string(*manager.consumption));
  }
}

/// Checks a definition as the fields it adds to an empty job.
void check_key(const std::string& field, const KeyOptions& key, const QueueingOptions& options) {
  if (key.queue && key.queue->empty()) refuse(field + ".queue", "must not be empty");
  if (key.cost && *key.cost < Points{1}) refuse(field + ".cost", "must be at least 1 point");
  JobRequest job;
  job.queue = key.queue.value_or("");
  job.priority = key.priority;
  job.inventory = key.inventory;
  job.nice = key.nice;
  for (const auto& [manager, amount] : key.resources) job.resources.push_back({manager, amount});
  if (const auto bad = check_request(options, job)) refuse(field, *bad);
  if (const auto bad = check_lock_templates(options.contention, key)) refuse(field, *bad);
}

}  // namespace

void check_queueing(const QueueingOptions& options) {
  check_contention(options.contention);
  if (options.queues.empty()) refuse("queues", "must have at least one queue");
  for (const auto& [name, manager] : options.resources) {
    check_name("resources", name);
    check_resource("resources." + name, manager);
  }
  for (const auto& [name, queue] : options.queues) {
    check_name("queues", name);
    check_queue("queues." + name, queue, options);
  }
  for (const auto& [name, key] : options.keys) check_key("keys." + name, key, options);
  for (std::size_t index = 0; index < options.rules.size(); ++index) {
    const RuleOptions& rule = options.rules[index];
    if (rule.action != RuleOptions::Action::rate_limit || rule.n >= 1) continue;
    refuse("rules[" + std::to_string(index) + "].n",
           "must be at least 1, not " + std::to_string(rule.n));
  }
}

}  // namespace sluice
