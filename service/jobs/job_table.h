#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "costmodel/sqlite.h"
#include "service/jobs/job_store.h"

namespace sluice {

/// The tables of `JobStore` in one SQLite file. Everything throws SqliteError.
class JobTable {
 public:
  /// Opens the file and makes the tables where there are none. Throws NewerState.
  explicit JobTable(const std::string& path);

  /// The same, only to be read: of a disk that takes nothing more. Nobody else may have it open.
  struct ReadOnly {};
  JobTable(const std::string& path, ReadOnly);

  /// Both clocks at one instant: `now` monotonic, `wall` since 1970.
  struct Clocks {
    TimePoint now;
    Duration wall{0};
  };

  struct Loaded {
    StoredState state;
    std::vector<std::string> unreadable;  ///< One line for each row that is left where it is.
  };
  Loaded load(const std::string& boot, const Clocks& clocks);
  bool has_jobs();
  /// Notes which start of the machine the times are of, where nothing is noted yet.
  void name_boot(const std::string& boot);
  void keep_secret(const std::string& secret) { set_meta("permit_secret", secret); }
  /// Forgets all but the last `kRememberedFailures` failed jobs.
  void trim();
  /// Gives back what is cached.
  void release_memory();

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
  std::uint64_t reserved_ = 0;  ///< Numbers up to this one may have been given.
};

}  // namespace sluice
