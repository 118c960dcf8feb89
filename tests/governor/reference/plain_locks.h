#pragma once

#include <vector>

#include "sluice/locks.h"
#include "sluice/queueing.h"

namespace sluice::reference {

/// A job's locks, level by level in the order of the configuration. A level that the job does not
/// name is none; `undeclared` decides for a job that declares nothing at all.
std::vector<LevelLocks> spread(const ContentionOptions& options,
                               const std::optional<std::vector<LevelLocks>>& declared);

/// How likely a pending job's locks on one level block on one running job's, in tenths: the largest
/// cell of any of its modes with any mode of the running job.
int value(const LockTable& table, const LevelLocks& pending, const LevelLocks& running);

/// The largest cell of the table: a certain conflict.
int certain(const LockTable& table);

}  // namespace sluice::reference
