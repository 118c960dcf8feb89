#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "governor/core_state.h"
#include "governor/red_sensors.h"
#include "sluice/governor.h"

namespace sluice {

/// What really runs and waits, and what can be measured now.
struct RealState {
  TimePoint now;
  Switch operated = Switch::running;
  std::vector<std::pair<std::string, Switch>> queues;  ///< Their switches.
  std::vector<JobId> ended;                            ///< Since the last call.
  /// Jobs that have begun since then and still run, in order of admission.
  std::vector<JobSnapshot> began;
  /// Jobs that still run: what they have used so far, if that is known.
  struct Use {
    JobId job;
    std::optional<JobUsage> usage;
    bool starting = false;  ///< It has not reported its start.
  };
  std::vector<Use> uses;
  std::size_t others = 0;               ///< Running jobs of which only the number is known.
  std::vector<JobSnapshot> waiting;     ///< The first ones, in order of arrival.
  std::vector<TimedMeasurement> sweep;  ///< Of the shadow's sensors; empty if they were not read.
  std::vector<MemoryLimit> memory;      ///< Likewise.
  UseCounters use;
};

/// What the other configuration would do next.
struct ShadowVerdict {
  Points size, usage;            ///< Its window, and what really runs at its costs.
  std::vector<std::string> red;  ///< Its red sensors.
  std::vector<JobId> starts;     ///< Waiting jobs that it would start.
  std::vector<JobId> holds;      ///< Of the jobs that have begun, those that it would let wait.
  std::vector<JobId> refuses;    ///< Waiting jobs that it would not have accepted.
  std::string refusal;           ///< Of the first of these, in words.
  std::size_t began = 0;         ///< Jobs that were compared with `holds`.
};

/// A governor's core under another configuration. Each call sets it to what really runs; only its
/// window and its sensors' verdicts are its own. Pure: it starts nothing and reads nothing. Not
/// thread-safe.
class ShadowCore {
 public:
  /// `sensors`: their names outlive this.
  ShadowCore(GovernorOptions options, CostModel cost_model, std::vector<KnownSensor> sensors,
             TimePoint now);

  /// The jobs that run already at the first call are not compared.
  ShadowVerdict next(RealState real);

  /// Whether it knows that this job runs.
  bool runs(JobId job) const { return slots_.contains(job.value); }
  /// Numbers and slots of the running jobs that it knows.
  const std::unordered_map<std::uint64_t, std::uint32_t>& running() const { return slots_; }
  /// Whether it stands for a running job of which only the number is known.
  bool is_stand_in(JobId job) const { return std::ranges::count(others_, job) > 0; }
  Law law() const { return state_.options.window.law; }
  Duration interval() const { return state_.options.window.interval; }
  /// What running jobs use that the configuration lacks, in sentences.
  const std::set<std::string>& lacking() const { return lacking_; }

 private:
  void adopt(JobSnapshot job, TimePoint now);
  void end(JobId job, TimePoint now);
  void set_others(std::size_t count, TimePoint now);
  void enqueue(const JobSnapshot& job, std::vector<JobId>& refused, std::string& refusal,
               TimePoint now);
  void compare(const RealState& real, ShadowVerdict& verdict);
  void observe(RealState& real);

  CoreState state_;
  std::unordered_map<std::uint64_t, std::uint32_t> slots_;  ///< By number of the running job.
  std::vector<JobId> others_;                               ///< Stand-ins.
  std::set<std::string> lacking_;
  bool is_set_ = false;
};

}  // namespace sluice
