#pragma once

#include <functional>
#include <memory>
#include <string>

#include "costmodel/history.h"

namespace sluice {

/// Takes one line for people: what cannot be kept, and what was done about it. Called on any
/// thread.
using SayLine = std::function<void(const std::string& line)>;

/// Samples in the SQLite database `folder`/history.db, which any number of processes may share; the
/// folder is made where there is none. Writing is left to a thread of its own, so that nobody who
/// learns waits for a disk; the last samples are written when the store goes.
///
/// Nothing is ever fatal: a file that is no database, or a torn one, is moved aside to
/// history.db.broken-TIME; where the folder cannot be written, or the disk is full, everything
/// goes on in memory. `say` is told.
std::shared_ptr<SampleStore> open_history_store(const std::string& folder, SayLine say);

}  // namespace sluice
