#include "service/jobs/job_checkpoint.h"

#include <utility>

#include "base/blocked_signals.h"
#include "base/sqlite/sqlite.h"

namespace sluice {
namespace {

/// A row usually takes one 4 KiB page of the log: 16 MiB.
constexpr std::size_t kRowsBetween = 4096;

/// With more pages than this in the log, a checkpoint blocks writers for a moment so that the log
/// can restart: under steady load it would never be checkpointed to its end.
constexpr std::int64_t kLongLog = 16384;

constexpr int kBusyMilliseconds = 2000;

}  // namespace

JobCheckpoint::JobCheckpoint(std::string path) : path_(std::move(path)) {
  // Leave signals to the threads that wait for them.
  const BlockedSignals blocked;
  thread_ = std::thread([this] { work(); });
}

JobCheckpoint::~JobCheckpoint() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  due_.notify_one();
  thread_.join();
}

void JobCheckpoint::wrote(std::size_t rows) {
  const std::lock_guard lock(mutex_);
  written_ += rows;
  if (written_ >= kRowsBetween) due_.notify_one();
}

void JobCheckpoint::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    due_.wait(lock, [this] { return stopping_ || written_ >= kRowsBetween; });
    if (stopping_) return;
    written_ = 0;
    lock.unlock();
    try {
      checkpoint();
    } catch (const SqliteError&) {
      // The writer meets the same disk and reports it.
    }
    lock.lock();
  }
}

void JobCheckpoint::checkpoint() const {
  SqliteDatabase database(path_, kBusyMilliseconds);
  database.run("PRAGMA synchronous = NORMAL");
  std::int64_t pages = 0;
  {
    SqliteStatement folded = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
    if (folded.next()) pages = folded.whole(1);
  }
  if (pages > kLongLog) database.run("PRAGMA wal_checkpoint(RESTART)");
}

}  // namespace sluice
