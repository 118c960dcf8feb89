#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/locks.h"
#include "sluice/prediction.h"
#include "sluice/refusal.h"
#include "sluice/units.h"

namespace sluice {

/// So much of a resource manager.
struct ResourceDemand {
  std::string manager;
  std::int64_t amount = 0;  ///< >= 0

  bool operator==(const ResourceDemand&) const = default;
};

/// What becomes of a job when one that it comes after did not end `ok`.
enum class OnFailure { cancel, run, hold };

/// What a caller says of a job. What is left open comes from the definition of its key
/// (`QueueingOptions::keys`), else from the defaults named here.
struct JobRequest {
  std::string id;       ///< The caller's own name for it; only rules and people read it.
  std::string key;      ///< What kind of job this is; jobs of one key are alike. May be empty.
  std::string program;  ///< What it runs, as a file name: the rung below the key. May be empty.
  /// Whose runs it is predicted by, and joins: "1000" is a uid, "tcp" whoever comes over TCP,
  /// "gearman:HOST:PORT" a work source. Empty: root, or the user that governs; all learn from
  /// those.
  std::string user;
  /// What sets it apart from other jobs of its key, such as the numbers that a derived key leaves
  /// out. Where that matters for memory, only runs of the same variant speak for it. May be empty.
  std::string variant;
  std::string queue;  ///< Empty: "default", or the first of the queues where there is none.
  std::optional<int> priority;   ///< Larger first; 0.
  std::optional<int> inventory;  ///< How many nodes the job drives, >= 0; 1.
  /// The job's own cost, at least 1 point; none: the cost model decides.
  std::optional<Points> cost;
  /// The job will say when its set-up is over (`Permit::started`); until then it counts for the
  /// `starting` sensor. Jobs that do not say so count as started on admission.
  bool reports_started = false;
  /// Its holder will say what memory it uses (`Permit::measured`). A job that nobody measures has
  /// memory kept for it only where it declares some: nobody would ever learn what it needs.
  bool measured = false;
  /// Its holder suspends it should memory run short all the same. Such a job may start on less than
  /// a job of which nothing is known is expected to need.
  bool suspendable = false;
  bool global_lock = false;  ///< Locks everything, exclusively.
  OnFailure on_failure = OnFailure::cancel;
  std::optional<int> nice;      ///< For its processes, -20 to 19; whoever starts them applies it.
  std::optional<Bytes> memory;  ///< What it declares to need.
  /// What it locks; levels that are not named: none. None at all: see `Undeclared`.
  std::optional<std::vector<LevelLocks>> locks;
  std::vector<ResourceDemand> resources;      ///< What it needs, where not as the manager says.
  std::vector<JobId> after;                   ///< Starts only after these have finished.
  std::vector<std::string> reasons;           ///< "rate-limit:N:label" limits; rules match them.
  std::map<std::string, std::string> params;  ///< Fill the templates of its key's locks.
  /// The running job that started it and waits for it: it works on that job's permit, and never
  /// waits for what that job or its own parents hold. 0, or a job that is over: none.
  JobId parent;
};

/// How a job ended.
enum class Outcome {
  ok,
  failed,
  oom,        ///< Killed for lack of memory.
  cancelled,  ///< Taken back, or left by whoever held it.
  unknown     ///< It may have been killed for lack of memory, or not: it teaches nothing.
};

/// Where a job is in its life.
enum class JobState { pending, running };

/// Items of a discrete manager that a job holds.
struct HeldItems {
  std::string manager;
  std::vector<std::string> items;  ///< In the manager's order.

  bool operator==(const HeldItems&) const = default;
};

/// A job's place among the pending ones of equal weight: behind lower numbers.
struct JobOrder {
  std::uint64_t arrival = 0;  ///< Numbers the jobs of a governor in order of arrival, from 1.
  /// The arrival number again, unless the job was moved; then the number it was moved to. The part
  /// leaves room between any two.
  std::int64_t whole = 0;
  std::uint64_t part = 0;

  bool operator==(const JobOrder&) const = default;
};

/// One job as seen from outside, at one instant.
struct JobView {
  JobId id;
  JobRequest request;  ///< With what its key's definition and the defaults add.
  JobState state = JobState::pending;
  Points cost;
  bool starting = false;              ///< Running, and has not reported its start yet.
  TimePoint arrived;                  ///< When it was submitted.
  std::optional<TimePoint> admitted;  ///< When it was admitted; none while pending.
  std::size_t place = 0;              ///< 1 is next; 0 for a running job.
  std::optional<Refusal> refusal;     ///< Why it waits; none for a running job.
  bool frozen = false;                ///< Kept from starting by hand.
  JobOrder order;                     ///< Of a pending job.
  std::vector<HeldItems> items;       ///< Of a running job.
};

/// A change of a job that pends or runs; what is not given stays.
struct JobChange {
  struct Position {
    enum class Where { front, back, before, after };
    Where where = Where::front;
    JobId of;  ///< For before and after: another pending job of the same queue.
  };
  std::optional<int> priority;       ///< Pending only.
  std::optional<std::string> queue;  ///< Pending only; keeps its arrival.
  std::optional<Position> position;  ///< Pending only; replaces its arrival number in the order.
  std::optional<bool> frozen;        ///< Pending only; its waiting time goes on.
  std::optional<int> nice;           ///< Pending only.
  std::optional<std::vector<LevelLocks>> locks;  ///< What it declares; running: really holds.
  std::optional<bool> global_lock;
};

/// Why a job or a change cannot be taken as it stands: one field of it, and what is wrong.
struct BadRequest {
  std::string field;  ///< As written in the API: "locks.node", "resources.db", "after".
  std::string message;
};

std::string_view to_string(Outcome outcome);
std::string_view to_string(JobState state);
std::string_view to_string(OnFailure on_failure);

}  // namespace sluice
