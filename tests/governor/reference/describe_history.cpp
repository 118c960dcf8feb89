#include <sstream>

#include "reference/history.h"
#include "sluice/status.h"

namespace sluice::reference {
namespace {

/// " word:value" if the value is set.
template <typename Value>
std::string said(const char* word, const std::optional<Value>& value) {
  std::ostringstream text;
  if (value) text << " " << word << ":" << *value;
  return text.str();
}

std::string said(const char* word, const std::string& value) {
  return value.empty() ? "" : " " + std::string(word) + ":" + value;
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

std::string describe(const std::vector<LevelLocks>& all) {
  std::string text;
  for (const LevelLocks& locks : all) {
    text += " " + locks.level + "=[";
    if (!locks.shared.empty()) text += "S{" + list(locks.shared) + "}";
    if (locks.unknown_shared) text += "US";
    if (locks.all_shared) text += "AS";
    if (!locks.exclusive.empty()) text += "E{" + list(locks.exclusive) + "}";
    if (locks.unknown_exclusive) text += "UE";
    if (locks.all_exclusive) text += "AE";
    text += "]";
  }
  return text.empty() ? " locks:none" : text;
}

std::string describe(const JobRequest& request) {
  std::ostringstream text;
  text << said("key", request.key) << said("queue", request.queue)
       << said("priority", request.priority) << " cost:" << request.cost->value;
  if (request.memory) text << " memory:" << request.memory->value;
  if (request.global_lock) text << " global_lock";
  if (request.locks) text << describe(*request.locks);
  for (const ResourceDemand& need : request.resources) {
    text << " " << need.manager << ":" << need.amount;
  }
  for (const std::string& reason : request.reasons) text << " \"" << reason << "\"";
  return text.str();
}

std::string describe(const JobChange& change, int beside) {
  std::ostringstream text;
  text << said("priority", change.priority) << said("queue", change.queue)
       << said("frozen", change.frozen) << said("global_lock", change.global_lock);
  constexpr const char* kWhere[] = {"front", "back", "before", "after"};
  if (change.position) {
    text << " position:" << kWhere[static_cast<int>(change.position->where)] << " j" << beside;
  }
  if (change.locks) text << describe(*change.locks);
  return text.str();
}

std::string describe(const RuleOptions& rule) {
  constexpr const char* kActions[] = {"accept", "pause", "reject", "rate_limit", "continue"};
  return said("id", rule.id) + said("key", rule.key) + said("queue", rule.queue) +
         said("reason", rule.reason) + " " + kActions[static_cast<int>(rule.action)] + " " +
         std::to_string(rule.n);
}

std::string describe(const ContentionOptions& contention) {
  std::ostringstream text;
  text << "contention " << to_string(contention.mode) << said("K", contention.aging_ticks)
       << " tick:" << std::chrono::duration_cast<std::chrono::seconds>(contention.tick).count()
       << "s base:" << contention.base_tenths << " levels:" << list(contention.levels);
  if (contention.batch) text << " batch";
  if (contention.boosts_priority) text << " boosts_priority";
  if (contention.undeclared == Undeclared::all_exclusive) text << " undeclared:all-exclusive";
  if (contention.table == LockTable{}) return text.str() + "\n";
  text << " table:\n";
  for (const auto& row : contention.table.tenths) {
    for (const int cell : row) text << " " << cell;
    text << "\n";
  }
  return text.str();
}

std::string describe(const QueueingOptions& options) {
  std::ostringstream text;
  text << describe(options.contention);
  for (const auto& [name, queue] : options.queues) {
    text << "queue " << name << said("resources", list(queue.resources))
         << said("backfill", queue.backfill) << "\n";
  }
  for (const auto& [name, manager] : options.resources) {
    text << "manager " << name << " " << to_string(manager.kind) << " total:" << manager.total
         << said("items", list(manager.items)) << said("consumption", manager.consumption);
    if (manager.shortage) text << (*manager.shortage == Shortage::skip ? " skip" : " block");
    text << "\n";
  }
  for (const auto& [name, key] : options.keys) {
    for (const auto& [manager, amount] : key.resources) {
      text << "key " << name << " " << manager << ":" << amount << "\n";
    }
  }
  for (const RuleOptions& rule : options.rules) text << "rule" << describe(rule) << "\n";
  if (options.declared_memory) text << "memory " << options.declared_memory->value << "\n";
  return text.str();
}

}  // namespace

std::string describe(const Event& event) {
  constexpr const char* kWords[] = {"submit", "expect",      "give up",      "finish", "cancel",
                                    "set",    "pause queue", "resume queue", "pause",  "resume",
                                    "red",    "green",       "look",         "reload", "pass"};
  std::ostringstream text;
  text << event.second << "s " << kWords[static_cast<int>(event.what)];
  if (event.job > 0) text << " j" << event.job;
  text << said("queue", event.queue);
  if (event.what == Event::What::submit) text << describe(event.request);
  for (const int before : event.after) {
    text << " after:j" << before << "/" << to_string(event.request.on_failure);
  }
  if (event.what == Event::What::reload) text << "\n" << describe(event.options);
  if (event.what == Event::What::set) text << describe(event.change, event.beside);
  if (event.what == Event::What::finish) text << " " << to_string(event.outcome);
  return text.str();
}

std::string describe(const History& history) {
  std::ostringstream text;
  text << to_string(history.options.window.law)
       << " window:" << history.options.window.initial.value << "/"
       << history.options.window.maximum.value << "\n"
       << describe(history.options.queueing);
  for (const Event& event : history.events) text << describe(event) << "\n";
  return text.str();
}

}  // namespace sluice::reference
