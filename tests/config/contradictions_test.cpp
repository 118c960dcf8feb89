#include <gtest/gtest.h>

#include <random>

#include "config_tests/parse.h"
#include "repetitions.h"

namespace sluice {
namespace {

using Errors = std::vector<std::string>;

TEST(Contradictions, AreFoundAmongGivenValues) {
  struct Case {
    std::string text;
    std::string error;
  };
  for (const Case& c : {
           Case{"window: {maximum: 20, minimum: 40}",
                "f:1:32: window.minimum (40) must not be above window.maximum (20)"},
           Case{"window: {minimum: 20, initial: 10}",
                "f:1:19: window.minimum (20) must not be above window.initial (10)"},
           Case{"window: {initial: 30, maximum: 20}",
                "f:1:19: window.initial (30) must not be above window.maximum (20)"},
           Case{"window: {initial: 30, maximum: 10/cpu}",
                "f:1:19: window.initial (30) must not be above window.maximum (10/cpu, so 20 with "
                "2 CPUs)"},
           Case{"window: {threshold: 30, maximum: 20}",
                "f:1:21: window.threshold (30) must not be above window.maximum (20)"},
           Case{"sensors: {starting: {floor: 3, most: 2}}",
                "f:1:29: sensors.starting.floor (3) must not be above sensors.starting.most (2)"},
           Case{"sensors: {x: {kind: file, path: /x, limit: 1, every: 1min, max_age: 5s}}",
                "f:1:54: sensors.x.every (1min) must not be above sensors.x.max_age (5s)"},
           Case{"sensors: {x: {kind: command, command: [x], every: 1min, max_age: 5s}}",
                "f:1:51: sensors.x.every (1min) must not be above sensors.x.max_age (5s)"},
       }) {
    EXPECT_EQ(errors_of(c.text), Errors{c.error}) << c.text;
  }
}

TEST(Contradictions, DependOnTheMachine) {
  const std::string text = "window: {initial: 30, maximum: 10/cpu}";
  EXPECT_TRUE(errors_of(text, 3).empty());
  EXPECT_EQ(errors_of(text, 2.999),
            Errors{"f:1:19: window.initial (30) must not be above window.maximum (10/cpu, so 29 "
                   "with 3 CPUs)"});
  EXPECT_TRUE(errors_of("window: {minimum: 1, initial: 1/cpu}", 0.25).empty())
      << "no size is below one point";
}

TEST(Contradictions, EqualBoundsAreNone) {
  EXPECT_TRUE(errors_of("window: {minimum: 20, initial: 20, maximum: 20, threshold: 20}").empty());
  EXPECT_TRUE(errors_of("sensors: {starting: {floor: 3, most: 3}}").empty());
}

TEST(Contradictions, IgnoreWhatOnlyTheOtherLawUses) {
  EXPECT_TRUE(errors_of("window: {law: rfc, threshold: 30, maximum: 20}").empty());
}

TEST(Contradictions, DefaultsGiveWay) {
  for (const std::string text :
       {"window: {maximum: 5}", "window: {minimum: 5000}", "window: {initial: 1}",
        "window: {initial: 1000}", "window: {threshold: 1000}", "sensors: {starting: {floor: 100}}",
        "sensors: {starting: {most: 1}}",
        "sensors: {x: {kind: file, path: /x, limit: 1, every: 1h}}"}) {
    EXPECT_TRUE(errors_of(text, 16).empty()) << text;
  }
}

TEST(Contradictions, WhatIsAcceptedSettlesWithinItsBounds) {
  std::mt19937_64 random(7);
  const auto pick = [&](int most) { return static_cast<int>(random() % most); };
  int accepted = 0;
  for (int i = 0; i < repetitions(1500); ++i) {
    const double cpus = 0.25 * (1 + pick(64));
    std::string text = "window: {law: adaptive";
    for (const std::string key : {"initial", "minimum", "maximum", "threshold"}) {
      if (pick(2) == 0) continue;
      text += ", " + key + ": " + std::to_string(1 + pick(60)) + (pick(2) == 0 ? "" : "/cpu");
    }
    const ConfigResult result = parse_config(text + "}", "f", cpus);
    const Config* config = std::get_if<Config>(&result);
    if (config == nullptr) continue;
    ++accepted;
    const WindowParameters window = settle(config->governing.window, cpus);
    const bool threshold_fits =
        window.threshold <= window.maximum || !config->governing.window.maximum;
    EXPECT_LE(window.minimum, window.initial) << text;
    EXPECT_LE(window.initial, window.maximum) << text;
    EXPECT_TRUE(threshold_fits) << text;
  }
  EXPECT_GT(accepted, repetitions(300));
}

}  // namespace
}  // namespace sluice
