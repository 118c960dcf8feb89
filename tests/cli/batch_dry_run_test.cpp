#include "cli/batch_dry_run.h"

#include <gtest/gtest.h>

#include <sstream>

namespace sluice::cli {
namespace {

BatchJob job(std::size_t seq, const std::string& key, const std::string& line) {
  BatchJob job;
  job.seq = seq;
  job.request.key = key;
  job.request.program = "g++";
  job.line = line;
  return job;
}

/// Two compilations, the second expected to be longer; a test that comes after the first and of
/// which nothing is known.
std::vector<BatchJob> jobs() {
  std::vector<BatchJob> jobs{job(1, "g++:a.cpp:11111111", "g++ -c a.cpp"),
                             job(2, "g++:b.cpp:22222222", "g++ -c b.cpp"),
                             job(3, "test:00000000", "./test \x1b[31m")};
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

std::string printed(BatchOrder::By by, DryRunForm form) {
  std::ostringstream out;
  print_dry_run(jobs(), predict, by, form, out);
  return out.str();
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
      R"({"seq":1,"id":"a","key":"g++:a.cpp:11111111","program":"g++","priority":0,"command":"g++ -c a.cpp","cost":20,"seconds":2E0,"memory_bytes":5.36870912E8,"known_by":"key"}
{"seq":3,"id":"","key":"test:00000000","program":"g++","priority":5,"command":"./test ?[31m","cost":15,"seconds":null,"memory_bytes":null,"known_by":"prior"}
{"seq":2,"id":"","key":"g++:b.cpp:22222222","program":"g++","priority":0,"command":"g++ -c b.cpp","cost":20,"seconds":9E1,"memory_bytes":5.36870912E8,"known_by":"key"}
)");
}

}  // namespace
}  // namespace sluice::cli
