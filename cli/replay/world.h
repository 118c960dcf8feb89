#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/replay/host.h"
#include "cli/replay/items_in_use.h"
#include "cli/replay/job_table.h"
#include "cli/replay/late_events.h"
#include "cli/replay/later_jobs.h"
#include "cli/replay/reporter.h"
#include "cli/replay/run.h"
#include "cli/replay/scripted_use.h"
#include "governor/core.h"

namespace sluice::cli {

/// The closed world of one replay: the core, the clock, the script and the future ends of jobs.
class ReplayWorld {
 public:
  ReplayWorld(const Scenario& scenario, const JobSource& jobs, const std::string& jobs_file,
              const ReplaySink& sink);

  /// Runs to the end. Throws ConfigError if the scenario turns out to be invalid.
  void run();

 private:
  struct RunningEnd {
    TimePoint at;
    std::uint64_t turn = 0;  ///< Breaks ties: the job admitted first ends first.
    std::uint32_t slot = 0;
    JobId id;

    auto operator<=>(const RunningEnd&) const = default;
  };

  static TimePoint at(Duration since_start) { return TimePoint{} + since_start; }
  GovernorOptions options_of(const Config& config) const;
  CostModel cost_model(const Config& config) const;
  std::vector<KnownSensor> known_sensors(const Config& config) const;

  // Advancing from instant to instant (run.cpp):
  enum class Stop { whole, until };
  Stop play();
  void step();
  std::optional<TimePoint> next_instant();
  bool ticks_are_idle() const;
  bool ends_now() const { return !ends_.empty() && ends_.top().at == now_; }
  void end_jobs();
  void finish(JobId id, std::uint32_t slot, Outcome outcome);
  void read_sensors();
  double& pressure_of(const std::string& sensor);
  void observe_sensors();
  void tick();
  void tell_window(std::optional<WindowChange> change);
  void admit();
  void start(const Admitted& job);
  void measure();
  bool is_sampled() const;
  bool is_sample_due() const;
  /// Whether a modelled machine may yet let something start or end by itself.
  bool host_is_needed() const;
  void tell_ended();

  // The script (script.cpp):
  void run_events();
  void run_event(const ScenarioEvent& event);
  /// What happened to these jobs before they came, and moves beside them: they take effect now.
  void run_late_events(const std::vector<std::string>& jobs);
  void operate_queue(const ScenarioEvent& event, Switch position);
  void cancel(const ScenarioEvent& event);
  void set(const ScenarioEvent& event);
  void move(const ScenarioEvent& event);
  std::optional<JobChange::Position> position_in(const ScenarioEvent& event);
  void apply(const ScenarioEvent& event, JobId id, const JobChange& change);
  void reload(const ScenarioEvent& event);
  void take_over_running();
  void take_over_waiting();
  void put_in_line(std::vector<ScenarioJob> line);
  JobSnapshot running_job(JobId id, ScenarioJob job, ItemsInUse& items);
  /// Completes a reload that has left something as soon as no job needs that any more.
  void complete_reload();
  void resume_old_queues();
  void reload_with(const Config& config, GovernorOptions options);
  void submit_jobs();
  JobRequest ready(ScenarioJob& job) const;
  void enter(JobId id, const std::string& name, const ScenarioJob& job, JobRequest kind);
  std::string submit(ScenarioJob job);  ///< Returns its name, whose late events are to be run.
  void follow(ScenarioJob job);
  void over(JobId id);  ///< Whether it ran or not.
  void check_use(const ScenarioJob& job) const;
  JobId depend(const ScenarioJob& job, const std::string& other);
  void turn_away(const Refusal& refusal, const std::string& name, const ScenarioJob& job,
                 std::optional<JobId> known);
  void fetch();
  std::optional<JobId> submitted(const ScenarioEvent& event, const std::string& name);
  void refuse_missing() const;
  void tell_late_events() const;
  ConfigError bad_job(int line, const std::string& name, const std::string& what) const;
  ConfigError bad_event(const ScenarioEvent& event, std::string what) const;
  void report_problem(const ScenarioEvent& event, std::string what) const;

  const Scenario& scenario_;
  const JobSource& source_;
  const std::string& jobs_file_;
  const ReplaySink& sink_;
  TimePoint now_{};
  const std::vector<std::string> sensor_names_;
  const std::vector<std::string> modelled_;  ///< Of these, those that the machine answers.
  std::vector<double> pressures_;            ///< By sensor.
  const std::shared_ptr<History> history_;   ///< Null if nothing is learned.
  Core core_;
  Duration interval_;
  TimePoint next_tick_;
  std::optional<ReplayHost> host_;        ///< Of `machine: {model: host}`.
  TimePoint last_active_{};               ///< When a job last ran on it or came.
  std::optional<ScriptedUse> scripted_;   ///< Of `cpu`.
  std::optional<WindowChange> reported_;  ///< The last, where the CPUs are measured.
  std::optional<CpuStatus> cpu_;          ///< As last sampled; nullopt if not measured.
  std::size_t point_ = 0;                 ///< The scenario's next point.
  std::size_t event_ = 0;
  LateEvents late_;
  std::unordered_map<std::string, const ScenarioEvent*> moves_;  ///< The last that took effect.
  std::shared_ptr<const Config> incomplete_;  ///< Of a reload that has left something; or null.
  std::optional<ScenarioJob> ahead_;          ///< The next job to submit.
  LaterJobs later_;
  ReplayJobTable jobs_;
  const ReplayReporter reporter_;
  std::priority_queue<RunningEnd, std::vector<RunningEnd>, std::greater<>> ends_;
  std::uint64_t turn_ = 0;
  /// Whether anything has happened since the last pass that may let a job start: most steps of a
  /// modelled machine bring nothing.
  bool is_due_ = true;
  std::optional<TimePoint> boundary_;  ///< The next one, if jobs wait.
  std::vector<Decision> decisions_;    ///< A member to save allocations.
};

}  // namespace sluice::cli
