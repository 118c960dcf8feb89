#include "capi/own_sensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <variant>

#include "quiet_governor.h"

namespace sluice::capi {
namespace {

/// What the function of a sensor answers.
struct Answer {
  int result = 0;
  double pressure = 0;
  std::string sentence;
};

int measure(void* context, sluice_reading* reading) {
  const auto& answer = *static_cast<const Answer*>(context);
  EXPECT_EQ(reading->size, sizeof *reading);
  reading->value = 3;
  reading->limit = 4;
  reading->pressure = answer.pressure;
  std::strncpy(reading->sentence, answer.sentence.c_str(), sizeof reading->sentence);
  return answer.result;
}

sluice_sensor sensor_of(Answer& answer) {
  sluice_sensor sensor = SLUICE_SENSOR_INIT;
  sensor.name = "licences";
  sensor.measure = measure;
  sensor.context = &answer;
  return sensor;
}

/// The first reading; the sensor's thread has 50 ms for it, and may be slow: asked until it is
/// there.
Measurement first_of(const Sensor& sensor) {
  while (true) {
    Measurement measurement = sensor.measure(Clock::now());
    const auto* failure = std::get_if<ReadFailure>(&measurement.result);
    if (failure == nullptr || failure->what != "no reading yet") return measurement;
  }
}

Measurement measurement_of(Answer answer) {
  const sluice_sensor sensor = sensor_of(answer);
  return first_of(own_sensor(&sensor, "sensors[0]"));
}

std::string failure_of(const Answer& answer) {
  const Measurement measurement = measurement_of(answer);
  const auto* failure = std::get_if<ReadFailure>(&measurement.result);
  return failure != nullptr ? failure->what : "";
}

TEST(OwnSensor, ReadsWhatItsFunctionFills) {
  const Measurement measurement = measurement_of({0, 0.75, "3 of 4 licences in use"});
  const Reading& reading = std::get<Reading>(measurement.result);
  EXPECT_EQ(reading.pressure(), 0.75);
  EXPECT_EQ(reading.sentence, "3 of 4 licences in use");
  ASSERT_EQ(reading.conditions.size(), 1u);
  EXPECT_EQ(reading.conditions[0].value, 3);
  EXPECT_EQ(reading.conditions[0].limit, 4);
}

TEST(OwnSensor, FailsWithItsSentenceOrItsResult) {
  EXPECT_EQ(failure_of({-1, 0, "no licence server"}), "no licence server");
  EXPECT_EQ(failure_of({-1, 0, ""}), "returned -1");
}

TEST(OwnSensor, FailsOnAPressureThatIsNone) {
  for (const double pressure : {-0.1, 100.1, static_cast<double>(NAN)}) {
    EXPECT_NE(failure_of({0, pressure, ""}).find("is not from 0 to 100"), std::string::npos);
  }
}

TEST(OwnSensor, MayFillItsSentenceToTheLastByte) {
  const Measurement measurement = measurement_of({0, 0, std::string(400, 'x')});
  EXPECT_EQ(std::get<Reading>(measurement.result).sentence, std::string(256, 'x'));
}

std::string problem_of_sensor(const sluice_sensor* sensor) {
  try {
    own_sensor(sensor, "sensors[2]");
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
  return "";
}

TEST(OwnSensor, SaysWhatIsWrongWithIt) {
  Answer answer;
  EXPECT_EQ(problem_of_sensor(nullptr), "sensors[2]: is NULL");
  sluice_sensor sensor = sensor_of(answer);
  sensor.measure = nullptr;
  EXPECT_EQ(problem_of_sensor(&sensor), "sensors[2].measure: is NULL");
  sensor = sensor_of(answer);
  sensor.acts = 2;
  EXPECT_EQ(problem_of_sensor(&sensor), "sensors[2].acts: 2 is no sluice_acts");
  sensor = sensor_of(answer);
  sensor.max_age = 0.01;
  EXPECT_EQ(problem_of_sensor(&sensor), "sensors[2].max_age: is below 0.1");
  sensor.max_age = -1;
  EXPECT_EQ(problem_of_sensor(&sensor), "sensors[2].max_age: is not a time from 0 to 1e9 seconds");
}

TEST(OwnSensor, KeepsItsPolicy) {
  Answer answer;
  sluice_sensor sensor = sensor_of(answer);
  EXPECT_EQ(own_sensor(&sensor, "s").policy.resume, 0.9);
  EXPECT_EQ(own_sensor(&sensor, "s").policy.max_age, std::chrono::seconds(10));
  EXPECT_EQ(own_sensor(&sensor, "s").policy.acts, Acts::gate);
  sensor.resume = 0.5;
  sensor.max_age = 3;
  sensor.acts = SLUICE_CONGESTION;
  EXPECT_EQ(own_sensor(&sensor, "s").policy.resume, 0.5);
  EXPECT_EQ(own_sensor(&sensor, "s").policy.max_age, std::chrono::seconds(3));
  EXPECT_EQ(own_sensor(&sensor, "s").policy.acts, Acts::congestion);
}

/// A governor with one sensor of the program's own.
sluice_governor_options with(const sluice_sensor* const& sensor) {
  sluice_governor_options options = SLUICE_GOVERNOR_OPTIONS_INIT;
  options.sensors = &sensor;
  options.sensor_count = 1;
  return options;
}

TEST(OwnSensor, StopsAdmissionWhileItIsRed) {
  Answer answer{0, 1, "4 of 4 licences in use"};
  const sluice_sensor sensor = sensor_of(answer);
  const sluice_sensor* const one = &sensor;
  const QuietGovernor governor("", with(one));
  ASSERT_EQ(governor.code, SLUICE_OK) << governor.error.text;
  const Job job(10);
  sluice_permit* permit = nullptr;
  sluice_error error = SLUICE_ERROR_INIT;
  // Until the sensor has been read, the governor may admit.
  while (sluice_try_admit(governor.handle, job.handle, &permit, &error) == SLUICE_OK) {
    sluice_permit_release(permit, SLUICE_OUTCOME_UNKNOWN, nullptr);
  }
  EXPECT_STREQ(error.reason, "sensor");
  EXPECT_NE(std::string(error.text).find("licences"), std::string::npos) << error.text;
}

TEST(OwnSensor, NeedsANameOfItsOwn) {
  Answer answer;
  sluice_sensor sensor = sensor_of(answer);
  const sluice_sensor* const one = &sensor;
  sensor.name = "Not a name";
  const QuietGovernor unnamed("", with(one));
  EXPECT_EQ(unnamed.code, SLUICE_INVALID);
  EXPECT_EQ(unnamed.handle, nullptr);
  EXPECT_STREQ(unnamed.error.text, "sensors.Not a name: a name is made of a-z, 0-9 and _");
}

}  // namespace
}  // namespace sluice::capi
