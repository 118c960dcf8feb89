#pragma once

#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "governor/core.h"
#include "governor/inputs/fields.h"
#include "governor/inputs/input_log.h"

namespace sluice {

FieldCount<2> field_count(const TimedMeasurement*);

/// A core whose calls are recorded if there is a log. Those that only read are those of `Core`; the
/// others are here, and one that is forgotten does not compile.
class RecordedCore : private Core {
 public:
  /// `log`: nullptr, or outlives this.
  RecordedCore(inputs::InputLog* log, const GovernorOptions& options, const CostModel& cost_model,
               const std::vector<KnownSensor>& sensors, TimePoint now)
      : Core(begin_start_call(log, options, sensors, now),
             log ? log->with_recorded_answers(cost_model) : cost_model, sensors, now),
        log_(log) {
    if (log_) log_->end();
  }

  using Core::check;
  using Core::check_reload;
  using Core::completed;
  using Core::cost_of;
  using Core::cpu;
  using Core::explain;
  using Core::front;
  using Core::has_ended;
  using Core::is_full;
  using Core::job;
  using Core::jobs;
  using Core::next_boundary;
  using Core::operated;
  using Core::options;
  using Core::pending;
  using Core::pending_cost;
  using Core::points_of_all_cpus;
  using Core::running;
  using Core::size;
  using Core::status;
  using Core::usage;
  using Core::why_closed;
  using Core::why_full;

  std::variant<Admitted, Refusal> try_admit(const JobRequest& job, TimePoint now) {
    return logged(
        Call::try_admit, now, [&] { return Core::try_admit(job, now); }, job);
  }
  std::variant<Queued, Refusal> submit(JobRequest job, TimePoint now) {
    return logged(
        Call::submit, now, [&] { return Core::submit(std::move(job), now); }, job);
  }
  std::variant<Admitted, Queued, Refusal> admit_or_queue(JobRequest job, TimePoint now) {
    return logged(
        Call::admit_or_queue, now, [&] { return Core::admit_or_queue(std::move(job), now); }, job);
  }
  std::optional<Refusal> cancel(JobId id) {
    return logged(
        Call::cancel, std::nullopt, [&] { return Core::cancel(id); }, id);
  }
  std::vector<RestoreResult> restore(GovernorSnapshot snapshot, TimePoint now) {
    return logged(
        Call::restore, now, [&] { return Core::restore(std::move(snapshot), now); }, snapshot);
  }
  std::optional<BadRequest> set(JobId id, const JobChange& change, TimePoint now) {
    return logged(
        Call::set, now, [&] { return Core::set(id, change, now); }, id, change);
  }
  bool operate_queue(std::string_view queue, Switch position) {
    return logged(
        Call::operate_queue, std::nullopt, [&] { return Core::operate_queue(queue, position); },
        queue, position);
  }
  std::vector<Ended> take_ended() {
    return logged(Call::ended, std::nullopt, [&] { return Core::take_ended(); });
  }
  void finish(std::uint32_t slot, Outcome outcome, TimePoint now) {
    logged(
        Call::finish, now, [&] { Core::finish(slot, outcome, now); }, slot, outcome);
  }
  void started(std::uint32_t slot) {
    logged(
        Call::started, std::nullopt, [&] { Core::started(slot); }, slot);
  }
  void measured(std::uint32_t slot, const JobUsage& usage, TimePoint now) {
    logged(
        Call::measured, now, [&] { Core::measured(slot, usage, now); }, slot, usage);
  }
  void observe_use(UseCounters counters) {
    logged(
        Call::observe_use, std::nullopt, [&] { Core::observe_use(std::move(counters)); }, counters);
  }
  void observe_memory(std::vector<MemoryLimit> limits) {
    logged(
        Call::observe_memory, std::nullopt, [&] { Core::observe_memory(std::move(limits)); },
        limits);
  }
  void operate(Switch position) {
    logged(
        Call::operate, std::nullopt, [&] { Core::operate(position); }, position);
  }
  std::vector<Admitted> pass(TimePoint now) {
    return logged(Call::pass, now, [&] { return Core::pass(now); });
  }
  std::vector<std::string_view> observe(const std::vector<TimedMeasurement>& sweep, TimePoint now) {
    return logged(
        Call::observe, now, [&] { return Core::observe(sweep, now); }, sweep);
  }
  std::optional<WindowChange> adjust_window(TimePoint now) {
    return logged(Call::adjust_window, now, [&] { return Core::adjust_window(now); });
  }
  RegistrationStep check_registration(TimePoint now) {
    return logged(Call::check_registration, now, [&] { return Core::check_registration(now); });
  }
  std::optional<WindowChange> reload(const GovernorOptions& options, const CostModel& cost_model,
                                     const std::vector<KnownSensor>& sensors, TimePoint now) {
    const auto call = [&] {
      return Core::reload(options, log_ ? log_->with_recorded_answers(cost_model) : cost_model,
                          sensors, now);
    };
    return logged(Call::reload, now, call, options, sensors);
  }
  /// If much was recorded since the last beginning, makes one here: a replay can begin with it.
  void start_over_if_due(TimePoint now) {
    if (!log_ || !log_->is_beginning_due() || !may_start_over()) return;
    SavedCore saved = Core::saved();
    if (!log_->begin_again(saved)) return;
    logged(Call::start_over, now, [&] { return Core::start_over(std::move(saved), now); });
  }
  void record_refused_for_window() {
    logged(Call::refused_for_window, std::nullopt, [&] { Core::record_refused_for_window(); });
  }

 private:
  using Call = inputs::CoreCall;

  static const GovernorOptions& begin_start_call(inputs::InputLog* log,
                                                 const GovernorOptions& options,
                                                 const std::vector<KnownSensor>& sensors,
                                                 TimePoint now) {
    if (log) log->begin(Call::start, now, options, sensors);
    return options;
  }

  template <typename Act>
  std::invoke_result_t<Act&> logged(Call call, auto now, Act&& act, const auto&... arguments) {
    if (!log_) return act();
    log_->begin(call, now, arguments...);
    if constexpr (std::is_void_v<std::invoke_result_t<Act&>>) {
      act();
      log_->end();
    } else {
      auto result = act();
      log_->end(result);
      return result;
    }
  }

  inputs::InputLog* log_;
};

}  // namespace sluice
