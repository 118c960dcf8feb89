#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sluice/explanation.h"
#include "sluice/job.h"
#include "sluice/options.h"
#include "sluice/permit.h"
#include "sluice/refusal.h"
#include "sluice/sensor.h"
#include "sluice/status.h"
#include "sluice/work_source.h"

namespace sluice {

/// A submitted job that waits for admission. The future yields the permit, or the refusal that
/// ended the wait (cancelled, draining).
struct Submitted {
  JobId id;
  std::future<Admission> admission;  ///< Not valid if `deduplicated`.
  bool deduplicated = false;         ///< See `Queued`.
};

/// A queued job. `deduplicated`: a highlander already waits and `id` is that job's; nothing was
/// added, and no callback will report the duplicate.
struct Queued {
  JobId id;
  bool deduplicated = false;
  std::uint64_t arrival = 0;  ///< Position in order of arrival; 0 if `deduplicated`.
  Points cost{0};             ///< The charge on admission, as far as it is known now.
};

/// A job that an earlier governor had admitted or queued, as last recorded.
struct JobSnapshot {
  JobId id;
  JobRequest request;  ///< Includes what that governor added to it: see `Governor::complete`.
  Points cost;
  TimePoint arrived;                  ///< May precede the boot of the machine.
  std::optional<TimePoint> admitted;  ///< nullopt if it was pending.
  bool starting = false;              ///< If it ran: has not reported its start yet.
  bool frozen = false;                ///< If it was pending.
  JobOrder order;                     ///< If it was pending.
  std::vector<HeldItems> items;       ///< If it ran: the items it holds.
};

/// The governor remembers this many jobs that did not end `ok`, the most recent ones, for later
/// submits that name them in `after`.
inline constexpr std::size_t kRememberedFailures = 65536;

/// State left by an earlier governor: jobs that still run, in order of admission, then pending
/// jobs, in order of arrival.
struct GovernorSnapshot {
  std::vector<JobSnapshot> jobs;
  JobId last;                 ///< The largest number it may have assigned.
  std::vector<JobId> failed;  ///< Jobs that did not end `ok`, for jobs that come after them.
};

/// The names of both before 1.0; gone in 1.0.
using FormerJob [[deprecated("use JobSnapshot")]] = JobSnapshot;
using FormerLife [[deprecated("use GovernorSnapshot")]] = GovernorSnapshot;

/// Result of restoring a job: it runs, it waits, or the reason it can no longer wait.
using Restored = std::variant<Permit, Queued, Refusal>;

/// Receives the end of a wait: the permit, or the refusal that ended it. Called once, with no lock
/// held, on the admission thread or, at shutdown, on the thread that destroys the governor. Must
/// not be empty, block for long, throw, or destroy the governor.
using OnAdmission = std::function<void(JobId, Admission)>;

/// Reports whether this executor accepts work, and if not, why. Called on the admission thread;
/// values strictly alternate; the first call follows the start.
using OnAccepting = std::function<void(bool accepting, const std::string& reason)>;

/// Events worth logging. Callbacks run with no lock held; each may be empty.
struct GovernorEvents {
  OnAccepting on_accepting;
  std::function<void(const WindowChange&)> on_window;  ///< Window thread.
  std::function<void(const SensorStatus&)> on_sensor;  ///< Window thread: red, green, failed.
  /// Each call that may change the governor, with its result, as bytes by which `sluice replay`
  /// repeats it. The exception: it runs on the caller's thread with the lock held, so it may only
  /// copy the bytes.
  std::function<void(TimePoint at, std::string_view call)> on_call;
};

/// Decides how much work this host takes on. Runs two threads: one reads the sensors and moves the
/// window, the other starts jobs. All methods are thread-safe; none waits for a sensor, and only
/// `wait_until_idle` waits for jobs.
class Governor {
 public:
  /// Reads the sensors once, then starts the threads. `work_sources` are notified of registration
  /// in their order. Throws std::invalid_argument if an option is out of range, two sensors share a
  /// name, or a work source is null, and std::system_error if a thread cannot be started.
  Governor(GovernorOptions options, std::vector<Sensor> sensors, CostModel cost_model,
           GovernorEvents events = {}, std::vector<std::shared_ptr<WorkSource>> work_sources = {});

  /// Deregisters, refuses pending jobs with `draining`, and joins the threads. Outstanding permits
  /// stay valid and may be returned later.
  ~Governor();

  Governor(const Governor&) = delete;
  Governor& operator=(const Governor&) = delete;

  /// Admits the job now or returns the reason it cannot. Never overtakes: refuses with `behind`
  /// while a job of the same or a higher priority is pending. Does not allocate for a plain job:
  /// one that gives at most `id`, `key`, `priority`, `inventory`, `cost` and `reports_started`,
  /// while the options have neither `keys` nor `rules`, assume and hold no locks (`contention`),
  /// and need no manager in the default queue. Any other job is copied.
  Admission try_admit(const JobRequest& job);

  /// Queues the job; `on_admission` receives the end of its wait. On a refusal (impossible,
  /// draining, max_pending, rule, dependency, invalid) the job was not queued and `on_admission` is
  /// not called.
  std::variant<Queued, Refusal> submit(JobRequest job, OnAdmission on_admission);

  /// Admits the job now, as `try_admit` would, or queues it, as `submit` does. Atomic: the job is
  /// checked and priced once, and nothing happens in between. A queued job does not count as
  /// rejected.
  std::variant<Permit, Queued, Refusal> admit_or_queue(JobRequest job, OnAdmission on_admission);

  /// Queues the job and returns a future for the end of its wait.
  std::variant<Submitted, Refusal> submit(JobRequest job);

  /// Takes over from an earlier governor. Call it before the first submit; nothing is admitted
  /// until all jobs are restored. Returns one result per job, in the same order.
  ///
  /// Jobs that ran are adopted unchecked, with their cost, locks and items: usage may exceed the
  /// window until enough of them have ended, and a manager may be used beyond its total. For these,
  /// a manager or lock level that the configuration no longer has is ignored, and a missing queue
  /// becomes the default one. Pending jobs keep their position and waiting time, even beyond
  /// `max_pending`; a refusal (invalid, rule, dependency) is the reason a job can no longer wait. A
  /// pending job with the number of an earlier one of the snapshot is `invalid`.
  /// Numbering continues from the largest number. Restored jobs count as submitted, adopted ones
  /// also as admitted.
  std::vector<Restored> restore(GovernorSnapshot snapshot, const OnAdmission& on_admission);

  /// The request completed by its key's definition and the defaults, as it would be queued.
  JobRequest complete(JobRequest job) const;

  /// The first error in the job that would make the calls above refuse it with `invalid`; nullopt
  /// if there is none.
  std::optional<BadRequest> check(const JobRequest& job) const;

  /// Changes a job. On an error nothing is changed; for a job that is over or never existed the
  /// field is "id".
  std::optional<BadRequest> set(JobId id, const JobChange& change);

  /// Why a pending job waits, in full; what a running job holds. nullopt if the job is over.
  std::optional<Explanation> explain(JobId id) const;

  /// Stop and restart admission from one queue; false if there is no such queue.
  bool pause_queue(std::string_view name);
  bool resume_queue(std::string_view name);

  /// Cancels a pending job: its wait ends with `cancelled`. False if it is not pending.
  bool cancel(JobId id);

  /// Stop and restart admission; running jobs continue. Both return at once; no job is admitted
  /// between the return of `pause` and the next `resume`.
  void pause();
  void resume();

  /// Stops accepting work: submits are refused, pending jobs keep waiting with `draining`, running
  /// jobs finish. `resume` reverts it.
  void drain();

  /// Blocks until no job runs and, unless draining, none is pending.
  void wait_until_idle();

  /// Replaces options, sensors and cost model in one step; running and pending jobs are kept.
  /// Throws std::invalid_argument and changes nothing if the constructor would throw, or if a
  /// queue, manager or lock level that a job still needs would disappear.
  void reload(GovernorOptions options, std::vector<Sensor> sensors, CostModel cost_model);

  Status status() const;

  /// All jobs: running ones in order of admission, then pending ones in queue order.
  std::vector<JobView> jobs() const;

  /// One job; nullopt if it never existed or is over.
  std::optional<JobView> job(JobId id) const;

 private:
  std::shared_ptr<GovernorState> state_;
};

}  // namespace sluice
