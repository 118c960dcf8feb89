#include "cli/status/watch_track.h"

#include <algorithm>
#include <boost/json.hpp>
#include <stdexcept>

namespace sluice::cli {
namespace json = boost::json;
namespace {

std::optional<double> number_in(const json::array& column, std::size_t at) {
  if (column.at(at).is_null()) return std::nullopt;
  return column.at(at).to_number<double>();
}

WatchCut cut_of(const json::object& cut, double now) {
  return {now - cut.at("age").to_number<double>(), json::value_to<std::string>(cut.at("reason"))};
}

}  // namespace

void WatchTrack::add(const WatchSample& sample) {
  // The clock was set back, or the daemon's timeline differs.
  while (!samples.empty() && samples.back().at >= sample.at) samples.pop_back();
  samples.push_back(sample);
  while (samples.front().at < sample.at - kSpan) samples.pop_front();
}

std::vector<std::optional<double>> WatchTrack::cells(std::optional<double> WatchSample::*what,
                                                     double now, std::size_t cells) const {
  std::vector<std::optional<double>> values(cells);
  for (const WatchSample& sample : samples) {
    const double part = (sample.at - (now - kSpan)) / kSpan;
    if (!(sample.*what) || part <= 0 || part > 1) continue;
    const auto place = static_cast<std::size_t>(part * static_cast<double>(cells));
    std::optional<double>& value = values[std::min(place, cells - 1)];
    value = std::max(value.value_or(*(sample.*what)), *(sample.*what));
  }
  return values;
}

WatchSample sample_of(const HostView& view, double now) {
  WatchSample sample{now, static_cast<double>(view.size), static_cast<double>(view.usage),
                     static_cast<double>(std::max(view.all_pending, view.pending.size())),
                     std::nullopt};
  for (const HostView::SensorRow& sensor : view.sensors) {
    if (sensor.verdict == "failed" || sensor.verdict == "ignored") continue;
    sample.pressure = std::max(sample.pressure.value_or(0), sensor.pressure);
  }
  return sample;
}

WatchTrack track_of(std::string_view timeline_json, double now) try {
  const json::value parsed = json::parse(timeline_json);
  const json::object& timeline = parsed.as_object();
  const json::array& ages = timeline.at("age").as_array();
  const json::array& window = timeline.at("window").as_array();
  const json::array& usage = timeline.at("usage").as_array();
  const json::array& pending = timeline.at("pending").as_array();
  const json::array& pressure = timeline.at("pressure").as_array();
  WatchTrack track;
  for (std::size_t i = 0; i < ages.size(); ++i) {
    track.add({now - ages[i].to_number<double>(), number_in(window, i), number_in(usage, i),
               number_in(pending, i), number_in(pressure, i)});
  }
  for (const json::value& cut : timeline.at("cuts").as_array()) {
    track.cuts.push_back(cut_of(cut.as_object(), now));
  }
  return track;
} catch (const std::exception& error) {
  throw std::runtime_error(std::string("cannot read the daemon's timeline: ") + error.what());
}

}  // namespace sluice::cli
