// The memory that was kept for jobs, and what they used of it, as the daemon's metrics tell it.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "command_runner.h"
#include "fixture.h"

namespace sluice::testing {
namespace {

class KeptMemoryMetrics : public ::testing::Test {
 protected:
  double metric(const std::string& name, const std::string& rung) const {
    const std::string page = daemon.ask("GET", "/metrics").body;
    const std::string line = "\nsluice_memory_" + name + "_total{rung=\"" + rung + "\"} ";
    const std::size_t at = page.find(line);
    return at == page.npos ? -1 : std::stod(page.substr(at + line.size()));
  }
  /// Submits a job that declares 4 MB and ends it so.
  void run(const std::string& query, const std::string& usage) const {
    const std::string declared = R"({"id":"a","cost":1,"measured":true,"memory":4000000})";
    EXPECT_EQ(daemon.ask("POST", "/v1/jobs", declared).status, 201);
    EXPECT_EQ(daemon.ask("DELETE", "/v1/jobs/a" + query, usage).status, 200);
  }
  void run_command(const std::string& script) const {
    CommandRunner runner({SLUICE_COMMAND, "run", "--socket", daemon.socket(), "--key", "k", "--",
                          "/bin/sh", "-c", script},
                         daemon.folder.path(""));
    EXPECT_EQ(runner.wait(), 0) << runner.err();
  }

  RunningDaemon daemon{std::string(kSmallWindow) + "cost: {model: history}\n"};
};

constexpr const char* kThreeQuarters = R"({"usage":{"wall":1,"cpu":1,"peak_memory":3000000}})";
constexpr const char* kMore = R"({"usage":{"wall":1,"cpu":1,"peak_memory":4000001}})";

TEST_F(KeptMemoryMetrics, TellWhichPeaksWereAboveWhatWasKept) {
  EXPECT_EQ(metric("predictions", "declared"), 0);
  EXPECT_EQ(metric("predictions", "prior"), 0);
  run("", kThreeQuarters);
  EXPECT_EQ(metric("predictions", "declared"), 1);
  EXPECT_EQ(metric("predictions_exceeded", "declared"), 0);
  const double kept = metric("kept_byte_seconds", "declared");
  EXPECT_GT(kept, 0);
  EXPECT_NEAR(metric("unused_byte_seconds", "declared"), kept / 4, kept / 1000);
  run("?outcome=failed", kMore);
  EXPECT_EQ(metric("predictions", "declared"), 2);
  EXPECT_EQ(metric("predictions_exceeded", "declared"), 1);
  run("?outcome=oom", kThreeQuarters);
  EXPECT_EQ(metric("predictions_exceeded", "declared"), 2);
  EXPECT_NEAR(metric("unused_byte_seconds", "declared"), kept / 4, kept / 1000);
}

TEST_F(KeptMemoryMetrics, LeaveOutJobsWhoseNeedNobodySaw) {
  run("?outcome=cancelled", kMore);
  run("", "");
  EXPECT_EQ(metric("predictions", "declared"), 0);
}

TEST_F(KeptMemoryMetrics, CountARealJobAboveWhatItsEarlierRunsNeeded) {
  for (int run = 0; run < 3; ++run) run_command("true");
  // The peaks of such short runs vary, and one may be above the two before it.
  const double before = metric("predictions", "key");
  const double exceeded = metric("predictions_exceeded", "key");
  run_command("x=$(head -c 400000000 /dev/zero | tr '\\0' x)");
  EXPECT_EQ(metric("predictions", "key"), before + 1);
  EXPECT_EQ(metric("predictions_exceeded", "key"), exceeded + 1);
}

}  // namespace
}  // namespace sluice::testing
