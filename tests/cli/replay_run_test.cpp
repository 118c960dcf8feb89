#include "cli/replay_run.h"

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
  builder.event(10, ScriptedEvent::Operate{Switch::paused});
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
  builder.event(5, ScriptedEvent::Cancel{"b"});
  builder.event(6, ScriptedEvent::Cancel{"a"});
  builder.event(7, ScriptedEvent::Cancel{"nobody"});
  const Replayed replayed = replay(builder);
  EXPECT_EQ(lines_with(replayed.text, {"cancelled"}),
            "{\"t\":5.0,\"event\":\"cancelled\",\"job\":\"b\",\"code\":\"cancelled\"}\n");
  EXPECT_EQ(replayed.notes,
            (std::vector<std::string>{"s.yaml:100: cancel: job `a` does not pend",
                                      "s.yaml:100: cancel: no job `nobody` has been submitted "
                                      "yet"}));
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
  builder.event(3, ScriptedEvent::Reload{config});
  EXPECT_EQ(lines_with(replay(builder).text, {"\"event\":\"window\""}),
            R"({"t":3.0,"event":"window","size":30,"cause":"reload","from":20}
{"t":8.0,"event":"window","size":40,"cause":"growth","from":30}
)");
}

TEST(Replay, BadScenariosAreToldWithTheirPlace) {
  ReplayBuilder twice;
  twice.job(0, "a", 1);
  twice.job(1, "a", 1);
  EXPECT_EQ(to_string(*replay(twice).error),
            "s.yaml:2: job `a`: there is a job of this id already");
  ReplayBuilder itself;
  itself.job(0, "a", 1).after = {"a"};
  EXPECT_EQ(to_string(*replay(itself).error),
            "s.yaml:1: job `a`: `after`: a job cannot wait for itself");
  ReplayBuilder nobody;
  nobody.job(0, "a", 1).after = {"ghost"};
  EXPECT_EQ(to_string(*replay(nobody).error), "s.yaml:1: `after`: nobody submits a job `ghost`");
  ReplayBuilder endless;
  endless.job(0, "a", 1).runs.reset();
  EXPECT_EQ(to_string(*replay(endless).error),
            "s.yaml:1: job `a`: `runs`: a job that never ends needs `until` in the scenario");
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
