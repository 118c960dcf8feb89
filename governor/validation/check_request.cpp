#include "governor/validation/check_request.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "base/suggest.h"
#include "vocabulary/phrases.h"

namespace sluice {
namespace {

constexpr std::size_t kMostTexts = 1000;
constexpr std::size_t kMostBytes = 1024;

std::string no_such(const std::string& what, std::string_view name,
                    const std::vector<std::string>& known) {
  return "there is no " + what + " " + quote_text(name) + "; " + there_are(known);
}

/// "locks.node"; an invalid name is not shown in the field.
std::string field_of(const std::string& whole, const std::string& name) {
  return problem_of_name(name).empty() ? whole + "." + name : whole;
}

/// One mode with its parameters; if they do not make valid names, the locks are unknown.
std::string fill_mode(std::string_view mode, const std::map<std::string, std::string>& params) {
  const auto filled = fill_braces(mode, [&](std::string_view param) -> std::optional<std::string> {
    const auto found = params.find(std::string(param));
    if (found == params.end() || !problem_of_name(found->second).empty()) return std::nullopt;
    return found->second;
  });
  const bool makes_names = filled && std::holds_alternative<LevelLocks>(parse_locks("", *filled));
  return makes_names ? *filled : "unknown-" + std::string(mode.substr(0, mode.find(':')));
}

LevelLocks fill_level(const std::string& level, std::string_view text,
                      const std::map<std::string, std::string>& params) {
  std::string filled;
  for (const std::string_view mode : words_in(text)) filled += fill_mode(mode, params) + ' ';
  auto parsed = parse_locks(level, filled);
  if (auto* locks = std::get_if<LevelLocks>(&parsed)) return std::move(*locks);
  // An unchecked definition: this covers whatever it means.
  LevelLocks all;
  all.level = level;
  all.all_exclusive = true;
  return all;
}

void add_locks(const KeyOptions& key, JobRequest& job) {
  if (job.locks || job.global_lock) return;
  job.global_lock = key.global_lock;
  if (!key.locks) return;
  job.locks.emplace();
  for (const auto& [level, text] : *key.locks) {
    job.locks->push_back(fill_level(level, text, job.params));
  }
}

void add_resources(const KeyOptions& key, JobRequest& job) {
  for (const auto& [manager, amount] : key.resources) {
    const auto own = std::ranges::find(job.resources, manager, &ResourceDemand::manager);
    if (own == job.resources.end()) job.resources.push_back({manager, amount});
  }
}

void add_definition(const KeyOptions& key, JobRequest& job) {
  if (job.queue.empty() && key.queue) job.queue = *key.queue;
  if (!job.priority) job.priority = key.priority;
  if (!job.inventory) job.inventory = key.inventory;
  if (!job.nice) job.nice = key.nice;
  if (!job.cost) job.cost = key.cost;
  add_resources(key, job);
  add_locks(key, job);
}

std::optional<BadRequest> check_resources(const QueueingOptions& options, const JobRequest& job) {
  std::set<std::string_view> seen;
  for (const ResourceDemand& demand : job.resources) {
    if (options.resources.empty()) {
      return BadRequest{field_of("resources", demand.manager),
                        "there is no resource manager " + quote_text(demand.manager) +
                            "; declare it under `resources:` of the configuration"};
    }
    if (!options.resources.contains(demand.manager)) {
      return BadRequest{field_of("resources", demand.manager),
                        no_such("resource manager", demand.manager, names_in(options.resources))};
    }
    const std::string field = "resources." + demand.manager;
    if (!seen.insert(demand.manager).second) return BadRequest{field, "must not be given twice"};
    if (demand.amount < 0) {
      return BadRequest{field, "must be at least 0, not " + std::to_string(demand.amount)};
    }
  }
  return std::nullopt;
}

std::optional<BadRequest> check_numbers(const JobRequest& job) {
  if (job.nice && (*job.nice < -20 || *job.nice > 19)) {
    return BadRequest{"nice", "must be from -20 to 19, not " + std::to_string(*job.nice)};
  }
  if (job.priority && !is_possible_priority(*job.priority)) {
    return BadRequest{"priority", "must be from " + std::to_string(-kMostPriority) + " to " +
                                      std::to_string(kMostPriority) + ", not " +
                                      std::to_string(*job.priority)};
  }
  if (job.inventory && !is_possible_inventory(*job.inventory)) {
    return BadRequest{"inventory", "must be from 0 to " + std::to_string(kMostInventory) +
                                       ", not " + std::to_string(*job.inventory)};
  }
  if (job.cost && *job.cost < Points{1}) {
    return BadRequest{"cost", "must be at least 1, not " + std::to_string(job.cost->value)};
  }
  if (job.memory && *job.memory > kMostMemory) {
    return BadRequest{"memory", "must be at most " + std::to_string(kMostMemory.value) +
                                    " bytes, not " + std::to_string(job.memory->value)};
  }
  return std::nullopt;
}

std::optional<BadRequest> check_texts(const JobRequest& job) {
  const std::string most = "must be at most " + std::to_string(kMostTexts) + ", not ";
  const std::string longest = "have at most " + std::to_string(kMostBytes) + " bytes";
  if (job.reasons.size() > kMostTexts) {
    return BadRequest{"reasons", most + std::to_string(job.reasons.size())};
  }
  if (job.params.size() > kMostTexts) {
    return BadRequest{"params", most + std::to_string(job.params.size())};
  }
  for (const std::string& reason : job.reasons) {
    if (reason.size() > kMostBytes) return BadRequest{"reasons", "must each " + longest};
  }
  for (const auto& [name, value] : job.params) {
    const std::string problem = problem_of_name(name);
    if (!problem.empty()) {
      return BadRequest{"params", "has a name " + quote_text(name) + ", which " + problem};
    }
    if (value.size() > kMostBytes) {
      return BadRequest{"params." + name,
                        "must " + longest + ", not " + std::to_string(value.size())};
    }
  }
  return std::nullopt;
}

/// The first error in a list of names; empty if there is none.
std::string problem_of_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::string problem = problem_of_name(name);
    if (!problem.empty()) return "has a name " + quote_text(name) + ", which " + problem;
  }
  return "";
}

/// The error in a level's template, or the number of its names.
std::variant<std::size_t, std::string> check_template(std::string_view text) {
  if (std::string problem = problem_of_braces(text); !problem.empty()) return problem;
  for (const std::string_view mode : words_in(text)) {
    if (mode.find('{') < mode.find(':')) {
      return "has a parameter in place of the mode in " + quote_text(mode);
    }
  }
  // The shortest value: a template that fails with it fails with every value.
  const auto filled =
      fill_braces(text, [](std::string_view) { return std::optional<std::string>("x"); });
  const auto parsed = parse_locks("", filled.value_or(""));
  if (const auto* problem = std::get_if<std::string>(&parsed)) return *problem;
  const auto& locks = std::get<LevelLocks>(parsed);
  return locks.shared.size() + locks.exclusive.size();
}

std::string too_many_locks() {
  return "names too many locks: a job may name at most " + std::to_string(kMostLockNames) +
         " across all levels";
}

bool has_level(const ContentionOptions& options, const std::string& level) {
  return std::find(options.levels.begin(), options.levels.end(), level) != options.levels.end();
}

std::string default_queue(const QueueingOptions& options) {
  return options.queues.contains("default") ? "default" : options.queues.begin()->first;
}

}  // namespace

std::optional<std::string> configured_queue(const QueueingOptions& options, std::string_view name) {
  if (options.queues.contains(std::string(name))) return std::string(name);
  const std::size_t slash = name.rfind('/');
  if (slash == std::string_view::npos || slash + 1 == name.size()) return std::nullopt;
  std::string parent(name.substr(0, slash));
  if (!options.queues.contains(parent)) return std::nullopt;
  return parent;
}

JobRequest complete(const QueueingOptions& options, JobRequest job) {
  const auto key = options.keys.find(job.key);
  if (key != options.keys.end()) add_definition(key->second, job);
  if (job.queue.empty() && !options.queues.empty()) {
    job.queue = default_queue(options);
  } else if (job.queue.starts_with('/') && !options.queues.empty()) {
    job.queue = default_queue(options) + job.queue;
  }
  if (!job.priority) job.priority = 0;
  if (!job.inventory) job.inventory = 1;
  return job;
}

std::optional<BadRequest> check_request(const QueueingOptions& options, const JobRequest& job) {
  if (!job.queue.empty() && !configured_queue(options, job.queue)) {
    return BadRequest{"queue", no_such("queue", job.queue, names_in(options.queues))};
  }
  if (auto bad = check_numbers(job)) return bad;
  if (auto bad = check_resources(options, job)) return bad;
  if (auto bad = check_texts(job)) return bad;
  return job.locks ? check_locks(options.contention, *job.locks) : std::nullopt;
}

std::optional<BadRequest> check_locks(const ContentionOptions& options,
                                      const std::vector<LevelLocks>& locks) {
  std::set<std::string_view> seen;
  std::size_t names = 0;
  for (const LevelLocks& each : locks) {
    if (!has_level(options, each.level)) {
      return BadRequest{field_of("locks", each.level),
                        no_such("lock level", each.level, options.levels)};
    }
    const std::string field = "locks." + each.level;
    if (!seen.insert(each.level).second) return BadRequest{field, "must not be given twice"};
    names += each.shared.size() + each.exclusive.size();
    if (names > kMostLockNames) return BadRequest{field, too_many_locks()};
    for (const auto* list : {&each.shared, &each.exclusive}) {
      if (std::string bad = problem_of_names(*list); !bad.empty()) return BadRequest{field, bad};
    }
  }
  return std::nullopt;
}

std::optional<BadRequest> check_lock_templates(const ContentionOptions& options,
                                               const KeyOptions& key) {
  if (!key.locks) return std::nullopt;
  std::size_t names = 0;
  for (const auto& [level, text] : *key.locks) {
    if (!has_level(options, level)) {
      return BadRequest{field_of("locks", level), no_such("lock level", level, options.levels)};
    }
    const auto checked = check_template(text);
    if (const auto* problem = std::get_if<std::string>(&checked)) {
      return BadRequest{"locks." + level, *problem};
    }
    names += std::get<std::size_t>(checked);
    if (names > kMostLockNames) return BadRequest{"locks." + level, too_many_locks()};
  }
  return std::nullopt;
}

}  // namespace sluice
