#include "governor/window_control.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "governor/cpu_admission.h"
#include "governor/cpu_cost.h"
#include "governor/cpu_use.h"
#include "governor/eligibility.h"
#include "governor/law/window_room.h"
#include "governor/red_sensors.h"
#include "governor/short_of_capacity.h"

namespace sluice {
namespace {

std::string said_by(const CoreState& core, std::string_view name) {
  const auto sensor = std::ranges::find(core.sensors, name, &KnownSensor::name);
  if (sensor == core.sensors.end()) return "";
  const SensorState& state = sensor->sensor_state;
  if (!state.failure.empty()) return state.failure;
  if (!state.reading) return "not read yet";
  // Below its limit, the sentence alone would say that it is green.
  const double resume = sensor->policy.resume;
  const double pressure = state.reading->pressure();
  if (pressure >= 1 || pressure < resume) return state.reading->sentence;
  return state.reading->sentence + ", red until below " +
         std::to_string(std::lround(resume * 100)) + "% of that";
}

}  // namespace

bool is_full(const CoreState& core) {
  const bool is_at_knee = core.options.window.law == Law::knee && core.at_knee;
  return is_at_knee || core.running.permits().usage() >= core.window.size;
}

std::optional<Refusal> why_full(const CoreState& core) {
  auto refusal = full(room(core));
  if (refusal || !is_full(core)) return refusal;
  return core.refusal(RefusalCode::window, kCpuBinding, Points{0});
}

void record_refusal(CoreState& core, const Refusal& refused) {
  const bool is_size = refused.code == RefusalCode::window && !is_cpu_shortage(refused);
  core.refused_for_size = core.refused_for_size || is_size;
  core.refused_for_memory = core.refused_for_memory || refused.code == RefusalCode::memory;
}

std::optional<WindowChange> adjust_window(CoreState& core, TimePoint now) {
  judge_all(core, now);
  reprice_running(core, now);
  record_capacity(core, now);
  const std::vector<JudgedSensor> seen = sensors_that_count(core);
  const auto first = front(core, now);
  const bool by_cpu = core.options.window.law == Law::knee;
  const auto refusal = first && !by_cpu ? refuse(room(core), first->cost) : std::nullopt;
  const bool refused = core.refused_for_size || (refusal && refusal->code == RefusalCode::window);
  core.refused_for_size = core.refused_for_memory = false;
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
  core.last_change = WindowChange{.at = now,
                                  .from = before,
                                  .to = core.window.size,
                                  .cause = *step.cause,
                                  .sensor = is_red ? std::string(step.sensor) : "",
                                  .cpu = cpu_status(core, now),
                                  .pending = core.pending->size(),
                                  .said = is_red ? said_by(core, step.sensor) : ""};
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
