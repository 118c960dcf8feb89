#include "cli/whatif/recorded_request.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

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
  for (const auto& [level, modes] : facts.locks) {
    if (has_hash(level)) continue;
    auto locks = parse_locks(level.text, modes.text);
    if (auto* parsed = std::get_if<LevelLocks>(&locks)) {
      if (!request.locks) request.locks.emplace();
      request.locks->push_back(std::move(*parsed));
    }
  }
  for (const auto& [manager, amount] : facts.resources) {
    if (!has_hash(manager)) request.resources.push_back({manager.text, amount});
  }
  return request;
}

bool has_hashed_names(const record::JobSubmitted& facts) {
  const auto has = [](const auto& each) { return has_hash(each.first); };
  return has_hash(facts.queue) || std::ranges::any_of(facts.locks, has) ||
         std::ranges::any_of(facts.resources, has);
}

}  // namespace sluice::cli
