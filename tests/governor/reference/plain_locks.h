#pragma once

#include <vector>

#include "sluice/locks.h"
#include "sluice/queueing.h"

namespace sluice::reference {

/// What a job locks, level by level in the order of the configuration. A level that the job does
/// not name is none; a job that declares nothing at all is taken as `undeclared` says.
std::vector<LevelLocks> spread(const ContentionOptions& options,
                               const std::optional<std::vector<LevelLocks>>& declared);

/// How likely a pending job's locks on one level block on one running job's, in tenths: the
/// largest cell that any of the one's modes has with any of the other's.
int value(const LockTable& table, const LevelLocks& pending, const LevelLocks& running);

/// The largest cell of the table: a conflict that is certain.
int certain(const LockTable& table);

}  // namespace sluice::reference
