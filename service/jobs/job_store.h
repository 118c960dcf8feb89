#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "service/protocol/client_batch.h"
#include "service/protocol/declared_size.h"
#include "sluice/governor.h"
#include "sluice/units.h"

namespace sluice {

/// A process, distinguished from a later one with the same pid.
struct LeaseProcess {
  pid_t pid = 0;
  std::uint64_t started = 0;  ///< Clock ticks since boot, as in /proc/PID/stat; 0 if unknown.

  bool operator==(const LeaseProcess&) const = default;
};

/// What the lease of a stored job depends on.
struct StoredLease {
  enum class Hold { none, connection };
  Hold hold = Hold::none;
  std::optional<LeaseProcess> process;
  std::optional<Duration> heartbeat;
  TimePoint renewed;  ///< Last sign of life; read only if there is a heartbeat.

  bool operator==(const StoredLease&) const = default;
};

struct StoredJob {
  JobSnapshot job;  ///< `job.request.id` is the client's id.
  StoredLease lease;
  std::optional<uid_t> owner;  ///< Its user; nullopt if it came over TCP.
  DeclaredSize declared;       ///< Set by `load`.
  ClientBatch batch;           ///< That its client submitted it for.
};

/// State stored by a previous daemon; times are of this boot's monotonic clock.
struct StoredState {
  enum class Boot { same, other };
  std::vector<StoredJob> jobs;  ///< By number.
  JobId last;                   ///< The largest number that may have been assigned.
  std::vector<JobId> failed;    ///< Jobs that did not end `ok`, oldest first.
  Boot boot = Boot::same;       ///< Whether the machine has rebooted since.
  std::string permit_secret;    ///< Behind the tokens of running commands; or empty.
};

/// A later version of this program wrote the state and may use another format.
struct NewerState : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Stores the jobs of a daemon so that they outlive it. Data stored when a call returns survives
/// `kill -9`. Only `load` throws: a store that fails says so in `failing`, accepts nothing more,
/// and gets everything again by `replace`. Used on one thread.
class JobStore {
 public:
  enum class End { well, badly };

  virtual ~JobStore() = default;

  /// Returns the stored state; call it first, and once. Throws NewerState.
  virtual StoredState load() = 0;
  /// Adds a job, or replaces the one with its number.
  virtual void put(const StoredJob& job) = 0;
  /// Removes a job that has ended.
  virtual void remove(JobId job, End end) = 0;
  /// Stores signs of life.
  virtual void renew(const std::vector<std::pair<JobId, TimePoint>>& renewals) = 0;
  /// Makes `jobs` all the jobs: anything else in the store has ended. Also tried while the store is
  /// failing.
  virtual void replace(const std::vector<StoredJob>& jobs) = 0;

  /// Stores the secret of the tokens that commands get from now on.
  virtual void store_secret(const std::string& secret) = 0;

  /// Releases cache memory.
  virtual void release_memory() = 0;

  /// Why nothing is stored at the moment; nullopt if all is well.
  virtual std::optional<std::string> failing() const = 0;
  /// The file, for messages.
  virtual std::string path() const = 0;
};

/// Takes one line for people; may be called on any thread.
using SayState = std::function<void(const std::string& line)>;

/// Stores jobs in the SQLite database `folder`/jobs.db. Only one daemon may use it: a second one
/// gets a store that is failing and names the process that uses it. A torn file, or one that is not
/// a database, is moved to jobs.db.broken-TIME. If the folder cannot be written or the disk is
/// full, the store is failing. `say` reports each of these. `boot` identifies this boot of the
/// machine.
std::unique_ptr<JobStore> open_job_store(const std::string& folder, std::string boot, SayState say);

}  // namespace sluice
