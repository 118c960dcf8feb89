// Scenarios of recorded work on the modelled machine.
#include "cli/whatif/model_run.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

Scenario two_cpus(Law law) {
  Scenario scenario;
  scenario.file = "s.yaml";
  scenario.cpus = 2;
  scenario.host.emplace().cpus = 2;
  scenario.config.cpus = 2;
  scenario.config.governing.window.law = law;
  return scenario;
}

ScenarioJob& add(Scenario& scenario, const std::string& id, Duration at, Duration runs,
                 Bytes memory = {}) {
  ScenarioJob& job = scenario.jobs.emplace_back();
  job.request.id = id;
  job.request.key = "k";
  job.at = at;
  job.phases = {{.runs = runs, .cores = 1, .growth = memory}};
  return job;
}

RunFigures run(const Scenario& scenario) {
  auto result = run_model(scenario);
  if (const auto* error = std::get_if<ConfigError>(&result)) ADD_FAILURE() << error->message;
  return std::get<RunFigures>(std::move(result));
}

TEST(ModelRun, MeasuresWaitsMakespanAndHowBusyTheCpusWere) {
  Scenario scenario = two_cpus(Law::rfc);
  WindowOptions& window = scenario.config.governing.window;
  window.initial = window.minimum = window.maximum = PointsSpec{10};
  add(scenario, "a", 0s, 10s).request.cost = Points{10};
  add(scenario, "b", 1s, 10s).request.cost = Points{10};
  const RunFigures figures = run(scenario);
  EXPECT_EQ(figures.waits.at("a"), 0s);
  EXPECT_EQ(figures.waits.at("b"), 9s);
  EXPECT_EQ(figures.makespan, 20s);
  EXPECT_NEAR(*figures.busy, 0.5, 0.05);
  EXPECT_EQ(figures.killed, 0U);
  EXPECT_EQ(figures.never, 0U);
}

TEST(ModelRun, AJobThatFollowsComesWhenTheOtherIsOver) {
  Scenario scenario = two_cpus(Law::rfc);
  WindowOptions& window = scenario.config.governing.window;
  window.initial = window.minimum = window.maximum = PointsSpec{100};
  add(scenario, "a", 0s, 10s).request.cost = Points{10};
  ScenarioJob& second = add(scenario, "b", 0s, 5s);
  second.follows = "a";
  second.gap = 2s;
  ScenarioJob& third = add(scenario, "c", 0s, 1s);
  third.follows = "b";
  const RunFigures figures = run(scenario);
  EXPECT_EQ(figures.waits.at("b"), 0s);
  EXPECT_EQ(figures.waits.at("c"), 0s);
  EXPECT_EQ(figures.makespan, 18s);
}

TEST(ModelRun, CountsJobsThatNeverCameAsNeverStarted) {
  Scenario scenario = two_cpus(Law::rfc);
  add(scenario, "a", 0s, 10s);
  for (const char* id : {"b", "c"}) {
    ScenarioJob& job = add(scenario, id, 0s, 5s);
    job.batch = "17";
    job.batch_waiting = 1;
  }
  ScenarioEvent& event = scenario.events.emplace_back();
  event.what = ScenarioEvent::Do::pause;
  EXPECT_EQ(run(scenario).never, 3U) << "two wait, one is held back";
}

TEST(ModelRun, AJobThatFollowsAnUnknownOneIsAnError) {
  Scenario scenario = two_cpus(Law::rfc);
  add(scenario, "b", 0s, 5s).follows = "nobody";
  const auto result = run_model(scenario);
  EXPECT_EQ(std::get<ConfigError>(result).message,
            "job `b`: follows: no job `nobody` comes before it");
}

/// Eight jobs of 600 MiB each, at once, in 2 GiB.
Scenario heavy_jobs() {
  Scenario scenario = two_cpus(Law::knee);
  scenario.memory = Bytes{2ULL << 30};
  scenario.config.governing.reservation.brake = ReservationOptions::Brake::off;
  for (int job = 0; job < 8; ++job) {
    add(scenario, "j" + std::to_string(job), 0s, 4s, Bytes{600ULL << 20}).phases[0].cores = 0.1;
  }
  return scenario;
}

TEST(ModelRun, WhatWasLearnedBeforeKeepsMemoryForJobs) {
  Scenario cold = heavy_jobs();
  cold.config.governing.reservation.prior = Bytes{1 << 20};
  cold.history.emplace();
  Scenario warm = cold;
  warm.history->push_back(
      {.key = "k", .runs = 4s, .cores = 0.1, .memory = Bytes{600ULL << 20}, .times = 10});
  EXPECT_GT(run(cold).killed, 0U);
  EXPECT_EQ(run(warm).killed, 0U);
}

TEST(ModelRun, SuspendsJobsIfMemoryRunsShort) {
  Scenario cold = heavy_jobs();
  cold.config.governing.reservation.prior = Bytes{1 << 20};
  cold.history.emplace();
  Scenario braked = cold;
  braked.config.governing.reservation.brake = ReservationOptions::Brake::suspend;
  EXPECT_LT(run(braked).killed, run(cold).killed);
}

}  // namespace
}  // namespace sluice::cli
