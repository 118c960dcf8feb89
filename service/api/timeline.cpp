#include "service/api/timeline.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/utf8.h"

namespace sluice {
namespace {

constexpr float kNotKnown = std::numeric_limits<float>::quiet_NaN();

bool has_value(const Timeline::Sample& sample, std::size_t column) {
  return column < sample.pressures.size() && !std::isnan(sample.pressures[column]);
}

}  // namespace

void Timeline::sample(const Status& status) {
  if (!samples_.empty() && status.now <= samples_.back().at) return;
  while (!samples_.empty() &&
         (samples_.size() == kMostSamples || samples_.front().at < status.now - kSpan)) {
    samples_.pop_front();
  }
  Sample taken{.at = status.now,
               .window = status.size.value,
               .usage = status.usage.value,
               .pending = status.pending,
               .running = status.running,
               .pressures = {}};
  if (status.cpu) {
    taken.busy = static_cast<float>(status.cpu->busy);
    taken.waiting = static_cast<float>(status.cpu->waiting);
  }
  left_out_ = 0;
  for (const SensorStatus& sensor : status.sensors) {
    if (!sensor.fresh || !sensor.reading) continue;
    const auto pressure = static_cast<float>(sensor.reading->pressure());
    if (!sensor.ignored) taken.worst = std::max(taken.worst, pressure);
    const std::size_t column = column_of(sensor.name, taken);
    if (column == kMostSensors) {
      ++left_out_;
      continue;
    }
    if (taken.pressures.size() <= column) taken.pressures.resize(column + 1, kNotKnown);
    taken.pressures[column] = pressure;
  }
  samples_.push_back(std::move(taken));
}

void Timeline::record_change(const WindowChange& change) {
  if (change.to >= change.from) return;
  if (cuts_.size() == kMostCuts) {
    cuts_.pop_front();
    ++forgotten_;
  }
  cuts_.push_back({.at = change.at,
                   .from = change.from,
                   .to = change.to,
                   .cause = change.cause,
                   .sensor = change.sensor,
                   .reason = std::string(utf8_cut(to_sentence(change), kMostReasonBytes))});
}

std::size_t Timeline::column_of(const std::string& name, const Sample& taken) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  const auto column = static_cast<std::size_t>(found - names_.begin());
  if (column < names_.size()) return column;
  if (column < kMostSensors) {
    names_.push_back(name);
    return column;
  }
  // A sensor that a reload removed frees its column once its last sample is forgotten.
  for (std::size_t old = 0; old < names_.size(); ++old) {
    if (has_value(taken, old) || !is_blank(old)) continue;
    names_[old] = name;
    return old;
  }
  return kMostSensors;
}

bool Timeline::is_blank(std::size_t column) const {
  return std::ranges::none_of(samples_, [&](auto& sample) { return has_value(sample, column); });
}

}  // namespace sluice
