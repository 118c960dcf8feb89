// The process that reads the record for the daemon: bounded, one at a time, and never waited for.
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

using Reply = std::variant<Response, ApiError>;

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
  std::optional<ApiError> ask(RecordQuestion question = {ConnectionId{1}, "", ""}) {
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
    return error ? error->code + ": " + error->message : std::get<Response>(reply).body;
  }
  /// Waits until the process has ended and another may be asked.
  bool is_free() {
    const auto until = Clock::now() + 30s;
    while (const auto error = ask()) {
      if (error->code != "record_busy" || Clock::now() > until) return false;
      context_.run_one_for(100ms);
    }
    return true;
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
  ASSERT_FALSE(ask({ConnectionId{1}, "1772373900.5", "1001"}));
  EXPECT_EQ(text(),
            "why --json --state-dir /the/state --lines 50 --at @1772373900.5 --outside-status 3 "
            "--names-of 1001\n");
  ASSERT_FALSE(ask());
  EXPECT_EQ(text(), "why --json --state-dir /the/state --lines 50 --at 0s --outside-status 3\n");
  ASSERT_FALSE(ask({ConnectionId{1}, "1772373900", "", "2"}));
  EXPECT_EQ(text(),
            "why --json --state-dir /the/state --lines 50 --at @1772373900 --outside-status 3 "
            "--occurrence 2\n");
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

TEST_F(ReaderProcess, ASecondClientIsToldToTryAgain) {
  use("exec sleep 60");
  ASSERT_FALSE(ask());
  const auto error = ask({ConnectionId{2}, "", ""});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, "record_busy");
  EXPECT_EQ(to_response(*error).headers, "Retry-After: 1\r\n");
}

TEST_F(ReaderProcess, ASlowProgramIsKilled) {
  use("sleep 0.5; touch $(dirname $0)/lived; exec sleep 60", {.time = 100ms});
  ASSERT_FALSE(ask());
  EXPECT_EQ(text(), "record_slow: reading the record took more than 100ms");
  EXPECT_TRUE(is_free());
  EXPECT_EQ(text(), "record_slow: reading the record took more than 100ms");
  EXPECT_FALSE(is_there("lived"));
}

TEST_F(ReaderProcess, AnEndlessAnswerIsCut) {
  use("exec cat /dev/zero", {.bytes = 100'000});
  ASSERT_FALSE(ask());
  EXPECT_EQ(text(),
            "record_unreadable: the record cannot be read: the answer has more than 100000 bytes");
  EXPECT_TRUE(is_free());
}

TEST_F(ReaderProcess, AClientThatLeavesEndsItsReading) {
  use("exec sleep 60");
  ASSERT_FALSE(ask());
  reader->connection_closed(ConnectionId{2});
  EXPECT_TRUE(ask()) << "another client's leaving changes nothing";
  reader->connection_closed(ConnectionId{1});
  EXPECT_TRUE(is_free());
  EXPECT_TRUE(replies.empty());
}

TEST_F(ReaderProcess, AnswersBeforeTheDaemonStops) {
  use("exec sleep 60");
  ASSERT_FALSE(ask());
  reader->stop();
  EXPECT_EQ(text(), "stopping: the daemon is stopping");
}

}  // namespace
}  // namespace sluice::testing
