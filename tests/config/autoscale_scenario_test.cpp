// Scenarios of the autoscaler, and the section `autoscale` that they share with sluice.yaml.
#include <gtest/gtest.h>

#include "config/scenario_autoscale.h"
#include "config_tests/parse.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;
using Errors = std::vector<std::string>;

Errors autoscale_errors(std::string_view text) {
  Errors errors;
  const AutoscaleScenarioResult result = parse_autoscale_scenario(text, "f");
  if (const auto* found = std::get_if<std::vector<ConfigError>>(&result)) {
    for (const ConfigError& error : *found) errors.push_back(to_string(error));
  }
  return errors;
}

constexpr std::string_view kWholeAutoscale = R"(
autoscale: {rules: starcluster, min: 2, max: 5, add: 3, interval: 30s, wait: 900s, stabilise: 180s,
            kill_after: 50min, billing: 2h, lookback: 6h, kill_master: true, slots_each: 4,
            target: 70%, smooth: 5min, floor: 20, started: -1h}
observations:
  - {at: 90s, blind: true}
  - at: 0s
    executors: [{id: node001, master: true, slots: 8, used: 7, up: 2h},
                {id: node002, booting: true, draining: true, blind: true, window: 40, usage: 15}]
    queued: [{slots: 2, waited: 901s}, {waited: -10s, held: true, cost: 15}]
)";

TEST(AutoscaleScenario, EveryKeyReachesItsPlace) {
  ASSERT_EQ(autoscale_errors(kWholeAutoscale), Errors{});
  const auto scenario = std::get<AutoscaleScenario>(parse_autoscale_scenario(kWholeAutoscale, "f"));
  AutoscaleOptions options;
  options.rules = ScaleRules::starcluster;
  options.min = 2;
  options.max = 5;
  options.add = 3;
  options.interval = 30s;
  options.wait = 900s;
  options.stabilise = 180s;
  options.kill_after = 50min;
  options.billing = 2h;
  options.lookback = 6h;
  options.kill_master = true;
  options.slots_each = 4;
  options.target = 0.7;
  options.smooth = 5min;
  options.floor = Points{20};
  EXPECT_EQ(scenario.options, options);
  EXPECT_EQ(scenario.started, -1h);
  ASSERT_EQ(scenario.observations.size(), 2u);
  EXPECT_EQ(scenario.observations[0].at, 0s) << "in the order of time";
  const Observation& seen = scenario.observations[0].seen;
  ASSERT_EQ(seen.executors.size(), 2u);
  EXPECT_EQ(seen.executors[0], (Executor{"node001", true, 8, 7, 2h}));
  EXPECT_EQ(seen.executors[1], (Executor{.id = "node002",
                                         .booting = true,
                                         .draining = true,
                                         .blind = true,
                                         .window = Points{40},
                                         .usage = Points{15}}));
  ASSERT_EQ(seen.queued.size(), 2u);
  EXPECT_EQ(seen.queued[0], (QueuedJob{2, 901s, false, Points{0}}));
  EXPECT_EQ(seen.queued[1], (QueuedJob{1, -10s, true, Points{15}}));
  EXPECT_FALSE(seen.blind);
  EXPECT_TRUE(scenario.observations[1].seen.blind);
}

TEST(AutoscaleScenario, WhatIsWrongIsNamedWithItsPlace) {
  struct Case {
    std::string text, error;
  };
  const std::string front = "autoscale: {max: 5}\nobservations:\n- ";
  const std::vector<Case> cases{
      {"",
       "f: an autoscaler scenario must be a map with `autoscale:` and `observations:`; is empty"},
      {"autoscale: {max: 5}", "f:1:1: an autoscaler scenario needs `observations`"},
      {"observations: []", "f:1:1: autoscale.max is required: the largest number of executors"},
      {"autoscale: {min: 2}\nobservations: []",
       "f:1:1: autoscale.max is required: the largest number of executors"},
      {"autoscale: {min: 6, max: 5}\nobservations: []",
       "f:1:18: autoscale.min must not be above max"},
      {"autoscale: {max: 5, mn: 1}\nobservations: []",
       "f:1:21: unknown key `mn`; did you mean "
       "`min`?"},
      {"autoscale: {max: 5, kill_after: 1h}\nobservations: []",
       "f:1:33: autoscale.kill_after must be below billing, or no executor is ever far enough into "
       "its period to be removed"},
      {"autoscale: {max: 5, started: 1}\nobservations: []",
       "f:1:30: autoscale.started must be a duration such as 30s, 10min or 500ms; is `1`; add the "
       "unit: ns, us, ms, s, min (or m), h or d"},
      {"autoscale: {max: 5}\nobservation: []\nobservations: []",
       "f:2:1: unknown key `observation`; did you mean `observations`?"},
      {"autoscale: {max: 5}\nobservations: 3", "f:2:15: observations must be a list; is `3`"},
      {front + "{executors: [{slots: 8}]}",
       "f:3:16: observations[0].executors[0]: an executor needs `id`"},
      {front + "{executors: [{id: a}, {id: a}]}",
       "f:3:30: observations[0].executors[1]: id `a` is given twice"},
      {front + "{executors: [{id: a, used: -1}]}",
       "f:3:30: observations[0].executors[0]: used must be at least 0 and at most 1000000; is "
       "`-1`"},
      {front + "{queued: [{slot: 1}]}",
       "f:3:14: observations[0].queued[0]: unknown key `slot`; did you mean `slots`?"},
      {front + "{queued: {}}", "f:3:12: observations[0].queued must be a list; is a map"},
  };
  for (const Case& c : cases) EXPECT_EQ(autoscale_errors(c.text), Errors{c.error}) << c.text;
}

TEST(AutoscaleConfig, IsCheckedInAConfigurationToo) {
  EXPECT_EQ(config_of("autoscale: {min: 2}").autoscale.least(), 2)
      << "only who scales needs a maximum";
  EXPECT_EQ(errors_of("autoscale: {min: 3, max: 2}"),
            Errors{"f:1:18: autoscale.min must not be above max"});
  EXPECT_EQ(errors_of("autoscale: {billing: 30min, kill_after: 30min}"),
            Errors{"f:1:41: autoscale.kill_after must be below billing, or no executor is ever far "
                   "enough into its period to be removed"});
  EXPECT_EQ(config_of("autoscale: {billing: 30min}").autoscale.due_after(), 22min + 30s);
}

}  // namespace
}  // namespace sluice
