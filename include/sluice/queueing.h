#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// How predicted lock contention is used: not at all; to sort pending jobs (Ganeti); or also to
/// hold back a job that would certainly block.
enum class ContentionMode { off, order, hold };

/// The locks assumed for a job that declares no `locks`.
enum class Undeclared { none, all_exclusive };

/// How likely a pending job's lock blocks on a running job's, in tenths. Rows are the pending job's
/// modes, columns the running job's, in the order of `kModes`. Shared and exclusive have two
/// columns: sets that intersect and sets that do not. Source: the comparison table of Ganeti's
/// "Predictive Queue System".
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
  static constexpr std::array<std::string_view, kRows> kModes{
      "none",         "shared", "unknown-shared", "all-shared", "exclusive", "unknown-exclusive",
      "all-exclusive"};
  /// Each 0 to 1000. A hit weighs at least as much as a miss.
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

/// How pending jobs are weighted: weight = SPV x max(0, 1 - age / aging_ticks), lower first, where
/// SPV = base + the sum over the levels of the worst value against any running job.
struct ContentionOptions {
  ContentionMode mode = ContentionMode::order;
  std::vector<std::string> levels{"node_group", "instance", "node", "node_resource",
                                  "network"};  ///< At most 16.
  int base_tenths = 10;                        ///< 0 to 1000; 10 is 1.0.
  Duration tick = std::chrono::seconds(30);    ///< Age counts in whole ticks; > 0.
  /// Ticks after which a job's weight is 0 and it goes first; 0: at once. nullopt: jobs do not age.
  std::optional<int> aging_ticks = 30;
  Undeclared undeclared = Undeclared::none;
  bool batch = false;  ///< Compute weights once per pass, as Ganeti does; mode order only.
  bool boosts_priority = false;  ///< A job with saturated age precedes every priority.
  LockTable table;

  bool operator==(const ContentionOptions&) const = default;
};

/// Default of `QueueOptions::backfill`; under `rfc` it is 0.
inline constexpr int kAdaptiveBackfill = 16;

/// One queue.
struct QueueOptions {
  std::vector<std::string> resources;  ///< Managers that every job of the queue needs.
  bool paused = false;                 ///< Initial state; `pause_queue` changes it later.
  /// Most jobs short only of window or memory that one pass lets others overtake; nullopt: 16,
  /// 0 under `rfc`.
  std::optional<int> backfill;

  bool operator==(const QueueOptions&) const = default;
};

/// The effect of a shortage on the queue of the job that is short.
enum class Shortage {
  block,  ///< Ends the queue's turn; the manager counts as full for all: the job is next.
  skip    ///< The job is passed over and the pass tries the next one.
};

/// A resource manager: something that jobs hold while they run. Source: JQM's resource managers.
struct ResourceOptions {
  enum class Kind { quantity, discrete, highlander };
  Kind kind = Kind::quantity;
  std::int64_t total = 10;  ///< quantity: the amount available; >= 0.
  /// discrete: the items' names, in the order they are handed out.
  std::vector<std::string> items{"item01", "item02", "item03", "item04", "item05",
                                 "item06", "item07", "item08", "item09", "item10"};
  /// Need of a job that declares none; nullopt: 1 for a quantity, 0 items.
  std::optional<std::int64_t> consumption;
  std::optional<Shortage> shortage;  ///< nullopt: block; for a highlander skip.
  bool jqm_compatible = false;       ///< discrete: also set the variable under JQM's name.

  bool operator==(const ResourceOptions&) const = default;
};

/// Defaults for the jobs of a key.
struct KeyOptions {
  std::optional<std::string> queue;
  std::optional<int> priority;
  std::optional<int> inventory;
  std::optional<int> nice;
  std::optional<Points> cost;
  std::map<std::string, std::int64_t> resources;  ///< Consumption by manager.
  /// Locks by level, in the syntax of `parse_locks`, with `{param}` for a job's parameters.
  std::optional<std::map<std::string, std::string>> locks;
  bool global_lock = false;

  bool operator==(const KeyOptions&) const = default;
};

/// A filter rule. The first rule that matches and is not `continue` applies. Source: Ganeti's job
/// filters.
struct RuleOptions {
  enum class Action { accept, pause, reject, rate_limit, pass_on };  ///< pass_on: "continue"
  /// All given patterns must match. `*` and `?` are wildcards; `id` also takes ">12" and "<12",
  /// which compare with the governor's own number. `reason` matches any of the job's reasons.
  std::optional<std::string> id, key, queue, reason;
  Action action = Action::accept;
  int n = 0;  ///< rate_limit: most jobs under this rule that may run at once; >= 1.

  bool operator==(const RuleOptions&) const = default;
};

/// How jobs wait, and for what.
struct QueueingOptions {
  ContentionOptions contention;
  std::map<std::string, QueueOptions> queues{{"default", {}}};  ///< By name; at least one.
  std::map<std::string, ResourceOptions> resources;             ///< By key.
  std::map<std::string, KeyOptions> keys;                       ///< By the job's key.
  std::vector<RuleOptions> rules;
  /// Total of the memory that declaring jobs may hold; nullopt: unlimited. Set by replays only.
  std::optional<Bytes> declared_memory;

  bool operator==(const QueueingOptions&) const = default;
};

}  // namespace sluice
