#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
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

/// A submitted job whose admission is still to come. The future ends with a permit, or with the
/// refusal that ended the wait (cancelled, draining).
struct Submitted {
  JobId id;
  std::future<Admission> admission;  ///< Not valid where `deduplicated`.
  bool deduplicated = false;         ///< See `Queued`.
};

/// A job that waits now. `deduplicated`: a highlander waits already and this is that one's id;
/// nothing was added, and nothing will be told about the second.
struct Queued {
  JobId id;
  bool deduplicated = false;
  std::uint64_t arrival = 0;  ///< Its place in order of arrival; 0 where `deduplicated`.
  Points cost{0};             ///< What it will be charged, as far as is known now.
};

/// A job that an earlier governor had admitted or queued, as it was told last.
struct FormerJob {
  JobId id;
  JobRequest request;  ///< With what that governor added to it: see `Governor::complete`.
  Points cost;
  TimePoint arrived;                  ///< May lie before the start of the machine.
  std::optional<TimePoint> admitted;  ///< None: it pended.
  bool starting = false;              ///< Of one that ran: has not reported its start yet.
  bool frozen = false;                ///< Of one that pended.
  JobOrder order;                     ///< Of one that pended.
  std::vector<HeldItems> items;       ///< Of one that ran: what it holds.
};

/// So many jobs that did not end `ok` are remembered, the last ones, for jobs that are submitted to
/// come after them.
inline constexpr std::size_t kRememberedFailures = 65536;

/// What an earlier governor left behind: jobs that still run, in order of admission, then those
/// that pend, in order of arrival.
struct FormerLife {
  std::vector<FormerJob> jobs;
  JobId last;                 ///< The largest number it may have given.
  std::vector<JobId> failed;  ///< Jobs that did not end `ok`, for those that come after them.
};

/// What became of a former job: it runs, it waits, or why it cannot wait any more.
using Restored = std::variant<Permit, Queued, Refusal>;

/// Takes the end of a wait: the permit, or the refusal that ended it. Called once, on the
/// admission thread or, at shutdown, on the thread that destroys the governor, without any lock
/// held. It must not be empty, block for long, throw, or destroy the governor.
using OnAdmission = std::function<void(JobId, Admission)>;

/// Told whether this executor takes work, and why not. Called on the admission thread, strictly
/// alternating, the first call after the start.
using OnAccepting = std::function<void(bool accepting, const std::string& reason)>;

/// Told of what a person may want to log; called without any lock held. May be left empty.
struct GovernorEvents {
  OnAccepting on_accepting;
  std::function<void(const WindowChange&)> on_window;  ///< Window thread.
  std::function<void(const SensorStatus&)> on_sensor;  ///< Window thread: red, green, failure.
};

/// Decides how much work this host takes on. Two threads: one reads the sensors and moves the
/// window, one starts jobs. All methods are thread-safe and none waits for a sensor or a job.
class Governor {
 public:
  /// Reads the sensors once, then starts the threads. `work_sources` are told of registration
  /// in their order. Throws std::invalid_argument for options out of range or two sensors of one
  /// name, and std::system_error where no thread can be started.
  Governor(GovernorOptions options, std::vector<Sensor> sensors, CostModel cost_model,
           GovernorEvents events = {}, std::vector<std::shared_ptr<WorkSource>> work_sources = {});

  /// Deregisters, refuses what pends with `draining`, and joins the threads. Permits that are
  /// still out stay valid and may be returned later.
  ~Governor();

  Governor(const Governor&) = delete;
  Governor& operator=(const Governor&) = delete;

  /// Admits the job now or says why not. Never overtakes: while a job of the same or a higher
  /// priority pends, it is refused with `behind`. Does not allocate.
  Admission try_admit(const JobRequest& job);

  /// Queues the job; `on_admission` gets the end of its wait. A refusal (impossible, draining,
  /// max_pending, rule, dependency, invalid) means that it was not queued and `on_admission` will
  /// not be called.
  std::variant<Queued, Refusal> submit(JobRequest job, OnAdmission on_admission);

  /// Admits the job now, as `try_admit` would, or queues it as `submit` does: in one step, so that
  /// nothing comes in between, and it is checked and priced once. A job that is queued does not
  /// count as rejected.
  std::variant<Permit, Queued, Refusal> admit_or_queue(JobRequest job, OnAdmission on_admission);

  /// Queues the job, with a future for the end of its wait.
  std::variant<Submitted, Refusal> submit(JobRequest job);

  /// Takes over from an earlier governor. What ran is adopted as it was, with its cost, its locks
  /// and the items it holds, and without any check: usage may exceed the window until enough of it
  /// has ended, and a manager may be used beyond its total. A queue, manager or lock level that the
  /// configuration no longer has does not count for it; its queue is then the default one. What
  /// pended waits on, where and as long as it did, beyond `max_pending` too; a refusal (invalid,
  /// rule, dependency) says why it cannot. Numbers go on from the largest. Restored jobs count as
  /// submitted, and adopted ones as admitted. The results are in the order of the jobs. To be
  /// called before the first job is submitted; nothing is admitted until all are back.
  std::vector<Restored> restore(FormerLife life, const OnAdmission& on_admission);

  /// A request with what its key's definition and the defaults add: as it would wait.
  JobRequest complete(JobRequest job) const;

  /// What is wrong with a job as it stands, which makes both of the above say `invalid`; none:
  /// nothing.
  std::optional<BadRequest> check(const JobRequest& job) const;

  /// Changes a job; all of it or, with a reason, nothing. A job that is over or never was is
  /// field "id".
  std::optional<BadRequest> set(JobId id, const JobChange& change);

  /// Why a pending job waits, in full; for a running one, what it holds. None if it is over.
  std::optional<Explanation> explain(JobId id) const;

  /// Stops and restarts the admission of one queue; false: there is no such queue.
  bool pause_queue(std::string_view name);
  bool resume_queue(std::string_view name);

  /// Takes a pending job back: its wait ends with `cancelled`. False if it does not pend.
  bool cancel(JobId id);

  /// Stops and restarts admission; running jobs go on. Both return at once, and no job is
  /// admitted between the return of `pause` and the next `resume`.
  void pause();
  void resume();

  /// Admits no more: submits are refused, what pends waits on with `draining`, what runs ends by
  /// itself. `resume` takes it back.
  void drain();

  /// Blocks until nothing runs and, unless draining, nothing pends.
  void wait_until_idle();

  /// Replaces options, sensors and cost model at once; jobs that run or pend are kept. Throws
  /// std::invalid_argument and changes nothing where the constructor would have thrown, and where
  /// a queue, manager or lock level would go that a job still needs.
  void reload(GovernorOptions options, std::vector<Sensor> sensors, CostModel cost_model);

  Status status() const;

  /// All jobs, running ones first in order of admission, then pending ones in order.
  std::vector<JobView> jobs() const;

  /// One job; none if it never was, or is over.
  std::optional<JobView> job(JobId id) const;

 private:
  std::shared_ptr<GovernorState> state_;
};

}  // namespace sluice
