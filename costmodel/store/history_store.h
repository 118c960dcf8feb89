#pragma once

#include <functional>
#include <memory>
#include <string>

#include "costmodel/history.h"

namespace sluice {

/// Receives one line for people: what cannot be stored, and what was done about it. Called on any
/// thread.
using SayLine = std::function<void(const std::string& line)>;

/// Samples in the SQLite database `folder`/history.db, which any number of processes may share;
/// creates the folder if needed. A thread of its own writes, so that no caller waits for a disk;
/// the destructor writes the last samples.
///
/// No failure is fatal: a file that is not a database, or a torn one, is moved aside to
/// history.db.broken-TIME; if the folder is not writable or the disk is full, everything continues
/// in memory. `say` gets a line.
std::shared_ptr<SampleStore> open_history_store(const std::string& folder, SayLine say);

/// The same file for a program that reads it or forgets in it, and adds no sample, since none would
/// be written. A file that cannot be used, as one of a newer version, throws std::runtime_error
/// from `load` and `forget`, with one line that names it.
std::shared_ptr<SampleStore> open_stored_history(const std::string& folder, SayLine say);

}  // namespace sluice
