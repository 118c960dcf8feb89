#include "cli/batch_joblog.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {
using Verdict = JoblogPast::Verdict;

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
  EXPECT_EQ(past.verdict(1, "a\tb"), Verdict::ended_ok);
  EXPECT_EQ(past.verdict(2, "c"), Verdict::failed);
  EXPECT_EQ(past.verdict(3, "d"), Verdict::failed) << "status 0, but killed for memory";
  EXPECT_EQ(past.verdict(4, "e"), Verdict::unknown);
  EXPECT_EQ(past.verdict(2, "another"), Verdict::other_command);
  EXPECT_EQ(past.command_of(2), "c");
}

TEST(Joblog, TheLastLineOfAJobCounts) {
  const std::string text =
      joblog_header() + to_text(line_of(1, "a", "failed")) + to_text(line_of(1, "a", "ok"));
  EXPECT_EQ(std::get<JoblogPast>(parse_joblog(text)).verdict(1, "a"), Verdict::ended_ok);
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
  EXPECT_EQ(past.verdict(1, "true 1"), Verdict::ended_ok);
  EXPECT_EQ(past.verdict(2, "false 2"), Verdict::failed);
  EXPECT_EQ(past.verdict(3, "kill 3"), Verdict::failed);
}

TEST(Joblog, WhatIsNoJoblogIsSaidWithItsLine) {
  EXPECT_TRUE(std::get<std::string>(parse_joblog("hello\n")).starts_with("1: is no joblog"));
  EXPECT_TRUE(std::get<std::string>(parse_joblog(joblog_header() + "1\t2\n")).starts_with("2: "));
  EXPECT_TRUE(std::get<std::string>(parse_joblog(joblog_header() + "x\t:\t1\t1\t0\t0\t0\t0\ta\n"))
                  .starts_with("2: Seq, "));
}

}  // namespace
}  // namespace sluice::cli
