#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "cli/batch/run_summary.h"

namespace sluice::cli {
namespace {

using std::chrono::seconds;

TimePoint at(int t) { return TimePoint(seconds(t)); }

Status status(int t, int size, int usage, std::optional<Refusal> limiting) {
  Status status;
  status.now = at(t);
  status.size = Points{size};
  status.usage = Points{usage};
  status.limiting = limiting;
  return status;
}

RunSummary example_run() {
  RunSummary summary(at(0));
  const Refusal window{RefusalCode::window, "window", Points{10}, Points{20}, Points{20}, {}};
  Refusal memory = window;
  memory.code = RefusalCode::sensor;
  memory.binding = "memory";
  summary.observe(status(0, 20, 0, std::nullopt));
  summary.observe(status(1, 20, 20, window));
  summary.observe(status(5, 40, 30, memory));
  summary.observe(status(7, 20, 10, std::nullopt));
  summary.observe(status(10, 20, 0, std::nullopt));
  summary.record_change({at(5), Points{20}, Points{40}, WindowCause::slow_start, ""});
  summary.record_change({at(6), Points{40}, Points{20}, WindowCause::red, "memory"});
  summary.note_finished(true, 6);
  summary.note_finished(false, 4);
  summary.note_failure("x.cpp: exit status 1: no such header");
  return summary;
}

TEST(RunSummary, SaysWhatHappenedAndWhatLimitedIt) {
  EXPECT_EQ(example_run().text(2, at(10)),
            "jobs        2 of 2 ran, 1 failed\n"
            "makespan    10.0 s, 1.0 jobs at once on average\n"
            "peak usage  30 points\n"
            "window      20 points at the start, 20 at the end, between 20 and 40\n"
            "              at 5.0 s        grown 20 -> 40 points\n"
            "              at 6.0 s        cut 40 -> 20 points by memory\n"
            "limited by  sensor memory for 2.0 s, window for 4.0 s\n"
            "failed      x.cpp: exit status 1: no such header\n");
}

TEST(RunSummary, SaysTheSameAsJson) {
  const std::string json = boost::json::serialize(example_run().object(2, at(10)));
  for (const char* part : {R"("event":"summary")", R"("finished":2)", R"("failed":1)",
                           R"("peak_usage":30)", R"("most":40)", R"("sensor":"memory")",
                           R"("limited_seconds":{"sensor memory":2E0,"window":4E0})"}) {
    EXPECT_NE(json.find(part), std::string::npos) << part << "\n" << json;
  }
}

TEST(RunSummary, SaysNothingOfAGovernorThatWasNeverSeen) {
  RunSummary summary(at(0));
  summary.note_finished(true, 6);
  EXPECT_EQ(summary.text(1, at(6)),
            "jobs        1 of 1 ran, 0 failed\n"
            "makespan    6.0 s, 1.0 jobs at once on average\n");
  EXPECT_NE(boost::json::serialize(summary.object(1, at(6))).find(R"("window":null)"),
            std::string::npos);
}

TEST(RunSummary, CountsABadLineAsFailedAndNotAsRun) {
  RunSummary summary(at(0));
  summary.note_finished(true, 6);
  summary.note_failed_unrun("standard input:2: unknown field `x`");
  EXPECT_EQ(summary.text(2, at(6)),
            "jobs        1 of 2 ran, 1 failed\n"
            "makespan    6.0 s, 1.0 jobs at once on average\n"
            "failed      standard input:2: unknown field `x`\n");
  const std::string json = boost::json::serialize(summary.object(2, at(6)));
  for (const char* part :
       {R"("finished":1,"failed":1,)", R"("failures":["standard input:2: unknown field `x`"])"}) {
    EXPECT_NE(json.find(part), std::string::npos) << part << "\n" << json;
  }
}

TEST(RunSummary, EstimatesFromTheRateSoFar) {
  RunSummary summary(at(0));
  EXPECT_LT(summary.eta(at(10), 4), 0);
  summary.note_finished(true, 1);
  EXPECT_DOUBLE_EQ(summary.eta(at(10), 4), 30);
}

}  // namespace
}  // namespace sluice::cli
