#include "cli/batch/dry_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <variant>

#include "batch_helpers.h"

namespace sluice::cli {
namespace {

BatchJob dry_job(std::size_t seq, const std::string& key, const std::string& line) {
  BatchJob job;
  job.seq = seq;
  job.request.key = key;
  job.request.program = "g++";
  job.line = line;
  return job;
}

/// Two compilations, the second with the longer prediction, and a test after the first one without
/// a prediction.
std::vector<BatchJob> jobs() {
  std::vector<BatchJob> jobs{dry_job(1, "g++:a.cpp:11111111", "g++ -c a.cpp"),
                             dry_job(2, "g++:b.cpp:22222222", "g++ -c b.cpp"),
                             dry_job(3, "test:00000000", "./test \x1b[31m")};
  jobs[0].request.id = "a";
  jobs[2].after = {"a"};
  jobs[2].request.priority = 5;
  return jobs;
}

Prediction predict(const JobRequest& request) {
  if (request.key.starts_with("test")) return Points{15};
  Prediction known(Points{20});
  known.rung = Rung::key;
  known.duration = std::chrono::seconds(request.key.starts_with("g++:a") ? 2 : 90);
  known.memory = MemoryNeed{512.0 * (1 << 20), 1};
  return known;
}

std::string printed(BatchOrder::By by, DryRunForm form, const BatchResume& resume = {}) {
  std::ostringstream out;
  print_dry_run(jobs(), resume, predict, by, form, out);
  return out.str();
}

/// As if the first job had run with this outcome.
BatchResume after_first(const std::string& outcome) {
  JoblogLine line;
  line.seq = 1;
  line.command = jobs()[0].line;
  line.outcome = outcome;
  BatchResume resume;
  resume.skip = BatchResume::Skip::done;
  resume.past = std::get<JoblogPast>(parse_joblog(joblog_header() + to_text(line)));
  return resume;
}

TEST(BatchDryRun, ListsTheJobsAsTheyWouldStart) {
  EXPECT_EQ(
      printed(BatchOrder::By::longest, DryRunForm::text),
      R"(job    key                                      time         memory     cost        known by   command
2      g++:b.cpp:22222222                       1 min 30 s   512.0 MiB  20 points   key        g++ -c b.cpp
1      g++:a.cpp:11111111                       2.0 s        512.0 MiB  20 points   key        g++ -c a.cpp
3      test:00000000                            unknown      none kept  15 points   prior      ./test ?[31m
)");
}

TEST(BatchDryRun, SaysTheSameAsJson) {
  EXPECT_EQ(
      printed(BatchOrder::By::arrival, DryRunForm::json),
      R"({"seq":1,"id":"a","key":"g++:a.cpp:11111111","program":"g++","priority":0,"command":"g++ -c a.cpp","cost":20,"seconds":2E0,"memory_bytes":536870912,"known_by":"key"}
{"seq":3,"id":"","key":"test:00000000","program":"g++","priority":5,"command":"./test ?[31m","cost":15,"seconds":null,"memory_bytes":null,"known_by":"prior"}
{"seq":2,"id":"","key":"g++:b.cpp:22222222","program":"g++","priority":0,"command":"g++ -c b.cpp","cost":20,"seconds":9E1,"memory_bytes":536870912,"known_by":"key"}
)");
}

TEST(BatchDryRun, WhatComesAfterAJobThatIsDoneIsReady) {
  EXPECT_EQ(
      printed(BatchOrder::By::arrival, DryRunForm::json, after_first("ok")),
      R"({"seq":3,"id":"","key":"test:00000000","program":"g++","priority":5,"command":"./test ?[31m","cost":15,"seconds":null,"memory_bytes":null,"known_by":"prior"}
{"seq":2,"id":"","key":"g++:b.cpp:22222222","program":"g++","priority":0,"command":"g++ -c b.cpp","cost":20,"seconds":9E1,"memory_bytes":536870912,"known_by":"key"}
)");
}

TEST(BatchDryRun, LeavesOutWhatComesAfterAJobThatFailed) {
  EXPECT_EQ(
      printed(BatchOrder::By::arrival, DryRunForm::json, after_first("failed")),
      R"({"seq":2,"id":"","key":"g++:b.cpp:22222222","program":"g++","priority":0,"command":"g++ -c b.cpp","cost":20,"seconds":9E1,"memory_bytes":536870912,"known_by":"key"}
)");
}

using BatchDryRunCalled = BatchCalled;

TEST_F(BatchDryRunCalled, ListsWhatComesAfterAJobThatTheJoblogHas) {
  const std::string first = R"({"command": "true", "id": "a"})"
                            "\n";
  write("jobs", first);
  EXPECT_EQ(batch("--joblog log -f jobs").status, 0);
  write("jobs", first + R"({"command": "touch ran", "after": ["a"]})"
                        "\n");
  const Answer answer = batch("--dry-run --joblog log --resume -f jobs");
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_NE(answer.out.find("touch ran\n"), std::string::npos) << answer.out;
  EXPECT_EQ(std::count(answer.out.begin(), answer.out.end(), '\n'), 2) << answer.out;
  EXPECT_FALSE(exists("ran"));
}

TEST_F(BatchDryRunCalled, RefusesWhatTheRunWouldRefuseInTheSameWords) {
  write("jobs", R"({"command": "true", "resources": {"db": 1}})"
                "\n");
  const Answer run = batch("-f jobs");
  const Answer dry = batch("--dry-run -f jobs");
  EXPECT_EQ(dry.status, 2);
  EXPECT_EQ(dry.status, run.status);
  EXPECT_TRUE(dry.err.starts_with("sluice batch: jobs:1: `resources")) << dry.err;
  EXPECT_EQ(dry.err, run.err);
  EXPECT_EQ(dry.out, "");
}

TEST_F(BatchDryRunCalled, AFileThatCannotBeReadIsNoEmptyList) {
  for (const char* how : {"-f /proc/self/mem", "--dry-run -f /proc/self/mem"}) {
    const Answer answer = batch(how);
    EXPECT_EQ(answer.status, 2) << how;
    EXPECT_EQ(answer.err, "sluice batch: /proc/self/mem: Input/output error\n") << how;
  }
}

}  // namespace
}  // namespace sluice::cli
