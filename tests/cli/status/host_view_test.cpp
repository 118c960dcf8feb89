#include "cli/status/host_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "cli/status/status_view.h"
#include "example_status.h"

namespace sluice::cli {
namespace {

using std::chrono::seconds;

SensorStatus sensor(std::string name, double pressure, std::string sentence) {
  SensorStatus status = example_sensor(std::move(name), pressure, std::move(sentence));
  status.policy.acts = Acts::congestion;
  return status;
}

HostView example_host() {
  Status status = example_status("/pod");
  status.registered = true;
  status.last_change =
      WindowChange{TimePoint(seconds(97)), Points{20}, Points{40}, WindowCause::slow_start, ""};
  status.sensors.push_back(sensor("load", 0.5, "load 2.5 of at most 5.0 (2 CPUs)"));
  status.sensors.push_back(sensor("memory", 1.25, "0.8 GiB available of 20 GiB"));
  SensorStatus broken;
  broken.name = "disk";
  broken.failure = "/data: no such folder";
  status.sensors.push_back(broken);
  HostView view = view_of(status);
  view.running.push_back({"7", "governor/core.cpp", 10, 12.3, ""});
  view.pending.push_back(
      {"8", "cli/demo.cpp", 15, 65, "needs 15 points, 10 of 40 points are free"});
  return view;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

TEST(HostView, ShowsTheWholeHostInOneScreen) {
  EXPECT_EQ(
      text_of(lines_of(example_host(), Style{}, 0)),
      "state    taking work\n"
      "window   [############----] 30 of 40 points in use"
      "  (adaptive, 10 to 200, slow start to 30)\n"
      "memory   [#######---------] 1.0 GiB for jobs, 128.0 MiB margin, 256.0 MiB others, of 3.0 GiB"
      "  (/pod)\n"
      "changed  3.0 s ago: grown 20 -> 40 points\n"
      "running  1\n"
      "  7  governor/core.cpp  10 points   12.3 s\n"
      "pending  1\n"
      "  8  cli/demo.cpp  15 points   1 min 05 s  needs 15 points, 10 of 40 points are free\n"
      "sensors\n"
      "  load   [########--------] green   load 2.5 of at most 5.0 (2 CPUs)\n"
      "  memory [################] red     0.8 GiB available of 20 GiB\n"
      "  disk                      failed  /data: no such folder\n");
}

TEST(HostView, InBriefGreenSensorsAreOneLineBelowTheJobs) {
  HostView view = example_host();
  view.sensors.push_back(view.sensors.front());
  view.sensors.back().name = "pids";
  const std::string text = text_of(brief_lines_of(view, Style{}, 0));
  EXPECT_TRUE(text.ends_with(
      "running  1\n"
      "  7  governor/core.cpp  10 points   12.3 s\n"
      "pending  1\n"
      "  8  cli/demo.cpp  15 points   1 min 05 s  needs 15 points, 10 of 40 points are free\n"
      "sensors  green: load, pids\n"
      "  memory [################] red     0.8 GiB available of 20 GiB\n"
      "  disk                      failed  /data: no such folder\n"))
      << text;
}

/// Lines of a host with so many jobs, in brief, with room for 23.
std::vector<std::string> crowded(int running, int pending) {
  HostView view = example_host();
  view.running.assign(static_cast<std::size_t>(running), view.running.front());
  view.pending.assign(static_cast<std::size_t>(pending), view.pending.front());
  return brief_lines_of(view, Style{}, 23);
}

TEST(HostView, InBriefJobsFillTheLinesThatAreLeft) {
  // Four above, three for sensors, two titles: 14 are left.
  for (const auto& [running, pending, unseen_running, unseen_pending] :
       {std::tuple{7, 7, "", ""},
        {10, 4, "", ""},
        {3, 11, "", ""},
        {20, 4, "  and 11 more", ""},
        {3, 20, "", "  and 10 more"},
        {20, 20, "  and 14 more", "  and 14 more"}}) {
    const std::vector<std::string> lines = crowded(running, pending);
    EXPECT_EQ(lines.size(), 23u) << running << " and " << pending;
    EXPECT_TRUE(lines.back().starts_with("  disk")) << lines.back();
    const auto title = std::ranges::find(lines, "pending  " + std::to_string(pending));
    ASSERT_NE(title, lines.end());
    const auto sensors = std::ranges::find_if(
        lines, [](const std::string& line) { return line.starts_with("sensors"); });
    const auto last = [](const std::string& line) {
      return line.starts_with("  and ") ? line : std::string();
    };
    EXPECT_EQ(last(*std::prev(title)), unseen_running) << running << " and " << pending;
    EXPECT_EQ(last(*std::prev(sensors)), unseen_pending) << running << " and " << pending;
  }
  EXPECT_EQ(crowded(2, 3).size(), 14u);
}

TEST(HostView, InBriefOneJobOfEachKindIsListedAlsoWithoutRoom) {
  HostView view = example_host();
  view.pending.push_back(view.pending.front());
  const std::string text = text_of(brief_lines_of(view, Style{}, 1));
  EXPECT_NE(text.find("  7  governor/core.cpp"), std::string::npos) << text;
  EXPECT_NE(text.find("  8  cli/demo.cpp"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  and 1 more\n"), std::string::npos) << text;
}

TEST(HostView, NoLineIsWiderThanTheTerminal) {
  for (const std::size_t width : {10u, 20u, 40u, 80u}) {
    for (const auto& line : lines_of(example_host(), Style{true, width, 24}, 0)) {
      EXPECT_LE(columns_of(line), width) << line;
    }
  }
}

TEST(HostView, NothingForeignReachesTheTerminalButText) {
  const std::string foreign = "\u009b2J\u202e\x1b[2J\n";
  HostView view = example_host();
  view.state = view.unkept = view.unrecorded = view.unlearned = view.last_change =
      view.memory->where = foreign;
  for (auto& sensor : view.sensors) sensor.name = sensor.sentence = foreign;
  view.queues = {{foreign, true, 1, 2, 3, foreign}};
  view.resources = {{foreign, "quantity", 4, 3, 2}};
  view.sources = {{"gearman", foreign, true, foreign, 1, {foreign}}};
  for (auto* jobs : {&view.running, &view.pending})
    jobs->push_back({foreign, foreign, 1, 2, foreign});
  for (const std::string& line : lines_of(view, Style{}, 0)) EXPECT_EQ(line, harmless(line));
}

TEST(HostView, AJobWithALongIdLeavesRoomForTheOthers) {
  HostView view = example_host();
  view.pending.push_back({std::string(128, 'x'), "key", 10, 5, "behind"});
  const auto lines = job_lines(view.pending, 2, 0, 0);
  EXPECT_EQ(lines[1], "  " + std::string(26, 'x') + "…" + std::string(13, 'x') +
                          "  key           10 points   5.0 s       behind");
  EXPECT_LT(lines[0].find("needs 15 points"), 90u) << lines[0];
}

TEST(HostView, AJobsNameIsShortenedBeforeItsReason) {
  const std::string reason = "needs 1.0 cores, 0.5 of 2.0 are free";
  const HostView::JobRow job{"17", "gzip -1 -c some/folder/run17.log", 10, 65, reason};
  EXPECT_EQ(job_lines({job}, 1, 0, 80).front(),
            "  17  gzip -1 …log  10 points   1 min 05 s  " + reason);
  HostView::JobRow talkative = job;
  talkative.reason += std::string(100, '.');
  EXPECT_TRUE(job_lines({talkative}, 1, 0, 120).front().starts_with("  17  " + job.name + "  "))
      << "the end of a reason that never fits is worth no name";
}

TEST(HostView, CountsTheJobsThatDoNotFit) {
  HostView view = example_host();
  for (int i = 0; i < 9; ++i)
    view.pending.push_back({std::to_string(10 + i), "x", 10, 0, "behind"});
  const std::string text = text_of(lines_of(view, Style{}, 3));
  EXPECT_NE(text.find("pending  10\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  and 7 more\n"), std::string::npos) << text;
}

TEST(HostView, ARedSensorBelowItsLimitSaysWhatItWaitsFor) {
  SensorStatus load = sensor("load", 0.95, "load 4.75 of at most 5.0");
  load.red = true;
  Status status;
  status.sensors.push_back(load);
  EXPECT_EQ(
      lines_of(view_of(status), Style{}, 0)[5],
      "  load [###############-] red     load 4.75 of at most 5.0, red until below 90% of that");
}

}  // namespace
}  // namespace sluice::cli
