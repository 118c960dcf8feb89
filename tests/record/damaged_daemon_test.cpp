// Commands on the record of a real daemon to which something has happened.
#include <gtest/gtest.h>
#include <signal.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <random>

#include "recorded_daemon.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

class DamagedDaemonRecord : public RecordedDaemon {
 protected:
  /// Lives of a job each, and the daemon's end.
  void live(int lives) {
    for (int life = 1; life <= lives; ++life) {
      if (life > 1) start();
      const std::string job = "job-" + std::to_string(life);
      submit(job, 20);
      submit(job + "-b", 20);
      if (life == 1) {
        ASSERT_TRUE(eventually([&] { return !entries().empty(); }));
      }
      finish(job);
      finish(job + "-b");
      end(SIGTERM);
    }
  }
  Answer replay(const std::string& options = "") const {
    return answer_of(std::string(SLUICE_COMMAND) + " replay " + state_ + options);
  }
  std::string decisions(int number) const {
    return state_ + "/record/000000000" + std::to_string(number) + ".srec";
  }
  std::string calls(int number) const {
    return state_ + "/record/calls/000000000" + std::to_string(number) + ".srec";
  }
  static std::string head_of(const std::string& path, std::size_t size) {
    std::string bytes(size, '\0');
    std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(size));
    return bytes;
  }
};

TEST_F(DamagedDaemonRecord, EachCommandNamesWhatHasHappenedAndUsesTheRest) {
  live(6);
  for (const auto& path : {decisions(1), calls(1)}) {
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 3);
  }
  for (const auto& path : {decisions(2), calls(2)}) write_file(path, "GIF89a, a picture");
  for (const auto& path : {decisions(3), calls(3)}) write_file(path, "");
  for (const auto& path : {decisions(4), calls(4)}) std::filesystem::remove(path);
  for (const auto& path : {decisions(5), calls(5)}) {
    std::string bytes = head_of(path, std::filesystem::file_size(path));
    bytes[10] = 7;
    write_file(path, bytes);
  }
  const std::string list = call("record list").text;
  const std::string export_text = call("record export").text;
  const std::string why = call("why job-6").text;
  const std::string replayed = replay().text;
  const auto says = [&](const std::string& where, const std::string& what) {
    for (const std::string& text : {list, export_text, why, replayed}) {
      EXPECT_NE(text.find(what), std::string::npos) << what << "\n" << text;
    }
    for (const std::string& text : {export_text, why, replayed}) {
      EXPECT_NE(text.find(where), std::string::npos) << where << "\n" << text;
    }
  };
  says("0000000001.srec: its last ", " bytes are truncated or damaged");
  says("0000000002.srec: ", "not a Sluice record");
  says("0000000003.srec: ", "truncated within its header");
  says("", "segment 4");
  says("0000000005.srec: ", "it has format version 7, and this Sluice reads version 1");
  EXPECT_NE(why.find("job-6) was submitted at "), std::string::npos) << why;
  EXPECT_NE(call("why job-1").text.find("job-1) was submitted at "), std::string::npos);
  EXPECT_EQ(call("record export 2>/dev/null").status, 0);
  json::parse(call("record export 2>/dev/null").text);
  EXPECT_NE(replayed.find(": exact but for\n"), std::string::npos) << replayed;
  EXPECT_EQ(replay().status, 0);
}

TEST_F(DamagedDaemonRecord, ASegmentMissingBeforeAnyCallWasReadIsNamed) {
  live(3);
  write_file(calls(1), "GIF89a, a picture");
  std::filesystem::remove(calls(2));
  const Answer answer = replay();
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_NE(answer.text.find("segment 2 is missing"), std::string::npos) << answer.text;
}

TEST_F(DamagedDaemonRecord, WithoutAWholeStartThereIsNothingToReplay) {
  live(1);
  write_file(calls(1), "GIF89a, a picture");
  const Answer answer = replay();
  EXPECT_EQ(answer.status, 2);
  EXPECT_NE(answer.text.find("can be replayed"), std::string::npos) << answer.text;
  EXPECT_NE(answer.text.find("0000000001.srec: not a Sluice record"), std::string::npos);
  EXPECT_EQ(answer.text.find("exact"), std::string::npos) << answer.text;
}

TEST_F(DamagedDaemonRecord, ADayWithThreeRestartsIsReplayedWithEachKillNamed) {
  for (int life = 1; life <= 4; ++life) {
    if (life > 1) start();
    submit("job-" + std::to_string(life), 1);
    const auto is_there = [&] { return std::filesystem::exists(calls(life)); };
    ASSERT_TRUE(eventually(is_there));
    end(life < 4 ? SIGKILL : SIGTERM);
  }
  const json::value answer = json::parse(replay(" --json").text);
  EXPECT_TRUE(answer.at("differences").as_array().empty());
  EXPECT_EQ(answer.at("missing").as_array().size(), 3U) << replay().text;
  EXPECT_TRUE(answer.at("remarks").as_array().empty()) << replay().text;
}

/// A name that takes as many bytes however it is compressed. Digits alone would be a job's number.
std::string long_name(int number) {
  std::mt19937_64 random(static_cast<std::uint64_t>(number));
  std::string name = "j";
  for (int part = 0; part < 6; ++part) name += std::to_string(random());
  return name;
}

TEST_F(DamagedDaemonRecord, WhatLivesIsStillToldOnceTheFirstSegmentIsGone) {
  end(SIGTERM);
  std::filesystem::remove_all(state_ + "/record");
  start("service: {record: {size: 1MiB}}\n");
  submit("long", 15, R"(,"key":"deploy","heartbeat":"1h")");
  submit("waits", 15, R"(,"priority":-5,"heartbeat":"1h")");
  int jobs = 0;
  const auto is_second_there = [&] {
    for (int count = 0; count < 20; ++count) {
      const std::string name = long_name(++jobs);
      submit(name, 5);
      finish(name);
    }
    return std::filesystem::exists(decisions(2));
  };
  ASSERT_TRUE(eventually(is_second_there));
  std::filesystem::remove(decisions(1));
  const auto is_waiting = [](const auto& each) { return each.job == JobId{2}; };
  ASSERT_TRUE(eventually([&] {
    return has_entry<record::Restated>([](const auto& each) { return each.jobs >= 2; }) &&
           has_entry<record::Configured>([](const auto& each) { return each.millicores > 0; }) &&
           has_entry<record::JobWaits>(is_waiting);
  }));

  const Answer why = call("why long");
  EXPECT_NE(why.text.find("job 1 (long) was submitted at "), std::string::npos) << why.text;
  EXPECT_NE(why.text.find("\nThe record has it only as it was at "), std::string::npos) << why.text;
  EXPECT_NE(why.text.find("it still runs."), std::string::npos) << why.text;
  EXPECT_NE(call("why waits").text.find("needs 15 points, "), std::string::npos);
  const json::value now = json::parse(call("why --at 0s --json").text);
  EXPECT_EQ(now.at("running").at(0).at("id"), "long");
  EXPECT_EQ(now.at("running").at(0).at("key"), "deploy");
  EXPECT_EQ(now.at("running").at(0).at("cost"), 15);
  EXPECT_EQ(now.at("waiting").at(0).at("id"), "waits");
  EXPECT_EQ(now.at("waiting").at(0).at("code"), "window");
  const Answer whatif = answer_of(std::string(SLUICE_COMMAND) + " whatif " + state_ + " --json");
  EXPECT_EQ(whatif.status, 0) << whatif.text;
}

TEST_F(DamagedDaemonRecord, TheNextDaemonTellsTheJobsWhoseEntriesWereLost) {
  submit("runs", 15, R"(,"key":"deploy","heartbeat":"1h")");
  submit("waits", 15, R"(,"heartbeat":"1h")");
  end(SIGKILL);
  std::filesystem::remove_all(state_ + "/record");
  start();
  ASSERT_TRUE(eventually([&] {
    return has_entry<record::Restated>([](const auto& each) { return each.jobs == 2; });
  }));
  const Answer why = call("why runs");
  EXPECT_NE(why.text.find("job 1 (runs) was submitted at "), std::string::npos) << why.text;
  EXPECT_NE(why.text.find("it still runs."), std::string::npos) << why.text;
  const json::value waits = json::parse(call("why waits --json").text);
  EXPECT_EQ(waits.at("cost"), 15);
  EXPECT_FALSE(waits.at("submitted").is_null());
  EXPECT_TRUE(waits.at("started").is_null());
  const json::value now = json::parse(call("why --at 0s --json").text);
  EXPECT_EQ(now.at("jobs").at("running"), 1);
  EXPECT_EQ(now.at("jobs").at("waiting"), 1);
}

TEST_F(DamagedDaemonRecord, JobsOnConnectionsOutliveAStopOfTheDaemon) {
  const std::vector<std::string> run{SLUICE_COMMAND, "run", "--socket", socket_,
                                     "--cost",       "15",  "sleep",    "600"};
  const std::string first = folder_.path("first"), second = folder_.path("second");
  for (const std::string& each : {first, second}) std::filesystem::create_directory(each);
  const auto has = [&](std::int64_t running, std::int64_t pending) {
    const json::value jobs = json::parse(ask("GET", "/v1/jobs").body);
    return jobs.at("running") == running && jobs.at("pending") == pending;
  };
  const CommandRunner runs(run, first);
  ASSERT_TRUE(eventually([&] { return has(1, 0); })) << runs.err();
  const CommandRunner waits(run, second);
  ASSERT_TRUE(eventually([&] { return has(1, 1); })) << waits.err();
  end(SIGTERM);
  start();
  ASSERT_TRUE(eventually([&] {
    return has_entry<record::Restated>([](const auto& each) { return each.jobs == 2; });
  }));
  ASSERT_TRUE(has(1, 1)) << log();
  const json::value now = json::parse(call("why --at 0s --json").text);
  EXPECT_EQ(json::serialize(now.at("jobs")),
            R"({"running":1,"waiting":1,"unknown":0,"unnamed":0})");
  EXPECT_NE(call("why 1").text.find("it still runs."), std::string::npos);
  EXPECT_NE(call("why 2").text.find("it still waits."), std::string::npos);
  for (const CommandRunner* each : {&runs, &waits}) kill(each->pid(), SIGTERM);
  EXPECT_TRUE(eventually([&] { return has(0, 0); })) << log();
}

TEST_F(DamagedDaemonRecord, OfTwoDaemonsOnOneFolderTheSecondSaysThatItDoesNotRecord) {
  submit("first", 1);
  ASSERT_TRUE(eventually([&] { return !entries().empty(); }));
  CommandRunner second({SLUICE_COMMAND, "serve", "--config", config_, "--socket",
                        folder_.path("second.sock"), "--listen", "off"},
                       folder_.path(""));
  const auto has_ended_or_said = [&] {
    return second.err().find("is in use: another daemon records there") != std::string::npos;
  };
  EXPECT_TRUE(eventually(has_ended_or_said)) << second.err();
  kill(second.pid(), SIGTERM);
  second.wait();
  end(SIGTERM);
  const Answer answer = replay();
  EXPECT_EQ(answer.status, 0);
  EXPECT_NE(answer.text.find(": exact\n"), std::string::npos) << answer.text;
}

}  // namespace
}  // namespace sluice::testing
