#pragma once

#include <cstdint>
#include <deque>
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
  void release(const std::vector<ResourceNeed>& needs, std::string_view job_key, JobId holder);

  bool is_highlander(std::uint32_t manager) const;
  /// Whether JQM's name of the environment variable is wanted too.
  bool is_jqm_compatible(std::string_view manager) const;
  /// Whether anything of the manager is held; unknown ones are not.
  bool in_use(std::string_view manager) const;

  /// By key; `waiting` is left at 0.
  std::vector<ResourceStatus> status() const;

 private:
 private:
  struct Item {
    std::string name;
    JobId holder;        ///< 0: nobody.
    bool listed = true;  ///< In the configuration; else it drains.
  };
  struct Manager {
    std::string key;
    ResourceOptions options;
    bool there = true;
    std::int64_t used = 0;    ///< Units held, or running jobs of a highlander.
    std::vector<Item> items;  ///< In the configured order; draining ones last.
    std::int64_t free_items = 0, listed_items = 0;
    std::unordered_map<std::string, int> keys;  ///< Highlander: running jobs by key.
  };

  static void count_items(Manager& manager);
  static void reconfigure_items(Manager& manager, const std::vector<std::string>& names);
  const Manager* find(std::string_view key) const;

  std::deque<Manager> managers_;  ///< By number; never moved.
};

}  // namespace sluice
