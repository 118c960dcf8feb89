#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/job.h"
#include "sluice/queueing.h"

namespace sluice {

/// The job completed by its key's definition where the job leaves something open: queue, priority,
/// inventory, nice, cost, consumption of each manager, and locks; memory is never added. A
/// template's `{name}` is filled in from the job's `params`; if a parameter is missing (or its
/// value is not a valid name) that mode widens to its unknown form, never to none. Fields still
/// open then get the defaults, so queue, priority and inventory are set; `locks` stays nullopt for
/// `Undeclared`. Precedence, ascending: default, manager, key, job. Pure; expects a request that
/// passes `check_request`.
JobRequest complete(const QueueingOptions& options, JobRequest job);

/// The first error in a request, or nullopt: an unknown queue, level or manager, a negative amount,
/// a name that is too long, too many names, a number (`nice`, `priority`, `inventory`, `cost`,
/// `memory`) out of range,
/// a level or manager given twice, more than 1000 reasons or params or one of more than 1024 bytes.
/// Messages continue where the field ends, or list what exists. Pure.
std::optional<BadRequest> check_request(const QueueingOptions& options, const JobRequest& job);

/// Whether a priority, or an inventory, is within the bounds of `JobRequest`.
constexpr bool is_possible_priority(int priority) {
  return priority >= -kMostPriority && priority <= kMostPriority;
}
constexpr bool is_possible_inventory(int nodes) { return nodes >= 0 && nodes <= kMostInventory; }

/// Whether cost, priority and inventory pass `check_request`: all that it checks of a job without
/// names.
inline bool has_possible_numbers(const JobRequest& job) {
  return (!job.cost || *job.cost >= Points{1}) && is_possible_priority(job.priority.value_or(0)) &&
         is_possible_inventory(job.inventory.value_or(0));
}

/// The same check for the locks of a job or a change.
std::optional<BadRequest> check_locks(const ContentionOptions& options,
                                      const std::vector<LevelLocks>& locks);

/// The error in a definition's locks: an unknown level, or a text that `parse_locks` would reject
/// whatever the parameters are; nullopt if there is none. `field` is "locks.<level>".
std::optional<BadRequest> check_lock_templates(const ContentionOptions& options,
                                               const KeyOptions& key);

/// The configured queue to which the name of a queue or a branch leads, such as "nightly" for
/// "nightly/17"; nullopt if there is none. Pure.
std::optional<std::string> configured_queue(const QueueingOptions& options, std::string_view name);

}  // namespace sluice
