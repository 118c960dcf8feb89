#include "service/api/view_timeline.h"

#include <cmath>

#include "base/json_writer.h"

namespace sluice {
namespace {

/// One value of each sample.
template <typename Value>
void write_column(JsonWriter& json, std::string_view name, const Timeline& timeline, Value value) {
  json.list(name, timeline.samples(), [&](auto& sample) { json.value(value(sample)); });
}

/// Hundredths suffice for a chart and keep an hour of samples short. NaN is written as null.
double hundredths(float pressure) { return std::round(double{pressure} * 100) / 100; }

void write_sensors(JsonWriter& json, const Timeline& timeline) {
  json.key("sensors").begin_object();
  for (std::size_t at = 0; at < timeline.sensors().size(); ++at) {
    write_column(json, timeline.sensors()[at], timeline, [at](const Timeline::Sample& sample) {
      return at < sample.pressures.size() ? hundredths(sample.pressures[at]) : std::nan("");
    });
  }
  json.end_object();
}

void write_cut(JsonWriter& json, const Timeline::Cut& cut, const Instant& instant) {
  json.begin_object().member("at", wall_time(instant, cut.at));
  json.member("age", age_seconds(instant.now, cut.at));
  json.member("from", cut.from).member("to", cut.to).member("cause", to_string(cut.cause));
  json.member_or_null("sensor", cut.sensor).member("reason", cut.reason).end_object();
}

}  // namespace

std::string timeline_json(const Timeline& timeline, const Instant& instant) {
  std::string text;
  text.reserve(64 + timeline.samples().size() * (32 + 6 * timeline.sensors().size()));
  JsonWriter json(text);
  json.begin_object().member("now", rfc3339(instant.wall));
  json.member("step", age_seconds(TimePoint(Timeline::kStep), TimePoint{}));
  json.member("span", age_seconds(TimePoint(Timeline::kSpan), TimePoint{}));
  write_column(json, "age", timeline, [&](auto& sample) {
    return std::round(age_seconds(instant.now, sample.at) * 10) / 10;
  });
  write_column(json, "window", timeline, [](auto& sample) { return sample.window; });
  write_column(json, "usage", timeline, [](auto& sample) { return sample.usage; });
  write_column(json, "pending", timeline, [](auto& sample) { return sample.pending; });
  write_column(json, "running", timeline, [](auto& sample) { return sample.running; });
  write_column(json, "pressure", timeline, [](auto& sample) { return hundredths(sample.worst); });
  write_column(json, "busy", timeline, [](auto& sample) { return hundredths(sample.busy); });
  write_column(json, "waiting", timeline, [](auto& sample) { return hundredths(sample.waiting); });
  write_sensors(json, timeline);
  json.member("sensors_left_out", timeline.sensors_left_out());
  json.list("cuts", timeline.cuts(), [&](auto& cut) { write_cut(json, cut, instant); });
  json.member("cuts_forgotten", timeline.cuts_forgotten()).end_object();
  return text;
}

}  // namespace sluice
