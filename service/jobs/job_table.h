#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sqlite/sqlite.h"
#include "service/jobs/job_store.h"

namespace sluice {

/// The tables of `JobStore` in one SQLite file. Every call may throw SqliteError.
class JobTable {
 public:
  /// Opens the file and creates missing tables. Throws NewerState.
  explicit JobTable(const std::string& path);

  /// The same, but read-only, for a disk that accepts no more writes. No other process may have the
  /// file open.
  struct ReadOnly {};
  JobTable(const std::string& path, ReadOnly);

  /// Both clocks at one instant: `now` monotonic, `wall` since 1970.
  struct Clocks {
    TimePoint now;
    Duration wall{0};
  };

  struct Loaded {
    StoredState state;
    std::vector<std::string> unreadable;  ///< One line for each row that is left in place.
  };
  Loaded load(const std::string& boot, const Clocks& clocks);
  bool has_jobs();
  /// Records which boot of the machine the times refer to, unless one is recorded.
  void name_boot(const std::string& boot);
  void store_secret(const std::string& secret) { set_meta("permit_secret", secret); }
  /// Forgets all failed jobs except the last `kRememberedFailures`.
  void trim();
  /// Releases cache memory.
  void release_memory() { database_.run("PRAGMA shrink_memory"); }

  void put(const StoredJob& job, const Clocks& clocks);
  void remove(JobId job, JobStore::End end);
  void renew(const std::vector<std::pair<JobId, TimePoint>>& renewals);
  void replace(const std::string& boot, const std::vector<StoredJob>& jobs,
               const std::vector<JobId>& failed, const Clocks& clocks);

 private:
  void prepare();
  int refuse_newer();
  void reserve(JobId number);
  StoredJob read_job(const Clocks& clocks, StoredState::Boot boot);
  std::string meta(std::string_view name);
  void set_meta(std::string_view name, std::string_view value);

  SqliteDatabase database_;
  std::optional<SqliteStatement> put_, remove_, fail_, rows_;
  std::uint64_t reserved_ = 0;  ///< Numbers up to this one may have been assigned.
};

}  // namespace sluice
