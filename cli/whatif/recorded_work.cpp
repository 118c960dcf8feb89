#include "cli/whatif/recorded_work.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace sluice::cli {

void RecordedWork::press(const When& when, const record::Pressures& changed) {
  pressures.emplace_back(when, changed);
  for (const auto& [sensor, pressure] : changed.of) pressing[sensor.text] = pressure;
}

void RecordedWork::relieve(const When& when, std::string sensor) {
  if (pressing.erase(sensor) == 0) return;
  pressures.emplace_back(when, record::Pressures{{{{std::move(sensor)}, 0}}});
}

void RecordedWork::add(const record::Dated& dated, Side side) {
  story.add(dated);
  if (std::holds_alternative<record::SegmentStart>(dated.entry)) return;
  const When when = *story.last();
  is_part = is_part || side != Side::within;
  if (side == Side::within) {
    from = std::min(from.value_or(when), when);
    to = std::max(to.value_or(when), when);
  }
  if (const auto* level = std::get_if<record::Level>(&dated.entry)) {
    levels.emplace_back(when, *level);
  } else if (const auto* configured = std::get_if<record::Configured>(&dated.entry)) {
    configurations.emplace_back(when, *configured);
  } else if (const auto* changed = std::get_if<record::Pressures>(&dated.entry)) {
    press(when, *changed);
  } else if (const auto* verdict = std::get_if<record::SensorVerdict>(&dated.entry)) {
    // One that fails and is ignored no longer has the pressure that it was read with.
    if (!verdict->up && !verdict->red) relieve(when, verdict->sensor.text);
  } else if (const auto* gap = std::get_if<record::Gap>(&dated.entry)) {
    gaps.emplace_back(when, *gap);
  } else if (const auto* event = std::get_if<record::DaemonEvent>(&dated.entry)) {
    if (event->what == "operated") operations.emplace_back(when, event->detail.text);
    while (event->what == "started" && !pressing.empty()) relieve(when, pressing.begin()->first);
    // While no daemon runs, nobody says how busy the machine is.
    if (event->what == "stopping") levels.emplace_back(when, record::Level{});
  }
}

}  // namespace sluice::cli
