#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sluice/governor.h"
#include "sluice/units.h"

namespace sluice {

/// A process by what tells it from a later one of the same number.
struct LeaseProcess {
  pid_t pid = 0;
  std::uint64_t started = 0;  ///< Clock ticks since boot, as in /proc/PID/stat; 0: not known.

  bool operator==(const LeaseProcess&) const = default;
};

/// What the lease of a kept job hangs on.
struct StoredLease {
  enum class Hold { none, connection };
  Hold hold = Hold::none;
  std::optional<LeaseProcess> process;
  std::optional<Duration> heartbeat;
  TimePoint renewed;  ///< Last sign of life; only read with a heartbeat.

  bool operator==(const StoredLease&) const = default;
};

struct StoredJob {
  FormerJob job;  ///< `job.request.id` is the client's id.
  StoredLease lease;
  std::optional<uid_t> owner;  ///< Whose it is; none: it came over TCP.
  std::size_t bytes = 0;       ///< Of what it declares; set where it was loaded.
};

/// What a store has kept of an earlier life; times are of this boot's monotonic clock.
struct StoredState {
  enum class Boot { same, other };
  std::vector<StoredJob> jobs;  ///< By number.
  JobId last;                   ///< The largest number that may have been given.
  std::vector<JobId> failed;    ///< Jobs that did not end `ok`, oldest first.
  Boot boot = Boot::same;       ///< Whether the machine has been rebooted since.
  std::string permit_secret;    ///< Of the tokens that running commands have; empty: none.
};

/// The state was written by a later version of this program, which may mean other things by it.
struct NewerState : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Keeps the jobs of a daemon beyond its life. What is kept when a call returns survives `kill -9`.
/// No call but `load` throws: where a store fails it says so in `failing`, takes no more, and is
/// given everything again by `replace`. Used on one thread.
class JobStore {
 public:
  enum class End { well, badly };

  virtual ~JobStore() = default;

  /// What was kept; to be called first, and once. Throws NewerState.
  virtual StoredState load() = 0;
  /// A new job, or a changed one in place of the one with its number.
  virtual void put(const StoredJob& job) = 0;
  /// A job that is over.
  virtual void remove(JobId job, End end) = 0;
  /// Signs of life.
  virtual void renew(const std::vector<std::pair<JobId, TimePoint>>& renewals) = 0;
  /// These are all jobs: what else was kept is not alive any more. Tried also where it is failing.
  virtual void replace(const std::vector<StoredJob>& jobs) = 0;

  /// The secret of the tokens that commands are given from now on.
  virtual void keep_secret(const std::string& secret) = 0;

  /// Gives back the memory that caches what is kept.
  virtual void release_memory() = 0;

  /// Why nothing is kept at the moment; none: all is well.
  virtual std::optional<std::string> failing() const = 0;
  /// For people: the file.
  virtual std::string path() const = 0;
};

/// Takes one line for people, on any thread.
using SayState = std::function<void(const std::string& line)>;

/// Jobs in the SQLite database `folder`/jobs.db. One daemon at a time: a second one gets a store
/// that is failing and says who has it. A torn file, or one that is no database, is moved to
/// jobs.db.broken-TIME; where the folder cannot be written or the disk is full the store is
/// failing. `say` is told of all of it. `boot` names this start of the machine.
std::unique_ptr<JobStore> open_job_store(const std::string& folder, std::string boot, SayState say);

}  // namespace sluice
