#include "governor/definitions.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace sluice {
namespace {

/// "there are a, b" for a message.
template <typename Names>
std::string there_are(const Names& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "there are none" : "there are " + text;
}

template <typename Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

/// The template with its parameters filled in; none: one is missing, or its value is no name.
std::optional<std::string> fill(std::string_view text,
                                const std::map<std::string, std::string>& params) {
  std::string filled;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    filled += text.substr(0, open);
    if (open == text.npos) break;
    const std::size_t close = text.find('}', open);
    if (close == text.npos) return std::nullopt;
    const auto param = params.find(std::string(text.substr(open + 1, close - open - 1)));
    if (param == params.end() || !problem_of_name(param->second).empty()) return std::nullopt;
    filled += param->second;
    text.remove_prefix(close + 1);
  }
  return filled;
}

/// One mode of a template, widened where a parameter is missing.
std::string fill_mode(std::string_view mode, const std::map<std::string, std::string>& params) {
  const std::size_t colon = mode.find(':');
  if (auto filled = fill(mode, params)) return *filled;
  return "unknown-" + std::string(mode.substr(0, colon));
}

LevelLocks fill_level(const std::string& level, std::string_view text,
                      const std::map<std::string, std::string>& params) {
  std::string filled;
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    filled += fill_mode(text.substr(0, blank), params) + " ";
    text.remove_prefix(blank == text.npos ? text.size() : blank + 1);
  }
  auto locks = parse_locks(level, filled);
  if (auto* parsed = std::get_if<LevelLocks>(&locks)) return std::move(*parsed);
  // Checked definitions do not come here; whatever it meant, this is the safe side.
  LevelLocks all;
  all.level = level;
  all.all_exclusive = true;
  return all;
}

void add_resources(const KeyOptions& key, JobRequest& job) {
  for (const auto& [manager, amount] : key.resources) {
    const bool said =
        std::any_of(job.resources.begin(), job.resources.end(),
                    [&, &name = manager](const auto& each) { return each.manager == name; });
    if (!said) job.resources.push_back({manager, amount});
  }
}

std::optional<BadRequest> check_resources(const QueueingOptions& options, const JobRequest& job) {
  std::set<std::string_view> seen;
  for (const ResourceDemand& demand : job.resources) {
    const std::string field = "resources." + demand.manager;
    if (!options.resources.contains(demand.manager)) {
      return BadRequest{field, "there is no resource manager `" + demand.manager + "`; " +
                                   there_are(keys_of(options.resources))};
    }
    if (demand.amount < 0) {
      return BadRequest{field, "must not be negative, but is " + std::to_string(demand.amount)};
    }
    if (!seen.insert(demand.manager).second) return BadRequest{field, "is given twice"};
  }
  return std::nullopt;
}

}  // namespace

JobRequest complete(const QueueingOptions& options, JobRequest job) {
  const auto found = options.keys.empty() ? options.keys.end() : options.keys.find(job.key);
  if (found != options.keys.end()) {
    const KeyOptions& key = found->second;
    if (job.queue.empty()) job.queue = key.queue.value_or("");
    if (!job.priority) job.priority = key.priority;
    if (!job.inventory) job.inventory = key.inventory;
    if (!job.nice) job.nice = key.nice;
    if (!job.cost) job.cost = key.cost;
    add_resources(key, job);
    const bool says_locks = job.locks || job.global_lock;
    if (!says_locks && key.locks) {
      job.locks.emplace();
      for (const auto& [level, text] : *key.locks) {
        job.locks->push_back(fill_level(level, text, job.params));
      }
    }
    if (!says_locks) job.global_lock = key.global_lock;
  }
  if (job.queue.empty() && !options.queues.empty()) {
    job.queue = options.queues.contains("default") ? "default" : options.queues.begin()->first;
  }
  if (!job.priority) job.priority = 0;
  if (!job.inventory) job.inventory = 1;
  return job;
}

std::optional<BadRequest> check_request(const QueueingOptions& options, const JobRequest& job) {
  if (!job.queue.empty() && !options.queues.contains(job.queue)) {
    return BadRequest{
        "queue", "there is no queue `" + job.queue + "`; " + there_are(keys_of(options.queues))};
  }
  if (job.nice && (*job.nice < -20 || *job.nice > 19)) {
    return BadRequest{"nice", "must be from -20 to 19, but is " + std::to_string(*job.nice)};
  }
  if (job.inventory && *job.inventory < 0) {
    return BadRequest{"inventory", "must not be negative"};
  }
  if (auto bad = check_resources(options, job)) return bad;
  return job.locks ? check_locks(options.contention, *job.locks) : std::nullopt;
}

std::optional<BadRequest> check_locks(const ContentionOptions& options,
                                      const std::vector<LevelLocks>& locks) {
  std::set<std::string_view> seen;
  std::size_t names = 0;
  for (const LevelLocks& level : locks) {
    const std::string field = "locks." + level.level;
    if (std::find(options.levels.begin(), options.levels.end(), level.level) ==
        options.levels.end()) {
      return BadRequest{
          field, "there is no lock level `" + level.level + "`; " + there_are(options.levels)};
    }
    if (!seen.insert(level.level).second) return BadRequest{field, "is given twice"};
    for (const auto* list : {&level.shared, &level.exclusive}) {
      names += list->size();
      for (const std::string& name : *list) {
        const std::string problem = problem_of_name(name);
        if (!problem.empty()) return BadRequest{field, problem};
      }
    }
    if (names > kMostLockNames) {
      return BadRequest{field, "names more locks than the " + std::to_string(kMostLockNames) +
                                   " that one job may"};
    }
  }
  return std::nullopt;
}

std::optional<BadRequest> check_lock_templates(const ContentionOptions& options,
                                               const KeyOptions& key) {
  if (!key.locks) return std::nullopt;
  for (const auto& [level, text] : *key.locks) {
    std::vector<LevelLocks> one(1);
    one.front().level = level;
    if (auto bad = check_locks(options, one)) return bad;
    // Any parameter will do to see whether the text holds.
    std::string filled;
    bool inside = false;
    for (const char c : text) {
      if (c == '{') filled += 'x';
      inside = c == '{' || (inside && c != '}');
      if (!inside && c != '}') filled += c;
    }
    const auto parsed = parse_locks(level, filled);
    if (inside) return BadRequest{"locks." + level, "a `{` has no `}`"};
    if (const auto* problem = std::get_if<std::string>(&parsed)) {
      return BadRequest{"locks." + level, *problem};
    }
  }
  return std::nullopt;
}

}  // namespace sluice
