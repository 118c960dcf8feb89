#include "cli/whatif/recorded_work.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace sluice::cli {
namespace {

/// The least pressure that is red, in thousandths.
constexpr std::int64_t kRed = 1000;

}  // namespace

void RecordedWork::press(const When& when, const record::Pressures& changed) {
  pressures.emplace_back(when, changed);
  for (const auto& [sensor, pressure] : changed.of) {
    pressing[sensor.text] = pressure;
    failing.erase(sensor.text);
  }
}

void RecordedWork::say(const When& when, const std::string& sensor, std::int64_t pressure) {
  pressures.emplace_back(when, record::Pressures{{{{sensor}, pressure}}});
  pressing[sensor] = pressure;
}

void RecordedWork::relieve(const When& when, std::string sensor) {
  if (pressing.erase(sensor) == 0) return;
  pressures.emplace_back(when, record::Pressures{{{{std::move(sensor)}, 0}}});
}

void RecordedWork::judge(const When& when, const record::SensorVerdict& verdict) {
  verdict.up ? recover(when, verdict) : fail(when, verdict);
}

/// One that fails no longer has the pressure that it was read with: it counts as red, or is
/// ignored.
void RecordedWork::fail(const When& when, const record::SensorVerdict& verdict) {
  const std::string& sensor = verdict.sensor.text;
  const auto last = pressing.find(sensor);
  const std::int64_t read = last == pressing.end() ? 0 : last->second;
  failing.try_emplace(sensor, read);
  verdict.red ? say(when, sensor, std::max(read, kRed)) : relieve(when, sensor);
}

/// A pressure is recorded only if it has changed since it was last read, before the failure.
void RecordedWork::recover(const When& when, const record::SensorVerdict& verdict) {
  const std::string& sensor = verdict.sensor.text;
  const auto found = failing.extract(sensor);
  if (found.empty()) return;
  const std::int64_t read = found.mapped();
  if (verdict.red) return say(when, sensor, std::max(read, kRed));
  say(when, sensor, 0);
  // A sensor that was red stays so down to `resume`, but this one was red only as it failed.
  const When next{when.at + Duration{1}, when.wall, when.boot};
  if (read > 0 && read < kRed) say(next, sensor, read);
}

/// A sensor may have failed in a part of the record that is gone, or whose entries were lost.
void RecordedWork::restate(const When& when, const record::Restated& all) {
  if (all.operated) {
    std::vector<std::string>& acts = standing.emplace_back(when, std::vector<std::string>{}).second;
    for (const record::Name& each : *all.operated) acts.push_back(each.text);
  }
  for (const record::SensorVerdict& each : all.red) {
    if (!each.up && !failing.contains(each.sensor.text)) fail(when, each);
  }
}

void RecordedWork::happen(const When& when, const record::DaemonEvent& event) {
  if (event.what == "operated") operations.emplace_back(when, event.detail.text);
  if (event.what == "started") {
    operations.emplace_back(when, kRestart);
    while (!pressing.empty()) relieve(when, pressing.begin()->first);
    failing.clear();
  }
  // While no daemon runs, the machine's use is not recorded.
  if (event.what == "stopping") levels.emplace_back(when, record::Level{});
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
  has_calls = has_calls || std::holds_alternative<record::GovernorCall>(dated.entry);
  if (const auto* level = std::get_if<record::Level>(&dated.entry)) {
    levels.emplace_back(when, *level);
  } else if (const auto* configured = std::get_if<record::Configured>(&dated.entry)) {
    configurations.emplace_back(when, *configured);
  } else if (const auto* changed = std::get_if<record::Pressures>(&dated.entry)) {
    press(when, *changed);
  } else if (const auto* verdict = std::get_if<record::SensorVerdict>(&dated.entry)) {
    judge(when, *verdict);
  } else if (const auto* all = std::get_if<record::Restated>(&dated.entry)) {
    restate(when, *all);
  } else if (const auto* gap = std::get_if<record::Gap>(&dated.entry)) {
    gaps.emplace_back(when, *gap);
  } else if (const auto* event = std::get_if<record::DaemonEvent>(&dated.entry)) {
    happen(when, *event);
  }
}

}  // namespace sluice::cli
