#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sluice/job.h"
#include "sluice/queueing.h"
#include "sluice/status.h"

namespace sluice {

/// So much of one manager; `manager` is its number, which stays the same over `reconfigure`.
struct ResourceNeed {
  std::uint32_t manager = 0;
  std::int64_t amount = 0;

  auto operator<=>(const ResourceNeed&) const = default;
};

/// The resource managers and what of them is held. Checking and booking are apart, so that a job
/// books all it needs or nothing. Not thread-safe.
class Resources {
 public:
  explicit Resources(const std::map<std::string, ResourceOptions>& options);

  /// New options; what is held stays held. A manager may shrink below what is in use: then its
  /// free amount is negative until jobs end. A removed item drains; an item that is put back while
  /// still held is not free. A manager that went keeps its number until nothing is held.
  void reconfigure(const std::map<std::string, ResourceOptions>& options);

  /// What a completed job needs: the managers that its queue lists, with their consumption, and
  /// those it names, with what it names. Amounts of 0 are left out, and highlanders where the job
  /// has no key (a job without a key has its own). Sorted by number. Every name must be known.
  std::vector<ResourceNeed> needs_of(const JobRequest& job, const QueueOptions& queue) const;

  /// One need as it stands. `is_short`: less is free than needed. For a highlander 1 is needed of
  /// 1, and free is 0 while a job of that key runs.
  struct Standing {
    std::string_view manager;  ///< Lives as long as this object.
    std::int64_t needs = 0, free = 0, total = 0;
    bool is_short = false;
    bool blocks = false;         ///< `shortage: block`.
    bool is_impossible = false;  ///< More than there is at all, now.
  };
  Standing standing(const ResourceNeed& need, std::string_view job_key) const;

  /// Books all needs, which `standing` must have found not short; items come in the manager's
  /// order, lowest first.
  std::vector<HeldItems> book(const std::vector<ResourceNeed>& needs, std::string_view job_key,
                              JobId holder);
  /// Books what a job holds that was admitted before this object was: the amounts of `needs`, short
  /// or not, but of discrete managers exactly `items`, after which `needs` is changed. An item that
  /// is not configured drains; one that somebody else holds stays with that one.
  std::vector<HeldItems> adopt(std::vector<ResourceNeed>& needs, std::string_view job_key,
                               JobId holder, const std::vector<HeldItems>& items);
  void release(const std::vector<ResourceNeed>& needs, std::string_view job_key, JobId holder);

  bool is_highlander(std::uint32_t manager) const;
  /// Whether JQM's name of the environment variable is wanted too.
  bool is_jqm_compatible(std::string_view manager) const;
  /// Whether anything of the manager is held, also of one that went; of unknown ones nothing is.
  bool in_use(std::string_view manager) const;

  /// Those of the configuration, by key; `waiting` is left at 0.
  std::vector<ResourceStatus> status() const;

 private:
  struct Item {
    std::string name;
    JobId holder;        ///< 0: nobody.
    bool listed = true;  ///< In the configuration; else it drains.
  };
  struct KeyHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using CountByKey = std::unordered_map<std::string, std::int64_t, KeyHash, std::equal_to<>>;

  /// A manager whose kind changes becomes another one, so that what is held is released as booked.
  struct Manager {
    std::string key;
    ResourceOptions::Kind kind = ResourceOptions::Kind::quantity;
    std::int64_t total = 0;   ///< Units, listed items, 1 of a highlander; 0 of one that went.
    std::int64_t free = 0;    ///< Units or listed items; nothing for a highlander.
    std::int64_t used = 0;    ///< Units, items, also draining ones, or jobs of a highlander.
    std::vector<Item> items;  ///< In the configured order, draining ones last.
    CountByKey running;       ///< Highlander: running jobs by key.
    std::int64_t consumption = 0;
    bool blocks = true;
    bool jqm_compatible = false;
  };

  static void apply(const ResourceOptions& options, Manager& manager);
  static void retire(Manager& manager);
  static void list_items(const std::vector<std::string>& names, Manager& manager);
  static HeldItems take_items(Manager& manager, std::int64_t amount, JobId holder);
  static HeldItems take_named(Manager& manager, const std::vector<std::string>& names,
                              JobId holder);
  static void return_items(Manager& manager, JobId holder);
  const Manager* find(std::string_view key) const;
  void add_need(std::string_view key, const std::int64_t* amount, const JobRequest& job,
                std::vector<ResourceNeed>& needs) const;

  std::deque<Manager> managers_;                               ///< By number; none ever goes.
  std::unordered_map<std::string_view, std::uint32_t> known_;  ///< Those of the configuration.
};

}  // namespace sluice
