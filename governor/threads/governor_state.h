#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "governor/recorded_core.h"
#include "governor/threads/announcements.h"
#include "governor/threads/lock_free_refusal.h"
#include "governor/threads/sampling.h"
#include "sluice/governor.h"

namespace sluice {

/// The core on a real clock: one mutex around it, the window thread, the admission thread, and the
/// refusals that need no mutex. Shared by the governor and its permits, so
/// that a permit can be returned after the governor is gone.
class GovernorState : public std::enable_shared_from_this<GovernorState> {
 public:
  GovernorState(GovernorOptions options, std::vector<Sensor> sensors, CostModel cost_model,
                GovernorEvents events, std::vector<std::shared_ptr<WorkSource>> work_sources);

  void start();
  void stop();

  Admission try_admit(const JobRequest& job);
  std::variant<Queued, Refusal> submit(JobRequest job, OnAdmission on_admission);
  std::variant<Permit, Queued, Refusal> admit_or_queue(JobRequest job, OnAdmission on_admission);
  bool cancel(JobId id);
  std::vector<Restored> restore(GovernorSnapshot snapshot, const OnAdmission& on_admission);
  std::optional<BadRequest> set(JobId id, const JobChange& change);
  bool operate_queue(std::string_view queue, Switch position);
  void operate(Switch position);
  void wait_until_idle();
  void reload(GovernorOptions options, std::vector<Sensor> sensors, CostModel cost_model);
  Status status() const;
  /// What `view` returns of the core, which it may only read.
  auto read(auto view) const {
    const std::lock_guard lock(mutex_);
    return view(std::as_const(*core_));
  }

  void give_back(std::uint32_t slot, Outcome outcome);
  void report_started(std::uint32_t slot);
  void report_measured(std::uint32_t slot, const JobUsage& usage) {
    const std::lock_guard lock(mutex_);
    core_->measured(slot, usage, coarse_now());
  }

 private:
  struct EndOfWait {
    OnAdmission on_admission;
    JobId id;
    Admission admission;
  };

  void run_window_thread();
  void run_admission_thread();
  bool sweep(std::unique_lock<std::mutex>& lock);
  void adjust(std::unique_lock<std::mutex>& lock);

  // With the mutex held:
  void publish();
  /// Whether the CPUs are sampled between two sweeps of the sensors.
  bool samples_use() const;
  void wake_admission();
  void after_change();
  Permit permit_of(Admitted&& admitted);
  void collect_ended();
  std::vector<KnownSensor> known(const std::vector<Sensor>& sensors);
  void expect_admission(const Queued& queued, OnAdmission on_admission);
  std::vector<EndOfWait> take_admitted(std::vector<Admitted> admitted);
  OnAdmission take_callback(JobId id);

  // Without it:
  static void deliver(std::vector<EndOfWait> ends);

  std::optional<inputs::InputLog> input_log_;  ///< Guarded by the mutex.
  Announcements announcements_;                ///< Used without the mutex.

  mutable std::mutex mutex_;
  std::condition_variable window_wake_;
  std::condition_variable admission_wake_;
  std::condition_variable idle_;

  // Guarded by the mutex:
  LockFreeRefusal lock_free_;  ///< `try_refuse` is called without it.
  std::shared_ptr<const Inputs> inputs_;
  std::optional<RecordedCore> core_;
  std::unordered_map<std::uint64_t, OnAdmission> waiting_;
  std::vector<EndOfWait> ended_;  ///< Waits that ended without admission, to be delivered.
  bool stopping_ = false;
  bool sensors_replaced_ = false;
  bool admission_due_ = true;
  bool takes_work_ = false;     ///< As last published.
  bool samples_often_ = false;  ///< `samples_use` when the window thread went to sleep.
  std::vector<SensorStatus> sensors_to_report_;  ///< Sensors that changed, to be reported.

  std::thread window_thread_;
  std::thread admission_thread_;
};

}  // namespace sluice
