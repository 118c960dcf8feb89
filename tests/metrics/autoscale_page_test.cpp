#include "metrics/autoscale_page.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "page.h"
#include "promtool.h"

namespace sluice {
namespace {

AutoscaleFacts busy() {
  AutoscaleFacts facts;
  facts.version = "1.2.3";
  facts.desired = 7;
  facts.least = 1;
  facts.most = 20;
  facts.last_observed_unix = 1767225600.5;
  facts.executors = {{"running", 5}, {"booting", 1}, {"draining", 2}, {"not_seen", 1}};
  facts.queued_jobs = 30;
  facts.running_jobs = 12;
  facts.points = 100;
  facts.usage = 60;
  facts.oldest_wait = 12.5;
  facts.decisions = {{"fits", 10}, {"demand", 3}, {"blind", 0}};
  facts.added = 4;
  facts.removed = 2;
  facts.drained = 3;
  facts.kept = 1;
  facts.failed_adds = 1;
  facts.failed_drains = 2;
  return facts;
}

TEST(AutoscalePage, WritesAllItKnows) {
  auto actual = lines_of(autoscale_text(busy()));
  auto expected = lines_of(read_whole(SLUICE_SOURCE "/tests/metrics/autoscale.prom"));
  std::sort(actual.begin(), actual.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(actual, expected) << autoscale_text(busy());
}

TEST(AutoscalePage, EveryStateIsThereBeforeAnythingWasSeen) {
  const Page page = parse_page(autoscale_text(AutoscaleFacts{}));
  for (const char* state : {"running", "booting", "draining", "not_seen"}) {
    EXPECT_TRUE(page.has("sluice_autoscaler_executors{state=\"" + std::string(state) + "\"}"));
  }
  EXPECT_TRUE(page.has("sluice_autoscaler_scaler_failures_total{order=\"remove\"}"));
}

TEST(AutoscalePage, IsListedInTheDocs) {
  const std::string docs = read_whole(SLUICE_SOURCE "/docs/metrics.md");
  for (const auto& [name, type] : parse_page(autoscale_text(busy())).types) {
    EXPECT_NE(docs.find("| `" + name + "`"), std::string::npos) << name;
  }
}

TEST(AutoscalePage, PromtoolSeesNothingToCorrect) {
  const auto promtool = find_promtool();
  if (!promtool) GTEST_SKIP() << "SKIPPED: no promtool";
  const Said said = run_promtool(*promtool, "check metrics", autoscale_text(busy()));
  EXPECT_EQ(said.status, 0);
  EXPECT_EQ(said.output, "");
}

}  // namespace
}  // namespace sluice
