#include "cli/batch/joblog.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace sluice::cli {
namespace {
using JoblogVerdict = JoblogPast::Verdict;

JoblogLine line_of(std::size_t seq, const std::string& command, const std::string& outcome) {
  JoblogLine line;
  line.seq = seq;
  line.started = 1795258734.1134;
  line.runtime = 1.5;
  line.received = 12;
  line.exit_status = outcome == "failed" ? 2 : 0;
  line.command = command;
  line.id = "lib";
  line.key = "make:lib:05b7162f";
  line.outcome = outcome;
  line.attempt = 2;
  line.waited = 0.25;
  line.cost = 15;
  line.cpu_seconds = 1.25;
  line.peak_memory = 1048576;
  return line;
}

TEST(Joblog, ItsLinesAreThoseOfParallelAndThenOurs) {
  EXPECT_EQ(joblog_header(),
            "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\tId\tKey\t"
            "Outcome\tAttempt\tWait\tCost\tCpuSeconds\tPeakMemory\n");
  EXPECT_EQ(to_text(line_of(7, "make\tlib\n", "failed")),
            "7\t:\t1795258734.113\t     1.500\t0\t12\t2\t0\tmake\\tlib\\n\tlib\tmake:lib:05b7162f\t"
            "failed\t2\t0.250\t15\t1.250\t1048576\n");
}

TEST(Joblog, WhatWasWrittenIsReadBack) {
  const std::string text = joblog_header() + to_text(line_of(1, "a\tb", "ok")) +
                           to_text(line_of(2, "c", "failed")) + to_text(line_of(3, "d", "oom"));
  const auto past = std::get<JoblogPast>(parse_joblog(text));
  EXPECT_EQ(past.size(), 3u);
  EXPECT_EQ(past.verdict(1, "a\tb"), JoblogVerdict::ended_ok);
  EXPECT_EQ(past.verdict(2, "c"), JoblogVerdict::failed);
  EXPECT_EQ(past.verdict(3, "d"), JoblogVerdict::failed) << "status 0, but killed for memory";
  EXPECT_EQ(past.verdict(4, "e"), JoblogVerdict::unknown);
  EXPECT_EQ(past.verdict(2, "another"), JoblogVerdict::other_command);
  EXPECT_EQ(past.command_of(2), "c");
}

TEST(Joblog, TheLastLineOfAJobCounts) {
  const std::string text =
      joblog_header() + to_text(line_of(1, "a", "failed")) + to_text(line_of(1, "a", "ok"));
  EXPECT_EQ(std::get<JoblogPast>(parse_joblog(text)).verdict(1, "a"), JoblogVerdict::ended_ok);
}

TEST(Joblog, ALineThatWasTornOffIsNotThere) {
  const std::string whole = joblog_header() + to_text(line_of(1, "a", "ok"));
  const auto past = std::get<JoblogPast>(parse_joblog(whole + "2\t:\t17952"));
  EXPECT_EQ(past.size(), 1u);
  EXPECT_EQ(past.whole_bytes(), whole.size());
}

TEST(Joblog, ReadsThatOfParallel) {
  const std::string text =
      "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n"
      "2\t:\t1795258734.113\t     0.004\t0\t0\t1\t0\tfalse 2\n"
      "1\t:\t1795258734.113\t     0.004\t0\t0\t0\t0\ttrue 1\n"
      "3\t:\t1795258734.113\t     0.004\t0\t0\t0\t9\tkill 3\n";
  const auto past = std::get<JoblogPast>(parse_joblog(text));
  EXPECT_EQ(past.verdict(1, "true 1"), JoblogVerdict::ended_ok);
  EXPECT_EQ(past.verdict(2, "false 2"), JoblogVerdict::failed);
  EXPECT_EQ(past.verdict(3, "kill 3"), JoblogVerdict::failed);
}

TEST(Joblog, ReadsNamesThatParallelQuotesInAnotherWay) {
  const std::vector<std::string> commands{
      "true 'it'\"'\"'s'", "true 'a\tb'", std::string("true 'a\0b'", 10),
      "true 'a=b'",        "true it\\'s", "true 'a\tb\tc\tok\td\te\tf\tg\th'"};
  std::string text = "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n";
  for (std::size_t at = 0; at < commands.size(); ++at) {
    text += std::to_string(at + 1) + "\t:\t1795258734.113\t     0.004\t0\t0\t0\t0\t" +
            commands[at] + "\n";
  }
  const auto past = std::get<JoblogPast>(parse_joblog(text));
  EXPECT_EQ(past.verdict(1, "true 'it'\\''s'"), JoblogVerdict::ended_ok);
  EXPECT_EQ(past.verdict(2, "true 'a\tb'"), JoblogVerdict::ended_ok);
  EXPECT_EQ(past.verdict(3, "true 'a\nb'"), JoblogVerdict::ended_ok);
  EXPECT_EQ(past.verdict(4, "true a=b"), JoblogVerdict::ended_ok);
  EXPECT_EQ(past.verdict(5, "true 'it'\\''s'"), JoblogVerdict::ended_ok);
  EXPECT_EQ(past.verdict(6, "true 'a\tb\tc\tok\td\te\tf\tg\th'"), JoblogVerdict::ended_ok);
  EXPECT_EQ(past.verdict(1, "true its"), JoblogVerdict::other_command);
  EXPECT_EQ(past.verdict(2, "true a b"), JoblogVerdict::other_command);
  EXPECT_EQ(past.command_of(2), "true 'a\\tb'") << "one line for people";
}

TEST(Joblog, ItsOwnCommandsAreComparedAsTheyWereWritten) {
  const std::string text = joblog_header() + to_text(line_of(1, "true 'a'", "ok"));
  const auto past = std::get<JoblogPast>(parse_joblog(text));
  EXPECT_EQ(past.verdict(1, "true a"), JoblogVerdict::other_command);
}

TEST(Joblog, WhatIsNoJoblogIsSaidWithItsLine) {
  EXPECT_TRUE(std::get<std::string>(parse_joblog("hello\n")).starts_with("1: is not a joblog"));
  EXPECT_TRUE(std::get<std::string>(parse_joblog(joblog_header() + "1\t2\n")).starts_with("2: "));
  EXPECT_TRUE(std::get<std::string>(parse_joblog(joblog_header() + "x\t:\t1\t1\t0\t0\t0\t0\ta\n"))
                  .starts_with("2: Seq, "));
}

/// A temporary file, and a limit on its size.
class JoblogOnAFullDisk : public ::testing::Test {
 protected:
  JoblogOnAFullDisk() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sluice-XXXXXX").string();
    const int file = mkstemp(pattern.data());
    close(file);
    path_ = pattern;
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = signal(SIGXFSZ, SIG_IGN);
  }
  ~JoblogOnAFullDisk() override {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
    std::filesystem::remove(path_);
  }

  void bound(std::size_t bytes) const {
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  void unbound() const { setrlimit(RLIMIT_FSIZE, &before_); }
  std::string text() const {
    std::ifstream file(path_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  std::unique_ptr<Joblog> open(Joblog::Start start, std::size_t keep) const {
    return std::move(std::get<std::unique_ptr<Joblog>>(Joblog::open(path_, start, keep)));
  }

  std::string path_;
  rlimit before_{};
  sighandler_t handler_ = SIG_DFL;
};

TEST_F(JoblogOnAFullDisk, ALineThatWasTornOffIsCutAwayAndTheNextOneIsWhole) {
  const std::string first = joblog_header() + to_text(line_of(1, "a", "ok"));
  const auto joblog = open(Joblog::Start::truncate, 0);
  EXPECT_EQ(joblog->add(line_of(1, "a", "ok")), "");
  bound(first.size() + 10);
  EXPECT_EQ(joblog->add(line_of(2, "b", "ok")), path_ + ": cannot be written: the disk is full");
  EXPECT_EQ(text(), first) << "even if no other line comes";
  unbound();
  EXPECT_EQ(joblog->add(line_of(3, "c", "ok")), "");
  EXPECT_EQ(text(), first + to_text(line_of(3, "c", "ok")));
}

TEST_F(JoblogOnAFullDisk, WhatWasThereBeforeIsKept) {
  const std::string before = joblog_header() + to_text(line_of(1, "a", "ok"));
  std::ofstream(path_, std::ios::binary) << before << "2\t:\ttorn";
  const auto joblog = open(Joblog::Start::append, before.size());
  bound(before.size() + 10);
  EXPECT_NE(joblog->add(line_of(2, "b", "ok")), "");
  bound(before.size());
  EXPECT_NE(joblog->add(line_of(2, "b", "ok")), "");
  unbound();
  EXPECT_EQ(joblog->add(line_of(2, "b", "ok")), "");
  EXPECT_EQ(text(), before + to_text(line_of(2, "b", "ok")));
}

TEST_F(JoblogOnAFullDisk, ADeviceThatIsFullIsSaid) {
  const auto opened = Joblog::open("/dev/full", Joblog::Start::truncate, 0);
  ASSERT_TRUE(std::holds_alternative<std::string>(opened));
  EXPECT_EQ(std::get<std::string>(opened), "/dev/full: cannot be written: No space left on device");
}

}  // namespace
}  // namespace sluice::cli
