#include <algorithm>
#include <string>

#include "config/complaint.h"
#include "config/contradictions.h"
#include "config/name_check.h"
#include "sluice/locks.h"

namespace sluice {
namespace {

void expect_known(const std::string& path, const std::string& what, const std::string& name,
                  const std::vector<std::string>& known, Contradictions& found) {
  if (!found.given(path) || std::find(known.begin(), known.end(), name) != known.end()) return;
  found.add(path, path + ": " + unknown_name(what, name, known));
}

void check_queues(const QueueingOptions& options, Contradictions& found) {
  const auto managers = names_in(options.resources);
  for (const auto& [name, queue] : options.queues) {
    const std::string path = path_of_entry("queues", name) + ".resources";
    for (std::size_t i = 0; i < queue.resources.size(); ++i) {
      expect_known(path_of_item(path, i), "resource manager", queue.resources[i], managers, found);
    }
  }
}

void check_key(const QueueingOptions& options, const std::string& path, const KeyOptions& key,
               Contradictions& found) {
  if (key.queue) {
    expect_known(path + ".queue", "queue", *key.queue, names_in(options.queues), found);
  }
  for (const auto& [manager, amount] : key.resources) {
    expect_known(path_of_entry(path + ".resources", manager), "resource manager", manager,
                 names_in(options.resources), found);
  }
  if (!key.locks) return;
  std::size_t names = 0;
  for (const auto& [level, text] : *key.locks) {
    expect_known(path_of_entry(path + ".locks", level), "level", level, options.contention.levels,
                 found);
    names += count_lock_names(text);
  }
  if (names <= kMostLockNames || !found.given(path + ".locks")) return;
  found.add(path + ".locks", path + ".locks must have at most " + std::to_string(kMostLockNames) +
                                 " names across all levels; it has " + std::to_string(names));
}

void check_rules(const std::vector<RuleOptions>& rules, Contradictions& found) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string path = path_of_item("rules", i);
    const bool limits = rules[i].action == RuleOptions::Action::rate_limit;
    if (limits && rules[i].n == 0 && found.given(path + ".do")) {
      found.add(path + ".do", path + " needs `n`, at least 1, with `do: rate_limit`");
    }
    if (!limits && rules[i].n != 0 && found.given(path + ".n") && found.given(path + ".do")) {
      found.add(path + ".n", path + ".n is for `do: rate_limit` only");
    }
  }
}

}  // namespace

void check_queueing(const Config& config, Contradictions& found) {
  const QueueingOptions& options = config.governing.queueing;
  const bool holds = options.contention.mode == ContentionMode::hold;
  if (holds && options.contention.batch && found.given("contention.batch")) {
    found.add("contention.batch",
              "contention.batch must not be true with `mode: hold`, which weighs jobs against "
              "those started in the same pass");
  }
  check_queues(options, found);
  for (const auto& [name, key] : options.keys) {
    check_key(options, path_of_entry("keys", name), key, found);
  }
  check_rules(options.rules, found);
}

}  // namespace sluice
