#pragma once

#include <cstddef>
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

/// Bounds of `JobRequest::priority`, which may be negative, of `inventory`, and of `memory`. A job
/// beyond them is refused as `invalid`.
inline constexpr int kMostPriority = 1'000'000;
inline constexpr int kMostInventory = 1'000'000;
inline constexpr Bytes kMostMemory{std::uint64_t{1} << 60};

/// Longest `JobRequest::key`, in bytes.
inline constexpr std::size_t kMostKeyBytes = 256;

/// An amount of one resource manager.
struct ResourceDemand {
  std::string manager;
  std::int64_t amount = 0;  ///< >= 0

  bool operator==(const ResourceDemand&) const = default;
};

/// The reaction of a job when one of the jobs in its `after` did not end `ok`.
enum class OnFailure { cancel, run, hold };

/// The caller's description of a job. Omitted fields come from the definition of its key
/// (`QueueingOptions::keys`), else from the default given here.
struct JobRequest {
  std::string id;       ///< The caller's own name for it; used by rules and people only.
  std::string key;      ///< Kind of job; jobs of one key are alike. May be empty.
  std::string program;  ///< File name of its program: the rung below the key. May be empty.
  /// Whose history predicts this job and learns from it: "1000" is a uid, "tcp" any client over
  /// TCP, "gearman:HOST:PORT" a work source. Empty: root, or the user that runs the governor, whose
  /// runs every user learns from.
  std::string user;
  /// Distinguishes jobs of one key, for example by the numbers that a derived key leaves out. Where
  /// the variant matters for memory, only runs of the same variant predict it. May be empty.
  std::string variant;
  std::string queue;             ///< Empty: "default", or the first queue if that does not exist.
  std::optional<int> priority;   ///< Larger goes first; default 0.
  std::optional<int> inventory;  ///< Number of nodes the job drives; default 1.
  /// The job's own cost, at least 1 point; nullopt: the cost model decides.
  std::optional<Points> cost;
  /// The job will report the end of its set-up (`Permit::started`); until then it counts for the
  /// `starting` sensor. Other jobs count as started on admission.
  bool reports_started = false;
  /// The permit's holder will report memory usage (`Permit::measured`). For a job that nobody
  /// measures, memory is reserved only if the job declares some: its need could never be learned.
  bool measured = false;
  /// The permit's holder suspends the job if memory runs short. Such a job may start on less than
  /// the amount assumed for an unknown job.
  bool suspendable = false;
  /// The permit stands for several jobs one after the other, as a jobserver's token does: the need
  /// of a moment ago was another job's, and the last runs do not say how the next build begins.
  bool takes_turns = false;
  bool global_lock = false;  ///< Locks everything, exclusively.
  OnFailure on_failure = OnFailure::cancel;
  std::optional<int> nice;  ///< For its processes, -20 to 19; applied by the code that starts them.
  std::optional<Bytes> memory;  ///< Declared need; at most `kMostMemory`.
  /// Declared locks; an unnamed level locks nothing. nullopt: see `Undeclared`.
  std::optional<std::vector<LevelLocks>> locks;
  std::vector<ResourceDemand> resources;  ///< Demands that differ from the manager's default.
  /// Starts only after these jobs, which this governor has numbered, have finished. One that ended
  /// `ok` keeps no job waiting, however long ago that was.
  std::vector<JobId> after;
  std::vector<std::string> reasons;           ///< "rate-limit:N:label" limits; rules match them.
  std::map<std::string, std::string> params;  ///< Fill in the lock templates of its key.
  /// The running job that started this one and waits for it. This job works on that job's permit
  /// and never waits for anything that job or its ancestors hold. 0, or a job that is over: no
  /// parent.
  JobId parent;
};

/// How a job ended.
enum class Outcome {
  ok,
  failed,
  oom,        ///< Killed for lack of memory.
  cancelled,  ///< Cancelled by the caller, or abandoned by its holder.
  unknown     ///< Possibly killed for lack of memory; the cost model does not learn from it.
};

enum class JobState { pending, running };

/// Items of a discrete manager that a job holds.
struct HeldItems {
  std::string manager;
  std::vector<std::string> items;  ///< In the manager's order.

  bool operator==(const HeldItems&) const = default;
};

/// A job's position among pending jobs of equal weight; lower goes first.
struct JobOrder {
  std::uint64_t arrival = 0;  ///< Numbers a governor's jobs in order of arrival, from 1.
  /// The arrival number, unless the job was moved; then the number it was moved to. `part` leaves
  /// room between any two.
  std::int64_t whole = 0;
  std::uint64_t part = 0;

  bool operator==(const JobOrder&) const = default;
};

/// A snapshot of one job.
struct JobView {
  JobId id;
  JobRequest request;  ///< Completed by its key's definition and the defaults.
  JobState state = JobState::pending;
  Points cost;
  bool starting = false;              ///< Running and has not reported its start yet.
  TimePoint arrived;                  ///< When it was submitted.
  std::optional<TimePoint> admitted;  ///< When it was admitted; nullopt while pending.
  std::size_t place = 0;              ///< 1 is next; 0 for a running job.
  std::optional<Refusal> refusal;     ///< Why it waits; nullopt for a running job.
  bool frozen = false;                ///< An operator keeps it from starting.
  JobOrder order;                     ///< Of a pending job.
  std::vector<HeldItems> items;       ///< Of a running job.
};

/// A change to a pending or running job; omitted fields stay as they are.
struct JobChange {
  struct Position {
    enum class Where { front, back, before, after };
    Where where = Where::front;
    JobId of;  ///< For before and after: another pending job of the same queue.
  };
  std::optional<int> priority;       ///< Pending only.
  std::optional<std::string> queue;  ///< Pending only; the job keeps its arrival number.
  std::optional<Position> position;  ///< Pending only; replaces its arrival number in the order.
  std::optional<bool> frozen;        ///< Pending only; its waiting time keeps counting.
  std::optional<int> nice;           ///< Pending only.
  std::optional<std::vector<LevelLocks>> locks;  ///< Declared; if running, really held.
  std::optional<bool> global_lock;
};

/// Why a job or a change was not accepted: the field and the error.
struct BadRequest {
  std::string field;  ///< As written in the API: "locks.node", "resources.db", "after".
  std::string message;
};

std::string_view to_string(Outcome outcome);
std::string_view to_string(JobState state);
std::string_view to_string(OnFailure on_failure);

}  // namespace sluice
