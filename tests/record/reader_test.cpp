// The process that reads the record for the daemon: bounded, one at a time, and never waited for;
// users take turns.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/asio/io_context.hpp>
#include <fstream>
#include <variant>
#include <vector>

#include "record_folder.h"
#include "service/daemon/record_reader.h"

namespace sluice::testing {
namespace {
using namespace std::chrono_literals;

using Reply = std::variant<http::Response, ApiError>;

class ReaderProcess : public ::testing::Test {
 protected:
  /// A reader whose program is this shell script.
  void use(const std::string& script, RecordReader::Limits limits = {}) {
    const std::string program = folder_.path("program");
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    chmod(program.c_str(), 0755);
    reader = std::make_unique<RecordReader>(context_, program, "/the/state", limits,
                                            [this] { return foreign; });
  }
  std::optional<ApiError> ask(RecordQuestion question = {http::ConnectionId{1}, "", ""}) {
    return reader->ask(question, [this](Reply reply) { replies.push_back(std::move(reply)); });
  }
  /// The next reply; waits for it.
  Reply next() {
    const auto until = Clock::now() + 30s;
    while (replies.empty() && Clock::now() < until) context_.run_one_for(100ms);
    if (replies.empty()) return ApiError{0, "no reply", ""};
    Reply reply = std::move(replies.front());
    replies.erase(replies.begin());
    return reply;
  }
  std::string text() {
    const Reply reply = next();
    const auto* error = std::get_if<ApiError>(&reply);
    return error ? error->code + ": " + error->message : std::get<http::Response>(reply).body;
  }
  /// Whether the question of this user is read, or waits for it.
  bool takes(std::uint64_t connection, const std::string& names_of) {
    return !ask({http::ConnectionId{connection}, "", names_of});
  }
  /// The user of the next reply of a program that prints its words; empty for a trusted one.
  std::string user() {
    const std::string words = text(), option = "--names-of ";
    const std::size_t at = words.find(option);
    return at == words.npos
               ? ""
               : words.substr(at + option.size(), words.size() - 1 - at - option.size());
  }
  bool is_there(const std::string& name) const {
    struct stat facts {};
    return stat(folder_.path(name).c_str(), &facts) == 0;
  }

 private:
  boost::asio::io_context context_;

 protected:
  record::testing::Folder folder_;
  std::unique_ptr<RecordReader> reader;
  std::vector<Reply> replies;
  std::optional<std::string> foreign;
};

TEST_F(ReaderProcess, AsksForTheMomentAndTheNames) {
  use("echo $*");
  ASSERT_FALSE(ask({http::ConnectionId{1}, "1772373900.5", "1001"}));
  EXPECT_EQ(text(),
            "why --json --state-dir /the/state --lines 50 --at @1772373900.5 --outside-status 3 "
            "--names-of 1001\n");
  ASSERT_FALSE(ask());
  EXPECT_EQ(text(), "why --json --state-dir /the/state --lines 50 --at 0s --outside-status 3\n");
  ASSERT_FALSE(ask({http::ConnectionId{1}, "1772373900", "", "2"}));
  EXPECT_EQ(text(),
            "why --json --state-dir /the/state --lines 50 --at @1772373900 --outside-status 3 "
            "--occurrence 2 --occurrence-status 4\n");
}

TEST_F(ReaderProcess, YieldsToEverythingElse) {
  use("nice");
  ASSERT_FALSE(ask());
  EXPECT_EQ(text(), "19\n");
}

TEST_F(ReaderProcess, AnAnswerLargerThanAPipeIsWhole) {
  use("head -c 700000 /dev/zero | tr '\\0' x");
  ASSERT_FALSE(ask());
  EXPECT_EQ(text().size(), 700'000U);
}

TEST_F(ReaderProcess, SaysWhatTheProgramSaid) {
  use("echo 'sluice: segment 1 is damaged' >&2; echo 'sluice why: the record begins later' >&2\n"
      "exit 3");
  ASSERT_FALSE(ask());
  const Reply outside = next();
  const ApiError error = std::get<ApiError>(outside);
  EXPECT_EQ(error.status, 404);
  EXPECT_EQ(error.message, "the record begins later");
  EXPECT_EQ(error.field, "at");
  use("exit 4");
  ASSERT_FALSE(ask());
  EXPECT_EQ(std::get<ApiError>(next()).field, "occurrence");
  use("echo 'sluice: no record: Permission denied' >&2; exit 2");
  ASSERT_FALSE(ask());
  EXPECT_EQ(text(), "record_unreadable: the record cannot be read: no record: Permission denied");
  use("kill -SEGV $$");
  ASSERT_FALSE(ask());
  EXPECT_EQ(text(), "record_unreadable: the record cannot be read: its process failed");
}

TEST_F(ReaderProcess, IsNotAskedWhileAnotherDaemonRecords) {
  use("touch " + folder_.path("ran"));
  foreign = "/the/state/record is in use: another daemon records there";
  const auto error = ask();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->status, 503);
  EXPECT_EQ(error->message, "the record cannot be read: " + *foreign);
  EXPECT_FALSE(is_there("ran"));
  foreign.reset();
  EXPECT_FALSE(ask());
}

TEST_F(ReaderProcess, WhileItReadsOneQuestionOfEachUserWaits) {
  use("exec sleep 60");
  EXPECT_TRUE(takes(1, "1001"));
  EXPECT_TRUE(takes(2, "1001"));
  const auto error = ask({http::ConnectionId{3}, "", "1001"});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, "record_busy");
  EXPECT_EQ(to_response(*error).headers, "Retry-After: 1\r\n");
  EXPECT_TRUE(takes(4, "1002"));
  EXPECT_TRUE(takes(5, "nobody"));
  EXPECT_TRUE(takes(6, ""));
  EXPECT_FALSE(takes(7, ""));
}

TEST_F(ReaderProcess, UsersTakeTurnsAfterTrustedClients) {
  use("echo $*");
  for (const char* each : {"1001", "1001", "1002", ""}) EXPECT_TRUE(takes(1, each)) << each;
  for (const char* each : {"1001", "", "1001", "1002"}) EXPECT_EQ(user(), each);
}

TEST_F(ReaderProcess, AUserWhoAsksInLoopsLeavesOthersTheirTurns) {
  use("echo $*");
  int turns = 0;
  std::function<void(Reply)> loop = [&](const Reply&) {
    ++turns;
    reader->ask({http::ConnectionId{1}, "", "65534"}, loop);
  };
  for (int loops = 0; loops < 3; ++loops) reader->ask({http::ConnectionId{1}, "", "65534"}, loop);
  for (const char* each : {"1001", "", "nobody", "1001", ""}) {
    ASSERT_TRUE(takes(2, each)) << each;
    EXPECT_EQ(user(), each);
  }
  EXPECT_LE(turns, 10) << "at most two before each";
}

TEST_F(ReaderProcess, TrustedClientsThatAskInLoopsLeaveUsersTheirTurns) {
  use("echo $*");
  int turns = 0;
  std::function<void(Reply)> loop = [&](const Reply&) {
    ++turns;
    reader->ask({http::ConnectionId{1}, "", ""}, loop);
  };
  for (int loops = 0; loops < 2; ++loops) reader->ask({http::ConnectionId{1}, "", ""}, loop);
  for (const char* each : {"1001", "1002"}) ASSERT_TRUE(takes(2, each)) << each;
  for (const char* each : {"1001", "1002"}) EXPECT_EQ(user(), each);
  EXPECT_LE(turns, 4) << "one before each, and those that have ended since";
}

TEST_F(ReaderProcess, QuestionsThatWaitAreBoundedButForTrustedClients) {
  use("exec sleep 60", {.waiting = 1});
  EXPECT_TRUE(takes(1, "1001"));
  EXPECT_TRUE(takes(2, "1002"));
  EXPECT_FALSE(takes(3, "1003"));
  EXPECT_TRUE(takes(4, ""));
}

TEST_F(ReaderProcess, AQuestionThatWaitedIsToldIfItCannotBeReadAnyMore) {
  use("echo $*");
  EXPECT_TRUE(takes(1, "1001"));
  EXPECT_TRUE(takes(2, "1002"));
  foreign = "another daemon records there";
  EXPECT_EQ(text(), "record_unreadable: the record cannot be read: " + *foreign);
  EXPECT_EQ(user(), "1001");
}

TEST_F(ReaderProcess, ASlowProgramIsKilled) {
  use("sleep 0.5; touch $(dirname $0)/lived; exec sleep 60", {.time = 100ms});
  ASSERT_FALSE(ask());
  EXPECT_EQ(text(), "record_slow: reading the record took more than 100ms");
  EXPECT_FALSE(ask());
  EXPECT_EQ(text(), "record_slow: reading the record took more than 100ms");
  EXPECT_FALSE(is_there("lived"));
}

TEST_F(ReaderProcess, AnEndlessAnswerIsCut) {
  use("exec cat /dev/zero", {.bytes = 100'000});
  ASSERT_FALSE(ask());
  const std::string cut =
      "record_unreadable: the record cannot be read: the answer has more than 100000 bytes";
  EXPECT_EQ(text(), cut);
  EXPECT_FALSE(ask());
  EXPECT_EQ(text(), cut);
}

TEST_F(ReaderProcess, AClientThatLeavesEndsItsReading) {
  use("case \"$*\" in *1003*) echo read;; *) exec sleep 60;; esac");
  EXPECT_TRUE(takes(1, "1001"));
  EXPECT_TRUE(takes(2, "1002"));
  EXPECT_TRUE(takes(3, "1003"));
  reader->connection_closed(http::ConnectionId{2});
  reader->connection_closed(http::ConnectionId{1});
  EXPECT_EQ(text(), "read\n") << "the next that waits is read, and nobody else answered";
}

TEST_F(ReaderProcess, AnswersBeforeTheDaemonStops) {
  use("exec sleep 60");
  EXPECT_TRUE(takes(1, "1001"));
  EXPECT_TRUE(takes(2, "1002"));
  reader->stop();
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(text(), "stopping: the daemon is stopping");
  EXPECT_EQ(text(), "stopping: the daemon is stopping");
}

}  // namespace
}  // namespace sluice::testing
