#pragma once

#include <optional>

#include "sluice/job.h"
#include "sluice/queueing.h"

namespace sluice {

/// The job with what its key's definition adds where the job says nothing: queue, priority,
/// inventory, nice, cost, memory stays the job's, consumption of managers one by one, and locks.
/// A template's `{name}` is filled from the job's `params`; where a parameter is missing (or its
/// value is no name) that mode widens to its unknown form, never to none. What is still open then
/// gets the defaults, so queue, priority and inventory are set; `locks` stays none for
/// `Undeclared`. Parameters of ascending precedence: default, manager, key, job. Pure; expects what
/// `check_request` finds no fault with.
JobRequest complete(const QueueingOptions& options, JobRequest job);

/// The first thing in a request that cannot be taken as it stands, or none: a queue, level or
/// manager that is not there, a negative amount, a name that is too long, too many names, a `nice`
/// or `inventory` out of range, a level or manager given twice, more than 1000 reasons or params or
/// one of more than 1024 bytes. Messages go on where the field ends, or say what there is. Pure.
std::optional<BadRequest> check_request(const QueueingOptions& options, const JobRequest& job);

/// The same for the locks of a job or a change.
std::optional<BadRequest> check_locks(const ContentionOptions& options,
                                      const std::vector<LevelLocks>& locks);

/// What is wrong with a definition's locks: an unknown level, or a text that `parse_locks` would
/// refuse whatever the parameters are; none: nothing. `field` is "locks.<level>".
std::optional<BadRequest> check_lock_templates(const ContentionOptions& options,
                                               const KeyOptions& key);

}  // namespace sluice
