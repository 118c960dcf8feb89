#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// What predicted lock contention does: nothing; sort pending jobs (Ganeti); or also keep back a
/// job that would certainly block.
enum class ContentionMode { off, order, hold };

/// What a job without any `locks` is taken to lock.
enum class Undeclared { none, all_exclusive };

/// How likely a pending job's lock blocks on a running job's, in tenths: the rows are the pending
/// job's modes, the columns the running job's, in the order none, shared, unknown-shared,
/// all-shared, exclusive, unknown-exclusive, all-exclusive; shared and exclusive have two columns,
/// for sets that intersect and that do not. Source: the comparison table of Ganeti's "Predictive
/// Queue System".
struct LockTable {
  static constexpr std::size_t kRows = 7;
  static constexpr std::size_t kColumns = 9;
  enum Column : std::size_t {
    none,
    shared_hit,
    shared_miss,
    unknown_shared,
    all_shared,
    exclusive_hit,
    exclusive_miss,
    unknown_exclusive,
    all_exclusive
  };
  /// Each 0 to 1000. A hit weighs at least what a miss does.
  std::array<std::array<std::int16_t, kColumns>, kRows> tenths{{
      {0, 0, 0, 0, 0, 0, 0, 0, 0},
      {3, 0, 0, 0, 0, 30, 3, 15, 30},
      {3, 3, 3, 3, 3, 15, 15, 15, 30},
      {3, 3, 3, 3, 3, 30, 30, 30, 30},
      {5, 30, 5, 15, 30, 30, 5, 15, 30},
      {5, 15, 15, 15, 30, 15, 15, 15, 30},
      {5, 30, 30, 30, 30, 30, 30, 30, 30},
  }};

  bool operator==(const LockTable&) const = default;
};

/// How pending jobs are weighed: weight = SPV x max(0, 1 - age / aging_ticks), lower first, with
/// SPV = base + the sum over the levels of the worst value against any running job.
struct ContentionOptions {
  ContentionMode mode = ContentionMode::order;
  std::vector<std::string> levels{"node_group", "instance", "node", "node_resource",
                                  "network"};  ///< At most 16.
  int base_tenths = 10;                        ///< 0 to 1000; 10 is 1.0.
  Duration tick = std::chrono::seconds(30);    ///< Age counts in whole ticks; > 0.
  /// Ticks after which a job weighs nothing and is first; 0: at once. None: jobs do not age.
  std::optional<int> aging_ticks = 30;
  Undeclared undeclared = Undeclared::none;
  bool batch = false;            ///< Weigh once per pass, as Ganeti does; mode order only.
  bool boosts_priority = false;  ///< A job whose age is saturated goes before every priority.
  LockTable table;

  bool operator==(const ContentionOptions&) const = default;
};

/// Default of `QueueOptions::backfill` under the adaptive law; under rfc it is 0.
inline constexpr int kAdaptiveBackfill = 16;

/// One queue.
struct QueueOptions {
  std::vector<std::string> resources;  ///< Managers that every job of the queue needs.
  bool paused = false;                 ///< At the start; `pause_queue` changes it later.
  /// Jobs short of nothing but the window that others may pass, per pass; none: 16 under
  /// `adaptive`, 0 under `rfc`.
  std::optional<int> backfill;

  bool operator==(const QueueOptions&) const = default;
};

/// What a shortage of a manager does to the queue of the job that is short.
enum class Shortage {
  block,  ///< The queue is done for the pass and the manager full for all: the job is next.
  skip    ///< The job is passed over, the next one is looked at.
};

/// A resource manager: something that jobs hold while they run. Source: JQM's resource managers.
struct ResourceOptions {
  enum class Kind { quantity, discrete, highlander };
  Kind kind = Kind::quantity;
  std::int64_t total = 10;  ///< quantity: how much there is; >= 0.
  /// discrete: the items by name, in the order they are handed out.
  std::vector<std::string> items{"item01", "item02", "item03", "item04", "item05",
                                 "item06", "item07", "item08", "item09", "item10"};
  /// What a job needs that does not say; none: 1 of a quantity, 0 items.
  std::optional<std::int64_t> consumption;
  std::optional<Shortage> shortage;  ///< None: block; highlander: skip.
  bool jqm_compatible = false;       ///< discrete: also JQM's name of the environment variable.

  bool operator==(const ResourceOptions&) const = default;
};

/// What jobs of a key get unless they say otherwise.
struct KeyOptions {
  std::optional<std::string> queue;
  std::optional<int> priority;
  std::optional<int> inventory;
  std::optional<int> nice;
  std::optional<Points> cost;
  std::map<std::string, std::int64_t> resources;  ///< Consumption by manager.
  /// Locks by level, as `parse_locks` reads them, with `{param}` for a job's parameters.
  std::optional<std::map<std::string, std::string>> locks;
  bool global_lock = false;

  bool operator==(const KeyOptions&) const = default;
};

/// A filter rule. The first in the list that matches and is not `continue` applies. Source:
/// Ganeti's job filters.
struct RuleOptions {
  enum class Action { accept, pause, reject, rate_limit, pass_on };  ///< pass_on: "continue"
  /// All that are given must match. `*` and `?` are wildcards; `id` also takes ">12" and "<12",
  /// which compare with the governor's own number. `reason`: any of the job's reasons.
  std::optional<std::string> id, key, queue, reason;
  Action action = Action::accept;
  int n = 0;  ///< rate_limit: jobs that may run side by side to which this rule applies; >= 1.

  bool operator==(const RuleOptions&) const = default;
};

/// How jobs wait and what they wait for.
struct QueueingOptions {
  ContentionOptions contention;
  std::map<std::string, QueueOptions> queues{{"default", {}}};  ///< By name; at least one.
  std::map<std::string, ResourceOptions> resources;             ///< By key.
  std::map<std::string, KeyOptions> keys;                       ///< By the job's key.
  std::vector<RuleOptions> rules;
  /// Memory that jobs which declare theirs may hold together; none: unlimited. Only replays set it.
  std::optional<Bytes> declared_memory;

  bool operator==(const QueueingOptions&) const = default;
};

}  // namespace sluice
