#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sluice/job.h"
#include "sluice/queueing.h"
#include "sluice/status.h"

namespace sluice {

/// An amount of one manager; `manager` is its number, which `reconfigure` preserves.
struct ResourceNeed {
  std::uint32_t manager = 0;
  std::int64_t amount = 0;

  auto operator<=>(const ResourceNeed&) const = default;
};

/// What is held of a manager, by number.
struct SavedManager {
  struct Item {
    std::string name;
    JobId holder;
  };
  std::string key;
  ResourceOptions::Kind kind = ResourceOptions::Kind::quantity;
  std::int64_t used = 0;
  std::vector<Item> items;                      ///< The held ones.
  std::map<std::string, std::int64_t> running;  ///< Highlander: running jobs by key.
};

/// The resource managers and what is held of them. Checking and booking are separate, so that a job
/// books everything it needs or nothing. Not thread-safe.
class Resources {
 public:
  explicit Resources(const std::map<std::string, ResourceOptions>& options);

  /// New options; held amounts stay held. A manager may shrink below its usage: then its free
  /// amount is negative until jobs end. A removed item drains; an item added back while still held
  /// is not free. A removed manager keeps its number until nothing of it is held.
  void reconfigure(const std::map<std::string, ResourceOptions>& options);

  /// All that there are or were, by number.
  std::vector<SavedManager> saved() const;
  /// Those of another object, with its options. Refusals may still point at earlier names.
  void restore(const std::vector<SavedManager>& saved,
               const std::map<std::string, ResourceOptions>& options);

  /// The needs of a completed job: the managers that its queue lists, with their consumption, and
  /// those the job names, with its amounts. Omits amounts of 0, and highlanders if the job has no
  /// key (such a job has its own). Sorted by number. Every name must be known.
  std::vector<ResourceNeed> needs_of(const JobRequest& job, const QueueOptions& queue) const;

  /// The current state of one need. `is_short`: less is free than needed. For a highlander 1 is
  /// needed of 1, and free is 0 while a job of that key runs.
  struct Standing {
    std::string_view manager;  ///< Valid as long as this object.
    std::int64_t needs = 0, free = 0, total = 0;
    bool is_short = false;
    bool blocks = false;         ///< `shortage: block`.
    bool is_impossible = false;  ///< More than the total, now.
  };
  Standing standing(const ResourceNeed& need, std::string_view job_key) const;

  /// Books all needs, none of which may be short by `standing`; items are assigned in the manager's
  /// order, lowest first.
  std::vector<HeldItems> book(const std::vector<ResourceNeed>& needs, std::string_view job_key,
                              JobId holder);
  /// Books the holdings of a job admitted before this object was created: the amounts of `needs`,
  /// short or not, but of discrete managers exactly `items`, and adapts `needs` to them. An item
  /// that is not configured drains; an item held by another job stays with that job.
  std::vector<HeldItems> adopt(std::vector<ResourceNeed>& needs, std::string_view job_key,
                               JobId holder, const std::vector<HeldItems>& items);
  void release(const std::vector<ResourceNeed>& needs, std::string_view job_key, JobId holder);

  bool is_highlander(std::uint32_t manager) const;
  /// Whether any of the manager is held, including a removed one; false for an unknown one.
  bool in_use(std::string_view manager) const;

  /// The configured managers, by key; `waiting` is left at 0.
  std::vector<ResourceStatus> status() const;

 private:
  struct Item {
    std::string name;
    JobId holder;        ///< 0 if it is free.
    bool listed = true;  ///< In the configuration; else it drains.
  };
  struct KeyHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using CountByKey = std::unordered_map<std::string, std::int64_t, KeyHash, std::equal_to<>>;

  /// A manager whose kind changes gets a new entry, so that held amounts are released as booked.
  struct Manager {
    std::string_view key;  ///< In `keys_`.
    ResourceOptions::Kind kind = ResourceOptions::Kind::quantity;
    std::int64_t total = 0;   ///< Units, listed items, 1 for a highlander; 0 if removed.
    std::int64_t free = 0;    ///< Units or listed items; unused for a highlander.
    std::int64_t used = 0;    ///< Units, items (also draining ones), or a highlander's jobs.
    std::vector<Item> items;  ///< In the configured order, draining ones last.
    CountByKey running;       ///< Highlander: running jobs by key.
    std::int64_t consumption = 0;
    bool blocks = true;
  };

  static void apply(const ResourceOptions& options, Manager& manager);
  static void retire(Manager& manager);
  static void list_items(const std::vector<std::string>& names, Manager& manager);
  static HeldItems take_items(Manager& manager, std::int64_t amount, JobId holder);
  static HeldItems take_named(Manager& manager, const std::vector<std::string>& names,
                              JobId holder);
  static void return_items(Manager& manager, JobId holder);
  void add_need(std::string_view key, const std::int64_t* amount, const JobRequest& job,
                std::vector<ResourceNeed>& needs) const;

  std::set<std::string, std::less<>> keys_;                    ///< All that there ever were.
  std::vector<Manager> managers_;                              ///< By number.
  std::unordered_map<std::string_view, std::uint32_t> known_;  ///< The configured ones.
};

}  // namespace sluice
