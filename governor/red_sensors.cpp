#include "governor/red_sensors.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "governor/cpu_use.h"
#include "governor/law/liveness.h"
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

/// Which of the sensors count that show how busy other programs keep the machine.
enum class OthersWork { all, disks, none };

/// Under `when_red: use_half` one job always runs, whatever these sensors show. While our jobs use
/// less than half of the CPUs, only pressure on the disks counts.
OthersWork others_work(const CoreState& core) {
  const bool goes_on = core.options.window.law == Law::knee &&
                       core.options.when_red == GovernorOptions::WhenRed::use_half;
  if (!goes_on) return OthersWork::all;
  if (nothing_runs(core.running.count())) return OthersWork::none;
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
                     (limit == 1 ? " job" : " jobs") + " in set-up, " + std::to_string(running) +
                     " running";
  return reading;
}

Room room(const CoreState& core) {
  const std::string_view red = red_now(core);
  const bool is_starting = starting_gate_is_red(core) && red.empty();
  return {core.running.permits().usage(), core.window.size, core.operated,
          is_starting ? kStarting : red};
}

std::optional<Refusal> why_closed(const CoreState& core) { return closed(room(core)); }

void judge_all(CoreState& core, TimePoint now) {
  core.judged.clear();
  for (const KnownSensor& sensor : core.sensors) {
    const auto judged = effective_state(sensor.name, sensor.policy, sensor.sensor_state, now);
    if (!judged) continue;
    core.judged.push_back(*judged);
    if (sensor_counts(core, sensor, now)) continue;
    core.judged.back().red = false;
    core.judged.back().pressure = 0;
  }
  core.red = worst_red(core.judged);
  core.red_when_idle = worst_red(without(core.judged, OthersWork::none));
  core.red_below_half = worst_red(without(core.judged, OthersWork::disks));
  core.judged_at = now;
}

std::vector<std::string_view> observe(CoreState& core, const std::vector<TimedMeasurement>& sweep,
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

std::vector<JudgedSensor> sensors_that_count(const CoreState& core) {
  std::vector<JudgedSensor> seen = without(core.judged, others_work(core));
  const bool is_paused = core.operated != Switch::running;
  seen.push_back({kPause, Acts::gate, is_paused, true, is_paused ? 1.0 : 0.0});
  if (core.options.starting != Presence::off) {
    const bool red = starting_gate_is_red(core);
    seen.push_back({kStarting, Acts::gate, red, true, red ? 1.0 : 0.0});
  }
  return seen;
}

}  // namespace sluice
