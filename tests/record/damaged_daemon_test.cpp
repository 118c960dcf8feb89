// Commands on the record of a real daemon to which something has happened.
#include <gtest/gtest.h>
#include <signal.h>

#include <boost/json/parse.hpp>
#include <filesystem>

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
  says("0000000001.srec: its last ", " bytes are cut or damaged");
  says("0000000002.srec: ", "it is not a record of Sluice");
  says("0000000003.srec: ", "it is cut within its header");
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
  EXPECT_NE(answer.text.find("0000000001.srec: it is not a record of Sluice"), std::string::npos);
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
