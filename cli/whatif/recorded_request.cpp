#include "cli/whatif/recorded_request.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "base/enum_names.h"
#include "record/name_hash.h"
#include "sluice/locks.h"

namespace sluice::cli {
namespace {

bool has_hash(const record::Name& name) { return record::is_hash(name.text); }

}  // namespace

JobRequest request_of(const record::JobSubmitted& facts) {
  JobRequest request;
  request.key = facts.key.text;
  request.program = facts.program.text;
  request.variant = facts.variant.text;
  if (facts.user && *facts.user != 0) request.user = std::to_string(*facts.user);
  if (!has_hash(facts.queue)) request.queue = facts.queue.text;
  request.priority = static_cast<int>(facts.priority);
  if (facts.inventory) request.inventory = static_cast<int>(*facts.inventory);
  request.cost = facts.own_cost;
  request.memory = facts.memory;
  std::vector<LevelLocks> locks = locks_of(facts.locks);
  const bool declares_none = facts.declares_locks && facts.locks.empty();
  if (!locks.empty() || declares_none) request.locks = std::move(locks);
  for (const auto& [manager, amount] : facts.resources) {
    if (!has_hash(manager)) request.resources.push_back({manager.text, amount});
  }
  request.global_lock = facts.global_lock;
  for (const record::Name& each : facts.reasons) {
    if (!has_hash(each)) request.reasons.push_back(each.text);
  }
  constexpr std::size_t kWords = 3;
  const auto on_failure = find_named<OnFailure>(facts.on_failure, kWords);
  request.on_failure = on_failure.value_or(request.on_failure);
  if (facts.nice) request.nice = static_cast<int>(*facts.nice);
  return request;
}

std::vector<LevelLocks> locks_of(const std::vector<std::pair<record::Name, record::Name>>& locks) {
  std::vector<LevelLocks> parsed;
  for (const auto& [level, modes] : locks) {
    if (has_hash(level)) continue;
    auto each = parse_locks(level.text, modes.text);
    if (auto* found = std::get_if<LevelLocks>(&each)) parsed.push_back(std::move(*found));
  }
  return parsed;
}

bool has_hashed_names(const record::JobSubmitted& facts) {
  const auto has = [](const auto& each) { return has_hash(each.first); };
  return has_hash(facts.queue) || std::ranges::any_of(facts.locks, has) ||
         std::ranges::any_of(facts.resources, has) || std::ranges::any_of(facts.reasons, has_hash);
}

}  // namespace sluice::cli
