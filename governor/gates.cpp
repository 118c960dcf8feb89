#include "governor/gates.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "governor/cpu_admission.h"
#include "governor/cpu_cost.h"
#include "governor/cpu_use.h"
#include "governor/eligibility.h"
#include "governor/short_of_capacity.h"

namespace sluice {
namespace {

constexpr std::string_view kPause = "pause";
constexpr std::string_view kStarting = "starting";

bool starting_gate_is_red(const CoreState& core) {
  const auto starting = static_cast<std::int64_t>(core.running.starting());
  const auto running = static_cast<std::int64_t>(core.running.count());
  return core.options.starting != Presence::off && starting > 0 &&
         starting >= starting_limit(core.options, running);
}

/// What counts of the sensors that show how busy others keep the machine.
enum class OthersWork { all, disks, none };

/// A command that a user waits for runs one job whatever they say, and uses its half of the CPUs
/// whatever those of the CPUs say: its half says nothing about the disks.
OthersWork others_work(const CoreState& core) {
  const bool goes_on = core.options.window.law == Law::knee &&
                       core.options.when_red == GovernorOptions::WhenRed::use_half;
  if (!goes_on) return OthersWork::all;
  if (core.running.count() == 0) return OthersWork::none;
  return is_below_half(core, core.judged_at) ? OthersWork::disks : OthersWork::all;
}

std::vector<JudgedSensor> without(std::vector<JudgedSensor> sensors, OthersWork counts) {
  std::erase_if(sensors, [&](const JudgedSensor& each) {
    const bool is_cpu = each.name == "load" || each.name == "cpu_pressure";
    if (is_cpu) return counts != OthersWork::all;
    return each.name == "io_pressure" && counts == OthersWork::none;
  });
  return sensors;
}

std::string_view red_now(const CoreState& core) {
  if (core.red == core.red_when_idle) return core.red;
  const OthersWork counts = others_work(core);
  if (counts == OthersWork::none) return core.red_when_idle;
  return counts == OthersWork::disks ? core.red_below_half : core.red;
}

std::string said_by(const CoreState& core, std::string_view name) {
  const auto sensor = std::ranges::find(core.sensors, name, &KnownSensor::name);
  if (sensor == core.sensors.end()) return "";
  const SensorState& state = sensor->sensor_state;
  if (!state.failure.empty()) return state.failure;
  return state.reading ? state.reading->sentence : "not read yet";
}

}  // namespace

std::int64_t starting_limit(const GovernorOptions& options, std::int64_t running) {
  return std::max<std::int64_t>(options.starting_most - running, options.starting_floor);
}

Reading starting_reading(const GovernorOptions& options, std::int64_t starting,
                         std::int64_t running) {
  const std::int64_t limit = std::max<std::int64_t>(starting_limit(options, running), 1);
  Condition condition;
  condition.name = "starting";
  condition.value = static_cast<double>(starting);
  condition.limit = static_cast<double>(limit);
  condition.unit = Unit::count;
  condition.pressure = std::min(condition.value / *condition.limit, 100.0);
  Reading reading;
  reading.conditions.push_back(condition);
  reading.sentence = std::to_string(starting) + " of at most " + std::to_string(limit) +
                     " jobs in set-up, " + std::to_string(running) + " running";
  return reading;
}

Room room(const CoreState& core) {
  const std::string_view red = red_now(core);
  const bool is_starting = starting_gate_is_red(core) && red.empty();
  return {core.running.permits().usage(), core.window.size, core.operated,
          is_starting ? kStarting : red};
}

std::optional<Refusal> why_closed(const CoreState& core) { return closed(room(core)); }

bool is_full(const CoreState& core) {
  const bool is_at_knee = core.options.window.law == Law::knee && core.at_knee;
  return is_at_knee || core.running.permits().usage() >= core.window.size;
}

std::optional<Refusal> why_full(const CoreState& core) {
  auto refusal = full(room(core));
  if (refusal || !is_full(core)) return refusal;
  return core.refusal(RefusalCode::window, kCpuBinding, Points{0});
}

void judge_all(CoreState& core, TimePoint now) {
  core.judged.clear();
  for (const KnownSensor& sensor : core.sensors) {
    const auto judged = effective_state(sensor.name, sensor.policy, sensor.sensor_state, now);
    if (!judged) continue;
    core.judged.push_back(*judged);
    if (counts(core, sensor.name, now)) continue;
    core.judged.back().red = false;
    core.judged.back().pressure = 0;
  }
  core.red = worst_red(core.judged);
  core.red_when_idle = worst_red(without(core.judged, OthersWork::none));
  core.red_below_half = worst_red(without(core.judged, OthersWork::disks));
  core.judged_at = now;
}

std::vector<std::string_view> observe(CoreState& core, const std::vector<Sweep>& sweep,
                                      TimePoint now) {
  std::vector<std::string_view> changed;
  for (std::size_t i = 0; i < core.sensors.size() && i < sweep.size(); ++i) {
    KnownSensor& sensor = core.sensors[i];
    const bool was_red = sensor.sensor_state.red;
    const bool was_up = sensor.sensor_state.up;
    sensor.sensor_state =
        judge(sensor.policy, std::move(sensor.sensor_state), sweep[i].measurement);
    sensor.read_duration = sweep[i].took;
    if (sensor.sensor_state.red != was_red || sensor.sensor_state.up != was_up) {
      changed.push_back(sensor.name);
    }
  }
  judge_all(core, now);
  return changed;
}

std::optional<WindowChange> adjust_window(CoreState& core, TimePoint now) {
  judge_all(core, now);
  reprice_running(core, now);
  note_capacity(core, now);
  std::vector<JudgedSensor> seen = without(core.judged, others_work(core));
  seen.push_back({kPause, Acts::gate, core.operated != Switch::running, true,
                  core.operated != Switch::running ? 1.0 : 0.0});
  if (core.options.starting != Presence::off) {
    const bool red = starting_gate_is_red(core);
    seen.push_back({kStarting, Acts::gate, red, true, red ? 1.0 : 0.0});
  }
  const auto first = front(core, now);
  const bool by_cpu = core.options.window.law == Law::knee;
  const auto refusal = first && !by_cpu ? refuse(room(core), first->cost) : std::nullopt;
  const bool refused = core.refused || (refusal && refusal->code == RefusalCode::window);
  core.refused = core.refused_for_memory = false;
  const bool pends = first.has_value();
  return change_window(core,
                       step_window(core.options.window, core.window,
                                   {core.running.permits().usage(), refused, pends, seen, now,
                                    knee_input(core, first ? first->cost : Points{0}, now)}),
                       now);
}

std::optional<WindowChange> change_window(CoreState& core, const WindowStep& step, TimePoint now) {
  const Points before = std::exchange(core.window, step.state).size;
  if (!step.cause || before == core.window.size) return std::nullopt;
  auto& counts =
      core.window.size > before ? core.counters.window_increases : core.counters.window_decreases;
  ++counts[static_cast<std::size_t>(*step.cause)];
  const bool is_red = *step.cause == WindowCause::red;
  core.last_change = WindowChange{now,
                                  before,
                                  core.window.size,
                                  *step.cause,
                                  is_red ? std::string(step.sensor) : "",
                                  cpu_status(core, now),
                                  core.pending->size(),
                                  is_red ? said_by(core, step.sensor) : ""};
  return core.last_change;
}

RegistrationStep check_registration(CoreState& core, TimePoint now) {
  const auto reason = why_full(core);
  const RegistrationStep step =
      step_registration(core.registration, reason, core.options.window.dwell, now);
  core.registration = step.state;
  if (!step.changed) return step;
  if (step.state.registered) {
    ++core.counters.registrations;
  } else {
    ++core.counters.deregistrations[static_cast<std::size_t>(reason->code)];
  }
  return step;
}

}  // namespace sluice
