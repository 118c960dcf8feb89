#include "cli/replay/run.h"

#include <gtest/gtest.h>

#include "replay_helpers.h"

namespace sluice::cli {
namespace {

TEST(Replay, AJobThatFitsIsAdmittedAtOnceAndEndsAfterItsTime) {
  ReplayBuilder builder;
  builder.job(0, "a", 90);
  EXPECT_EQ(replay(builder).text, R"({"t":0.0,"event":"submitted","job":"a"}
{"t":0.0,"event":"admitted","job":"a","cost":10,"usage":10,"window":20}
{"t":0.0,"event":"registered"}
{"t":90.0,"event":"finished","job":"a","usage":0}
)");
}

TEST(Replay, AnEmptyWorldIsRegisteredAndOver) {
  EXPECT_EQ(replay(ReplayBuilder()).text, "{\"t\":0.0,\"event\":\"registered\"}\n");
}

TEST(Replay, WhatEndsMakesRoomForWhatWaitsAtTheSameInstant) {
  ReplayBuilder builder;
  builder.job(0, "a", 30, 15);
  builder.job(1, "b", 5, 15);
  const std::string text = replay(builder).text;
  EXPECT_EQ(lines_with(text, {"\"t\":30.0"}), R"({"t":30.0,"event":"finished","job":"a","usage":0}
{"t":30.0,"event":"admitted","job":"b","cost":15,"usage":15,"window":20}
)");
  EXPECT_EQ(
      lines_with(text, {"refused"}),
      R"({"t":1.0,"event":"refused","job":"b","code":"window","binding":"window","cost":15,"usage":15,"window":20}
)");
}

TEST(Replay, AtOneInstantEndsComeBeforeSensorsEventsSubmissionsAndAdmission) {
  ReplayBuilder builder;
  builder.job(0, "a", 10);
  builder.job(10, "b", 5);
  builder.reading(10, "load", 1.5);
  builder.event(10, ScenarioEvent::Do::pause);
  builder.until(10);
  const std::string text = replay(builder).text;
  EXPECT_EQ(lines_with(text, {"\"t\":10.0"}), R"({"t":10.0,"event":"finished","job":"a","usage":0}
{"t":10.0,"event":"submitted","job":"b"}
{"t":10.0,"event":"refused","job":"b","code":"paused","binding":"pause"}
{"t":10.0,"event":"deregistered","cause":"paused"}
)");
}

TEST(Replay, JobsOfOneInstantAreSubmittedAsTheyStand) {
  ReplayBuilder builder;
  builder.job(5, "late", 1);
  builder.job(0, "y", 1);
  builder.job(0, "x", 1);
  EXPECT_EQ(lines_with(replay(builder).text, {"submitted"}),
            R"({"t":0.0,"event":"submitted","job":"y"}
{"t":0.0,"event":"submitted","job":"x"}
{"t":5.0,"event":"submitted","job":"late"}
)");
}

TEST(Replay, UntilIsInclusive) {
  ReplayBuilder builder;
  builder.job(0, "a", 60);
  builder.until(60);
  EXPECT_NE(replay(builder).text.find("\"t\":60.0,\"event\":\"finished\""), std::string::npos);
  builder.until(59);
  EXPECT_EQ(replay(builder).text.find("finished"), std::string::npos);
}

TEST(Replay, AJobMayTakeNoTimeAtAll) {
  ReplayBuilder builder;
  builder.job(0, "a", 0, 20);
  builder.job(0, "b", 0, 20);
  EXPECT_EQ(lines_with(replay(builder).text, {"usage"}),
            R"({"t":0.0,"event":"admitted","job":"a","cost":20,"usage":20,"window":20}
{"t":0.0,"event":"refused","job":"b","code":"window","binding":"window","cost":20,"usage":20,"window":20}
{"t":0.0,"event":"finished","job":"a","usage":0}
{"t":0.0,"event":"admitted","job":"b","cost":20,"usage":20,"window":20}
{"t":0.0,"event":"finished","job":"b","usage":0}
)");
}

TEST(Replay, ARedSensorStopsAdmissionAndIsGreenAgainOnlyBelowResume) {
  ReplayBuilder builder;
  builder.reading(10, "load", 1.0);
  builder.reading(30, "load", 0.95);
  builder.reading(50, "load", 0.89);
  builder.job(20, "a", 1);
  EXPECT_EQ(lines_with(replay(builder).text, {"\"a\""}),
            R"({"t":20.0,"event":"submitted","job":"a"}
{"t":20.0,"event":"refused","job":"a","code":"sensor","binding":"load"}
{"t":50.0,"event":"admitted","job":"a","cost":10,"usage":10,"window":20}
{"t":51.0,"event":"finished","job":"a","usage":0}
)");
}

TEST(Replay, AnUnknownSensorMovesTheWindowAndAGateFreezesIt) {
  for (const auto& [name, cuts] : {std::pair{"chillers", true}, std::pair{"disk", false}}) {
    ReplayBuilder builder;
    WindowOptions& window = builder.scenario.config.governing.window;
    window.law = Law::adaptive;
    window.initial = window.maximum = PointsSpec{40};
    window.minimum = PointsSpec{10};
    builder.job(0, "a", 10);
    builder.reading(5, name, 1.5);
    EXPECT_EQ(!lines_with(replay(builder).text, {"\"window\",\"size\""}).empty(), cuts) << name;
  }
}

TEST(Replay, WhatIsConfiguredOfASensorActs) {
  ReplayBuilder builder;
  builder.scenario.config.governing.sensors.load.resume = 1.0;
  builder.scenario.config.governing.sensors.files["licences"].resume = 0.5;
  builder.reading(0, "load", 1.2);
  builder.reading(10, "load", 0.99);
  builder.job(1, "a", 1);
  EXPECT_NE(lines_with(replay(builder).text, {"\"t\":10.0", "admitted"}), "");
  builder.reading(5, "licences", 1.0);
  builder.reading(8, "licences", 0.6);
  builder.reading(12, "licences", 0.4);
  EXPECT_NE(lines_with(replay(builder).text, {"\"t\":12.0", "admitted"}), "");
}

TEST(Replay, TheWindowIsLookedAtFirstAfterOneInterval) {
  ReplayBuilder builder(10);
  WindowOptions& window = builder.scenario.config.governing.window;
  window.maximum = PointsSpec{100};
  window.interval = std::chrono::seconds(2);
  builder.job(0, "a", 5);
  EXPECT_EQ(lines_with(replay(builder).text, {"\"event\":\"window\""}),
            R"({"t":2.0,"event":"window","size":20,"cause":"growth","from":10}
)");
}

TEST(Replay, CancelAndItsLimits) {
  ReplayBuilder builder;
  builder.job(0, "a", 30, 20);
  builder.job(0, "b", 30, 20);
  builder.event(5, ScenarioEvent::Do::cancel, "b");
  builder.event(6, ScenarioEvent::Do::cancel, "a");
  builder.event(7, ScenarioEvent::Do::cancel, "nobody");
  const Replayed replayed = replay(builder);
  EXPECT_EQ(lines_with(replayed.text, {"cancelled"}),
            "{\"t\":5.0,\"event\":\"cancelled\",\"job\":\"b\",\"code\":\"cancelled\"}\n");
  EXPECT_EQ(replayed.notes,
            (std::vector<std::string>{"s.yaml:100:3: cancel: job `a` is not pending",
                                      "s.yaml:100:3: no job `nobody` has been submitted"}));
}

TEST(Replay, WhatIsTooLargeIsRefusedAtSubmit) {
  ReplayBuilder builder;
  builder.job(0, "a", 30, 21);
  EXPECT_EQ(lines_with(replay(builder).text, {"\"a\""}),
            R"({"t":0.0,"event":"submitted","job":"a"}
{"t":0.0,"event":"refused","job":"a","code":"impossible","binding":"window","cost":21,"maximum":20}
)");
}

TEST(Replay, AReloadMovesTheWindowAndItsInterval) {
  ReplayBuilder builder;
  builder.job(0, "a", 20, 20);
  Config config = builder.scenario.config;
  WindowOptions& window = config.governing.window;
  window.minimum = window.initial = PointsSpec{30};
  window.maximum = PointsSpec{60};
  window.interval = std::chrono::seconds(5);
  window.increase_above = 0.5;
  builder.event(3, ScenarioEvent::Do::reload).config = std::make_shared<const Config>(config);
  EXPECT_EQ(lines_with(replay(builder).text, {"\"event\":\"window\""}),
            R"({"t":3.0,"event":"window","size":30,"cause":"reload","from":20}
{"t":8.0,"event":"window","size":40,"cause":"growth","from":30}
)");
}

TEST(Replay, AJobMayComeAfterOneThatComesLater) {
  ReplayBuilder builder;
  builder.job(0, "b", 5).after = {"a"};
  builder.job(10, "a", 20);
  EXPECT_EQ(lines_with(replay(builder).text, {"\"b\""}),
            R"({"t":0.0,"event":"submitted","job":"b"}
{"t":0.0,"event":"refused","job":"b","code":"dependency","binding":"after","ahead":"a"}
{"t":30.0,"event":"admitted","job":"b","cost":10,"usage":10,"window":20}
{"t":35.0,"event":"finished","job":"b","usage":0}
)");
}

TEST(Replay, WhatComesAfterAFailureGoesOnAsItSaid) {
  ReplayBuilder builder(1000);
  builder.job(0, "bad", 5).outcome = Outcome::failed;
  builder.job(1, "cancels", 5).after = {"bad"};
  builder.job(1, "runs", 5).after = {"bad"};
  builder.scenario.jobs.back().request.on_failure = OnFailure::run;
  builder.job(2, "chained", 5).after = {"cancels"};
  builder.job(9, "late", 5).after = {"bad"};
  const std::string text = replay(builder).text;
  EXPECT_EQ(
      lines_with(text, {"cancelled"}),
      R"({"t":5.0,"event":"cancelled","job":"cancels","code":"dependency","binding":"after","ahead":"bad"}
{"t":5.0,"event":"cancelled","job":"chained","code":"dependency","binding":"after","ahead":"cancels"}
{"t":9.0,"event":"cancelled","job":"late","code":"dependency","binding":"after","ahead":"bad"}
)");
  EXPECT_NE(lines_with(text, {"\"t\":5.0", "admitted", "\"runs\""}), "");
}

TEST(Replay, ARefusedJobCountsAsCancelledForWhoWaitsForIt) {
  ReplayBuilder builder;
  builder.job(0, "b", 5).after = {"huge"};
  builder.job(1, "huge", 5, 21);
  builder.job(2, "c", 5).after = {"huge"};
  EXPECT_EQ(
      lines_with(replay(builder).text, {"cancelled"}),
      R"({"t":1.0,"event":"cancelled","job":"b","code":"dependency","binding":"after","ahead":"huge"}
{"t":2.0,"event":"cancelled","job":"c","code":"dependency","binding":"after","ahead":"huge"}
)");
}

TEST(Replay, SetMovesAJobAndSaysWhereItCannot) {
  ReplayBuilder builder;
  builder.job(0, "a", 10, 20);
  builder.job(0, "b", 10, 20);
  builder.job(0, "c", 10, 20);
  builder.job(0, "d", 10, 20);
  builder.event(1, ScenarioEvent::Do::set, "d").priority = 5;
  builder.event(2, ScenarioEvent::Do::set, "c").position =
      ScenarioEvent::Position{JobChange::Position::Where::before, "b"};
  builder.event(3, ScenarioEvent::Do::set, "a").priority = 9;
  const Replayed replayed = replay(builder);
  EXPECT_EQ(lines_with(replayed.text, {"admitted"}),
            R"({"t":0.0,"event":"admitted","job":"a","cost":20,"usage":20,"window":20}
{"t":10.0,"event":"admitted","job":"d","cost":20,"usage":20,"window":20}
{"t":20.0,"event":"admitted","job":"c","cost":20,"usage":20,"window":20}
{"t":30.0,"event":"admitted","job":"b","cost":20,"usage":20,"window":20}
)");
  ASSERT_EQ(replayed.notes.size(), 1u);
  EXPECT_TRUE(replayed.notes[0].starts_with("s.yaml:100:3: set: job `a`: priority"))
      << replayed.notes[0];
}

TEST(Replay, AMoveBesideAJobThatHasStartedIsReported) {
  ReplayBuilder builder;
  for (const char* id : {"a", "b", "c"}) builder.job(0, id, 10, 20);
  builder.event(1, ScenarioEvent::Do::set, "c").position =
      ScenarioEvent::Position{JobChange::Position::Where::before, "a"};
  const Replayed replayed = replay(builder);
  ASSERT_EQ(replayed.notes.size(), 1u);
  EXPECT_TRUE(replayed.notes[0].starts_with("s.yaml:100:3: set: job `c`: position: "))
      << replayed.notes[0];
  EXPECT_TRUE(lines_with(replayed.text, {"admitted"})
                  .ends_with(R"("job":"c","cost":20,"usage":20,"window":20}
)")) << replayed.text;
}

TEST(Replay, AMoveToAQueueThatCanNeverRunTheJobIsReported) {
  ReplayBuilder builder;
  QueueingOptions& queueing = builder.scenario.config.governing.queueing;
  queueing.queues["night"] = {};
  RuleOptions rule;
  rule.queue = "night";
  rule.action = RuleOptions::Action::reject;
  queueing.rules = {rule};
  for (const char* id : {"a", "b"}) builder.job(0, id, 10, 20);
  builder.event(1, ScenarioEvent::Do::set, "b").queue = "night";
  const Replayed replayed = replay(builder);
  ASSERT_EQ(replayed.notes.size(), 1u);
  EXPECT_TRUE(replayed.notes[0].starts_with("s.yaml:100:3: set: job `b`: queue: "))
      << replayed.notes[0];
}

TEST(Replay, AgingBoundariesAreInstants) {
  ReplayBuilder builder(1000);
  ContentionOptions& contention = builder.scenario.config.governing.queueing.contention;
  contention.mode = ContentionMode::order;
  contention.levels = {"node"};
  contention.tick = std::chrono::milliseconds(1500);
  contention.aging_ticks = 2;
  builder.scenario.config.governing.window.interval = std::chrono::seconds(100);
  builder.job(0, "a", 50).request.cost = Points{1000};
  builder.job(0, "b", 50).request.cost = Points{1000};
  std::vector<Duration> instants;
  ReplaySink sink;
  sink.on_instant = [&](const ReplayInstant& instant) { instants.push_back(instant.t); };
  const JobSource jobs = jobs_from(builder.scenario.jobs);
  EXPECT_FALSE(run_replay(builder.scenario, jobs, "", sink));
  using namespace std::chrono_literals;
  EXPECT_EQ(instants, (std::vector<Duration>{0s, 1500ms, 3s, 50s, 100s}));
}

TEST(Replay, ItEndsWithTheLastThingThatHappens) {
  ReplayBuilder builder;
  builder.scenario.config.governing.queueing.contention.mode = ContentionMode::order;
  builder.job(0, "a", 100, 20);
  builder.job(0, "b", 100, 20);
  Duration last{0};
  ReplaySink sink;
  sink.on_instant = [&](const ReplayInstant& instant) { last = instant.t; };
  const JobSource jobs = jobs_from(builder.scenario.jobs);
  EXPECT_FALSE(run_replay(builder.scenario, jobs, "", sink));
  EXPECT_EQ(last, std::chrono::seconds(200));
}

TEST(Replay, EndsWithAnErrorBeforeItsClockOverflows) {
  constexpr int kTenThousandDays = 10'000 * 24 * 3600;
  ReplayBuilder builder;
  builder.scenario.config.governing.window.interval = std::chrono::hours(24'000);
  builder.job(0, "0", kTenThousandDays);
  for (int job = 1; job <= 10; ++job) {
    builder.job(0, std::to_string(job), kTenThousandDays).follows = std::to_string(job - 1);
  }
  const Replayed replayed = replay(builder);
  ASSERT_TRUE(replayed.error);
  EXPECT_EQ(to_string(*replayed.error),
            "s.yaml: the replay takes more than 90000d of its own time");
  EXPECT_NE(replayed.text.find(R"("t":7776000000.0,"event":"finished")"), std::string::npos);
  EXPECT_EQ(replayed.text.find(R"("t":-)"), std::string::npos) << replayed.text;
}

TEST(Replay, IdleTimeIsNotSteppedThrough) {
  ReplayBuilder builder;
  builder.job(0, "a", 1);
  builder.job(86400 * 300, "b", 1);
  std::size_t instants = 0;
  ReplaySink sink;
  sink.on_instant = [&](const ReplayInstant&) { ++instants; };
  const JobSource jobs = jobs_from(builder.scenario.jobs);
  EXPECT_FALSE(run_replay(builder.scenario, jobs, "", sink));
  EXPECT_LE(instants, 10u);
}

TEST(Replay, BadScenariosAreToldWithTheirPlace) {
  ReplayBuilder twice;
  twice.job(0, "a", 1);
  twice.job(1, "a", 1);
  EXPECT_EQ(to_string(*replay(twice).error), "s.yaml:2: job `a`: another job already has this id");
  ReplayBuilder itself;
  itself.job(0, "a", 1).after = {"a"};
  EXPECT_EQ(to_string(*replay(itself).error),
            "s.yaml:1: job `a`: after: a job cannot wait for itself");
  ReplayBuilder nobody;
  nobody.job(0, "a", 1).after = {"ghost"};
  EXPECT_EQ(to_string(*replay(nobody).error), "s.yaml:1: after: no line submits a job `ghost`");
  ReplayBuilder circle;
  circle.job(0, "a", 1).after = {"b"};
  circle.job(0, "b", 1).after = {"a"};
  EXPECT_EQ(
      to_string(*replay(circle).error),
      "s.yaml:2: job `b`: after: job `a` itself waits for this one, directly or through others");
  ReplayBuilder queue;
  queue.job(0, "a", 1).request.queue = "nightly";
  EXPECT_TRUE(to_string(*replay(queue).error).starts_with("s.yaml:1: job `a`: queue"));
  ReplayBuilder event;
  event.event(0, ScenarioEvent::Do::pause_queue).queue = "nightly";
  EXPECT_EQ(to_string(*replay(event).error), "s.yaml:100:3: queue: there is no queue `nightly`");
}

TEST(Replay, TheSameScenarioTellsTheSame) {
  const auto once = [] {
    ReplayBuilder builder(50);
    for (int i = 0; i < 500; ++i) {
      builder.job(i * 7 % 300, "job" + std::to_string(i), 1 + i * 13 % 40, 1 + i % 30);
      if (i % 50 == 0) builder.reading(i, "load", i % 100 == 0 ? 1.1 : 0.2);
    }
    return replay(builder).text;
  };
  EXPECT_EQ(once(), once());
}

}  // namespace
}  // namespace sluice::cli
