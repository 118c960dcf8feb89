#include "cli/status/watch_track.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "cli/terminal/terminal.h"

namespace sluice::cli {
namespace {

TEST(Sparkline, HasAColumnForEachValueAndABlankForNone) {
  EXPECT_EQ(sparkline({0.0, 0.5, 1.0, std::nullopt, 7.0}, 1, Charset::utf8), "▁▅█ █");
  EXPECT_EQ(sparkline({0.0, 0.5, 1.0, std::nullopt, 7.0}, 1, Charset::ascii), "_~# #");
  EXPECT_EQ(sparkline({3.0}, 0, Charset::ascii), "_") << "nothing is full";
  EXPECT_EQ(sparkline({}, 1, Charset::utf8), "");
}

WatchSample usage(double at, double points) { return {at, {}, points, {}, {}}; }

TEST(WatchTrack, ACellHasTheLargestOfItsPartOfTheSpan) {
  WatchTrack track;
  const double now = 10'000;
  for (const auto& [age, points] :
       std::vector<std::pair<double, double>>{{590, 1}, {580, 5}, {310, 2}, {290, 3}, {0, 4}}) {
    track.add(usage(now - age, points));
  }
  using Cells = std::vector<std::optional<double>>;
  EXPECT_EQ(track.cells(&WatchSample::usage, now, 2), (Cells{5, 4}));
  EXPECT_EQ(track.cells(&WatchSample::usage, now, 4), (Cells{5, 2, 3, 4}));
  EXPECT_EQ(track.cells(&WatchSample::pressure, now, 2), (Cells{{}, {}}));
  EXPECT_EQ(track.cells(&WatchSample::usage, now + 400, 2), (Cells{4, {}})) << "time goes on";
}

TEST(WatchTrack, ForgetsWhatIsNotShownAndWhatWasInTheFuture) {
  WatchTrack track;
  for (double at = 0; at <= 10'000; at += 1) track.add(usage(at, 1));
  EXPECT_LE(track.samples.size(), WatchTrack::kSpan + 1);
  track.add(usage(9'900, 2));
  EXPECT_EQ(track.samples.back().at, 9'900);
  EXPECT_EQ(*track.samples.back().usage, 2);
}

TEST(WatchTrack, IsWhatTheDaemonRemembers) {
  const WatchTrack track = track_of(
      R"({"now":"x","step":5,"span":3600,"age":[10.5,5.5,0.5],"window":[20,40,20],"usage":[15,20,15],
          "pending":[2,3,1],"running":[1,2,1],"pressure":[0.5,1.25,null],"sensors":{},
          "sensors_left_out":0,"cuts_forgotten":0,
          "cuts":[{"at":"x","age":3.5,"from":40,"to":20,"cause":"red","sensor":"load",
                   "reason":"cut 40 -> 20 points by load: load 6.0 of at most 5.0"},
                  {"at":"x","age":1.5,"from":20,"to":10,"cause":"reload","sensor":null,
                   "reason":"set 20 -> 10 points by the reloaded configuration"}]})",
      100);
  ASSERT_EQ(track.samples.size(), 3u);
  EXPECT_EQ(track.samples[1].at, 94.5);
  EXPECT_EQ(track.samples[1].window, 40);
  EXPECT_EQ(track.samples[1].pressure, 1.25);
  EXPECT_FALSE(track.samples[2].pressure);
  ASSERT_EQ(track.cuts.size(), 2u);
  EXPECT_EQ(track.cuts[0].at, 96.5);
  EXPECT_EQ(track.cuts[0].text, "cut 40 -> 20 points by load: load 6.0 of at most 5.0");
  EXPECT_EQ(track.cuts[1].text, "set 20 -> 10 points by the reloaded configuration");
}

TEST(WatchTrack, AHistoryThatIsNoneIsAnErrorAndNoCrash) {
  for (const char* text : {"", "[]", "{}", R"({"age":[1],"window":[]})", "\xff"}) {
    EXPECT_THROW(track_of(text, 0), std::runtime_error) << text;
  }
}

TEST(WatchTrack, TheWorstSensorThatCanBeReadCounts) {
  HostView view;
  view.sensors = {{"load", "green", 0.4, true, "", 1},
                  {"memory", "red", 1.2, true, "", 1},
                  {"disk", "failed", 9, true, "", 1}};
  view.all_pending = 12;
  const WatchSample sample = sample_of(view, 5);
  EXPECT_EQ(sample.pressure, 1.2);
  EXPECT_EQ(sample.pending, 12);
}

}  // namespace
}  // namespace sluice::cli
