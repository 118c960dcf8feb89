#include "capi/own_sensor.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "capi/arguments.h"
#include "capi/structs.h"
#include "sluice/in_worker.h"

namespace sluice::capi {
namespace {

constexpr Duration kEvery = std::chrono::seconds(1);

/// It is read twice in this time at most.
constexpr Duration kLeastMaxAge = std::chrono::milliseconds(100);

std::string sentence_of(const sluice_reading& reading) {
  const std::size_t length = strnlen(reading.sentence, sizeof reading.sentence);
  return printable({reading.sentence, length});
}

Reading reading_of(const std::string& name, const sluice_reading& read) {
  return {.conditions = {{name, read.value, read.limit, {}, Unit::count, read.pressure}},
          .sentence = sentence_of(read),
          .source = {}};
}

Measurement measure(const sluice_sensor& sensor, const std::string& name, TimePoint now) {
  sluice_reading read{sizeof(sluice_reading), 0, 0, 0, ""};
  const int failed = sensor.measure(sensor.context, &read);
  if (failed != 0) {
    const std::string why = sentence_of(read);
    return {now, ReadFailure{why.empty() ? "returned " + std::to_string(failed) : why}};
  }
  // Written so that NaN is refused.
  if (!(read.pressure >= 0 && read.pressure <= 100)) {
    return {now, ReadFailure{"a pressure of " + std::to_string(read.pressure) +
                             " is not from 0 to 100"}};
  }
  return {now, reading_of(name, read)};
}

}  // namespace

Sensor own_sensor(const sluice_sensor* given, const std::string& field) {
  if (given == nullptr) reject(field, "is NULL");
  const sluice_sensor sensor = known_fields(*given, SLUICE_SENSOR_INIT, "sluice_sensor");
  if (sensor.measure == nullptr) reject(field + ".measure", "is NULL");
  Sensor own;
  own.name = text_of(sensor.name, field + ".name");
  own.policy.acts =
      enum_of<Acts>(sensor.acts, {{SLUICE_GATE, Acts::gate}, {SLUICE_CONGESTION, Acts::congestion}},
                    field + ".acts", "sluice_acts");
  if (sensor.resume != 0) own.policy.resume = sensor.resume;
  const Duration max_age = time_of(sensor.max_age, field + ".max_age");
  if (max_age != Duration{} && max_age < kLeastMaxAge) reject(field + ".max_age", "is below 0.1");
  if (max_age != Duration{}) own.policy.max_age = max_age;
  own.measure = [sensor, name = own.name](TimePoint now) { return measure(sensor, name, now); };
  const Duration every = std::min(kEvery, own.policy.max_age / 2);
  return in_worker(std::move(own), every);
}

}  // namespace sluice::capi
