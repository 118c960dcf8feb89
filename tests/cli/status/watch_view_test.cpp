// Each screen reproduces the one stored in tests/cli/status/watch. After an intended change, review
// the `git diff` after
//   SLUICE_REWRITE_GOLDENS=1 build/dev/bin/test_cli --gtest_filter='*WatchView*'
#include "cli/status/watch_view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace sluice::cli {
namespace {

HostView::SensorRow sensor_row(std::string name, double pressure, std::string sentence) {
  return {
      std::move(name), pressure >= 1 ? "red" : "green", pressure, true, std::move(sentence), 0.9};
}

HostView busy_host() {
  HostView view;
  view.law = "adaptive";
  view.size = 40;
  view.usage = 35;
  view.minimum = 10;
  view.maximum = 200;
  view.threshold = 40;
  view.state = "taking no work: sensor memory is red";
  view.last_change = "12.0 s ago: cut 80 -> 40 points by memory";
  view.memory = HostView::MemoryRow{"/pod", 3.0e9, 0.4e9, 2.1e9, 0.3e9};
  view.sensors = {
      sensor_row("load", 0.62, "load 3.1 of at most 5.0 (2 CPUs), 4 tasks runnable"),
      sensor_row("memory", 1.25, "0.8 GiB of 20.0 GiB available (4.0%), at least 5.0%"),
      sensor_row("memory_pressure", 0.4, "some tasks waited for memory 8.0% of the last 10 s"),
      sensor_row("io_pressure", 0.1, "all tasks at once waited for disks 4.0% of the last 10 s"),
      sensor_row("cgroup", 0.7, "working set 1.4 GiB of 2.0 GiB"),
      sensor_row("disk", 0.2, "/: 80.0 GiB of 100.0 GiB available (80.0%), at least 5.0%"),
      {"licences", "failed", 0, true, "/run/licences: No such file or directory", 1}};
  view.queues = {{"default", false, 3, 12, 125, "needs 10 points, 5 of 40 points are free"},
                 {"nightly", true, 0, 40, 3600, "queue nightly is paused"}};
  view.resources = {{"db", "quantity", 4, 3, 2}};
  for (int i = 1; i <= 3; ++i) {
    view.running.push_back({std::to_string(i), "build/part-" + std::to_string(i), 10 + i, 61.0 * i,
                            i == 2 ? "suspended: memory is nearly gone" : ""});
  }
  for (int i = 4; i <= 40; ++i) {
    view.pending.push_back({std::to_string(i), "test/größe-" + std::to_string(i), 10, 125.0 - i,
                            i == 4 ? "sensor memory is red" : "behind job 4"});
  }
  view.all_running = 3;
  view.all_pending = 52;
  return view;
}

Watched busy() {
  Watched watched;
  watched.place = "/run/sluice/sluice.sock";
  watched.clock = "12:00:03";
  watched.now = 5000;
  watched.view = busy_host();
  for (double age = 480; age >= 0; age -= 5) {
    const double wave = std::sin(age / 60);
    watched.track.add({watched.now - age, age > 12 ? 80.0 : 40.0, 35 + 30 * wave, 12 - age / 40,
                       0.8 + 0.45 * std::cos(age / 60)});
  }
  watched.track.cuts = {
      {watched.now - 300, "cut 100 -> 90 points by load: load 6.0 of at most 5.0"},
      {watched.now - 12,
       "cut 80 -> 40 points by memory: 0.8 GiB of 20.0 GiB "
       "available (4.0%), at least 5.0%"}};
  return watched;
}

/// A host whose jobs are those of builds, beside further daemons of its user.
Watched beside_builds() {
  Watched watched = busy();
  std::vector<HostView::JobRow>&running = watched.view.running, &pending = watched.view.pending;
  running = pending = {};
  const std::string id = "build-32107-1795901044395504955-";
  for (int i = 1; i <= 3; ++i) {
    running.push_back({id + std::to_string(i), "cc1plus governor/books/part-" + std::to_string(i),
                       10 + i, 61.0 * i, i == 2 ? "suspended: memory is nearly gone" : ""});
  }
  for (int i = 4; i <= 9; ++i) {
    pending.push_back({id + std::to_string(i), "cc1plus service/daemon/part-" + std::to_string(i),
                       10, 125.0 - i, "needs 900.0 MiB of memory, 286.1 MiB are free"});
  }
  watched.further = {
      "a daemon for the memory limit of a cgroup serves at "
      "/run/user/1000/sluice/group-17.sock",
      "a daemon for one build serves at /home/a-user-with-a-long-name/.cache/sluice/run/"
      "alone-Xy8a/sluice.sock"};
  return watched;
}

std::string text_of_view(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

struct Screenful {
  const char* name;
  std::size_t width, height;
  Charset charset = Charset::utf8;
  bool lost = false;
  bool builds = false;  ///< Its jobs are those of builds, with long ids and keys.
};

class WatchView : public ::testing::TestWithParam<Screenful> {};

TEST_P(WatchView, ShowsWhatItShowed) {
  const Screenful& screen = GetParam();
  Watched watched = busy();
  if (screen.builds) watched = beside_builds();
  if (screen.lost) watched.lost = "not connected since 12:00:01: the daemon closed the connection";
  const std::string text =
      text_of_view(frame_of(watched, Style{false, screen.width, screen.height, screen.charset}));
  const std::string golden =
      SLUICE_SOURCE "/tests/cli/status/watch/" + std::string(screen.name) + ".txt";
  if (std::getenv("SLUICE_REWRITE_GOLDENS")) std::ofstream(golden, std::ios::binary) << text;
  std::ifstream file(golden, std::ios::binary);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(file), {}));
}

INSTANTIATE_TEST_SUITE_P(
    Screens, WatchView,
    ::testing::Values(Screenful{"usual", 80, 24}, Screenful{"narrow", 40, 24},
                      Screenful{"large", 140, 50}, Screenful{"flat", 80, 8},
                      Screenful{"ascii", 80, 24, Charset::ascii},
                      Screenful{"lost", 80, 24, Charset::utf8, true}, Screenful{"unbounded", 0, 0},
                      Screenful{"builds_80", 80, 24, Charset::utf8, false, true},
                      Screenful{"builds_140", 140, 24, Charset::utf8, false, true}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(WatchFrame, FitsEveryTerminal) {
  const Watched watched = busy();
  for (std::size_t width = 1; width <= 130; width += 3) {
    for (std::size_t height = 1; height <= 60; ++height) {
      const auto lines = frame_of(watched, Style{true, width, height});
      ASSERT_EQ(lines.size(), height) << width;
      for (const std::string& line : lines) ASSERT_LE(columns_of(line), width) << line;
    }
  }
}

TEST(WatchFrame, ShowsNoTitleWithoutALineBelowIt) {
  const Watched watched = busy();
  for (std::size_t height = 8; height <= 60; ++height) {
    const auto lines = frame_of(watched, Style{false, 80, height});
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
      if (lines[i] != "queues" && lines[i] != "resources") continue;
      EXPECT_TRUE(lines[i + 1].starts_with("  ") && !lines[i + 1].starts_with("  and ")) << height;
    }
  }
}

TEST(WatchFrame, FitsEveryTerminalAlsoWithWideNames) {
  Watched watched = busy();
  for (auto& job : watched.view.pending) job.name = "構築作業🚀\u0301" + job.name;
  for (std::size_t width = 1; width <= 130; width += 3) {
    for (const Charset charset : {Charset::utf8, Charset::ascii}) {
      for (const std::string& line : frame_of(watched, Style{true, width, 30, charset})) {
        ASSERT_LE(columns_of(line), width) << line;
      }
    }
  }
}

TEST(WatchFrame, SaysHowLongThereIsNoAnswer) {
  Watched watched = busy();
  watched.asked = watched.now - 4.9;
  EXPECT_EQ(text_of_view(frame_of(watched, Style{false, 80, 24})).find("no answer"),
            std::string::npos);
  watched.asked = watched.now - 7.2;
  EXPECT_EQ(frame_of(watched, Style{false, 80, 24})[1], "state    no answer for 7 s");
  watched.lost = "not connected since 12:00:01: the daemon does not answer";
  EXPECT_EQ(frame_of(watched, Style{false, 80, 24})[1], "state    " + *watched.lost);
}

TEST(WatchFrame, WhatIsWrongIsShownFirstWhereThereIsLittleRoom) {
  const std::string text = text_of_view(frame_of(busy(), Style{false, 80, 18}));
  EXPECT_NE(text.find("memory   ["), std::string::npos) << text;
  EXPECT_NE(text.find("licences"), std::string::npos) << text;
  EXPECT_NE(text.find("sensors  green: load, memory_pressure, io_pressure, cgroup, disk\n"),
            std::string::npos)
      << text;
}

TEST(WatchFrame, NamesTheUsersFurtherDaemonsAlsoWhereQueuesLackRoom) {
  Watched watched = busy();
  EXPECT_EQ(text_of_view(frame_of(watched, Style{})).find("\nalso "), std::string::npos);
  watched.further = {"a daemon for one build serves at /run/user/7/sluice/alone-x/sluice.sock",
                     "a daemon for the memory limit of a cgroup serves at /a\033.sock"};
  for (const std::size_t height : {std::size_t{0}, std::size_t{24}}) {
    const std::string text = text_of_view(frame_of(watched, Style{false, 80, height}));
    EXPECT_NE(text.find("\nalso     " + watched.further[0].substr(0, 70)), std::string::npos)
        << text;
    EXPECT_NE(text.find("\nalso     a daemon for the memory limit"), std::string::npos) << text;
    EXPECT_EQ(text.find('\033'), std::string::npos) << text;
  }
}

TEST(WatchFrame, TheSocketOfAFurtherDaemonIsWholeWhateverTheWidth) {
  Watched watched = busy();
  const std::string path = "/home/a-user-with-a-long-name/.cache/sluice/run/alone-Xy8a/sluice.sock";
  watched.further = {"a daemon for one build serves at " + path};
  for (const std::size_t width : {30u, 40u, 80u, 140u}) {
    std::string shown;
    for (const std::string& line : frame_of(watched, Style{false, width, 0})) {
      if (line.size() > 9) shown += line.substr(9);
    }
    EXPECT_NE(shown.find(path), std::string::npos) << shown;
  }
}

TEST(WatchFrame, AHostThatWasNeverSeenIsNoTrouble) {
  Watched watched;
  EXPECT_EQ(frame_of(watched, Style{false, 80, 24}).size(), 24u);
}

TEST(WatchFrame, InAsciiThereIsNothingElse) {
  for (const std::string& line : frame_of(busy(), Style{true, 50, 30, Charset::ascii})) {
    for (const char c : line) ASSERT_LT(static_cast<unsigned char>(c), 0x80) << line;
  }
}

std::string scrolled(const WatchChoice& choice) {
  return text_of_view(frame_of(busy(), Style{false, 80, 24}, choice));
}

TEST(WatchFrame, ScrollsThroughTheJobsThatRunAndThenThoseThatWait) {
  WatchChoice choice;
  choice.first = 2;
  const std::string text = scrolled(choice);
  EXPECT_NE(text.find("running  3, 2 above\n  3  build/part-3"), std::string::npos) << text;
  EXPECT_NE(text.find("pending  52\n  4  "), std::string::npos) << text;
  EXPECT_EQ(text.find("sensors"), std::string::npos) << "the jobs have all the room:\n" << text;
  choice.first = 9;
  EXPECT_NE(scrolled(choice).find("pending  52, 6 above\n  10  "), std::string::npos)
      << scrolled(choice);
}

TEST(WatchFrame, SortsByWhatAKeyChose) {
  WatchChoice choice;
  choice.order = WatchChoice::Order::longest;
  EXPECT_NE(scrolled(choice).find("running  3\n  3  build/part-3"), std::string::npos);
  choice.order = WatchChoice::Order::cost;
  EXPECT_NE(scrolled(choice).find("running  3\n  3  build/part-3"), std::string::npos);
  choice.order = WatchChoice::Order::name;
  EXPECT_NE(scrolled(choice).find("pending  52\n  10  test/größe-10"), std::string::npos);
  EXPECT_NE(scrolled(choice).find("; jobs by name\n"), std::string::npos);
}

TEST(WatchFrame, AKeyListsTheKeysAndTakesTheListAwayAgain) {
  const WatchChoice helped = after_key({}, Key::help, 55, 24);
  EXPECT_NE(scrolled(helped).find("PgUp PgDn"), std::string::npos) << scrolled(helped);
  EXPECT_EQ(scrolled(after_key(helped, Key::help, 55, 24)), scrolled({}));
}

/// A screen of 24 lines lists 18 jobs, but only some of them beside everything else.
TEST(WatchKeys, ListAllJobsWhereverTheyFitOnAScreen) {
  Watched watched = busy();
  watched.view.running.clear();
  for (int i = 1; i <= 14; ++i)
    watched.view.running.push_back({std::to_string(i), "part", 10, 60, ""});
  watched.view.pending.clear();
  watched.view.all_running = 14;
  watched.view.all_pending = 0;
  const WatchChoice listed = after_key({}, Key::down, 14, 24);
  for (const Key key : {Key::down, Key::page_down, Key::end}) {
    const auto lines = frame_of(watched, {false, 80, 24}, after_key(listed, key, 14, 24));
    for (int i = 1; i <= 14; ++i) {
      EXPECT_NE(text_of_view(lines).find("\n  " + padded(std::to_string(i), 2) + "  part"),
                std::string::npos)
          << i << "\n"
          << text_of_view(lines);
    }
  }
  EXPECT_EQ(after_key(listed, Key::up, 14, 24).first, std::nullopt);
}

TEST(WatchKeys, TheFirstPageDownGoesToTheFirstJobThatWasNotListed) {
  const Style style{false, 80, 24};
  EXPECT_EQ(listed_jobs(busy(), style, {}), 6u) << "three that run and three that wait";
  const WatchChoice choice = after_key({}, Key::page_down, 55, 24, 6);
  EXPECT_NE(scrolled(choice).find("running  3, 3 above\npending  52, 3 above\n  7 "),
            std::string::npos)
      << scrolled(choice);
  EXPECT_EQ(listed_jobs(busy(), style, choice), 6u) << "wherever the list is";
  Watched many = busy();
  many.view.running.resize(20, many.view.running.front());
  many.view.all_running = 20;
  const std::size_t listed = listed_jobs(many, style, {});
  EXPECT_GT(listed, 0u);
  EXPECT_LT(listed, 20u) << "no waiting job while running ones are not listed";
  EXPECT_EQ(after_key({}, Key::page_down, 14, 24, 6).first, 0u) << "all fit";
}

TEST(WatchKeys, ScrollNoFurtherThanThereAreJobs) {
  WatchChoice choice;
  for (int i = 0; i < 200; ++i) choice = after_key(choice, Key::down, 55, 24);
  EXPECT_EQ(choice.first, 37u) << "18 of them are left for the screen";
  EXPECT_EQ(after_key({}, Key::end, 55, 24).first, choice.first);
  EXPECT_EQ(after_key(choice, Key::page_up, 55, 24).first, 19u);
  EXPECT_EQ(after_key(choice, Key::home, 55, 24).first, std::nullopt);
  EXPECT_EQ(after_key({}, Key::up, 55, 24).first, std::nullopt);
  EXPECT_EQ(after_key({}, Key::down, 0, 24).first, std::nullopt) << "there is nothing to list";
  EXPECT_EQ(after_key(choice, Key::down, 5, 24).first, 0u) << "most have ended meanwhile";
}

TEST(WatchKeys, SortGoesRoundAndNeedsAllJobs) {
  WatchChoice choice;
  EXPECT_EQ(choice.most_jobs(24), 24u);
  for (int i = 0; i < 3; ++i) {
    choice = after_key(choice, Key::sort, 55, 24);
    EXPECT_EQ(choice.most_jobs(24), 10'000u);
  }
  EXPECT_EQ(after_key(choice, Key::sort, 55, 24).order, WatchChoice::Order::place);
}

TEST(WatchKeys, AreKnownByWhatTerminalsSend) {
  EXPECT_EQ(keys_in("\x1b[B\x1bOBj"), (std::vector{Key::down, Key::down, Key::down}));
  EXPECT_EQ(keys_in("\x1b[5~x\x1b[6~"), (std::vector{Key::page_up, Key::page_down}));
  EXPECT_EQ(keys_in("s?q"), (std::vector{Key::sort, Key::help, Key::quit}));
  EXPECT_TRUE(keys_in("\x1b[19~zz").empty()) << "F8, and letters that mean nothing";
}

}  // namespace
}  // namespace sluice::cli
