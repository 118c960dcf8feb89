#include "promtool.h"

#include <gtest/gtest.h>

#include "metrics/prometheus.h"
#include "snapshot.h"

namespace sluice {
namespace {

class Promtool : public ::testing::Test {
 protected:
  void SetUp() override {
    promtool_ = find_promtool().value_or("");
    if (promtool_.empty()) {
      GTEST_SKIP() << "no promtool: neither SLUICE_PROMTOOL, nor below the build, nor in PATH";
    }
  }

  void expect_clean(const Status& status, const ServiceFacts& facts) const {
    const Said said = run_promtool(promtool_, "check metrics", prometheus_text(status, facts));
    EXPECT_EQ(said.status, 0);
    EXPECT_EQ(said.output, "");
  }

  std::string promtool_;
};

TEST_F(Promtool, SeesNothingToCorrectOnABusyPage) { expect_clean(busy_status(), busy_facts()); }

TEST_F(Promtool, SeesNothingToCorrectOnTheFirstPage) {
  Status first;
  first.law = Law::rfc;
  expect_clean(first, ServiceFacts{});
}

TEST_F(Promtool, TakesAnyBytesInAName) {
  Status status = idle_status();
  std::string bytes;
  for (int c = 0; c < 256; ++c) bytes += static_cast<char>(c);
  status.sensors = {green_sensor("disk", {{bytes, 1, 2, 3, Unit::bytes, 0.5},
                                          {"\xFE", 1, 2, 3, Unit::bytes, 0.5},
                                          {"\xFF", 1, 2, 3, Unit::bytes, 0.5},
                                          {"same", 1, 2, 3, Unit::bytes, 0.5},
                                          {"same", 1, 2, 3, Unit::bytes, 0.5}})};
  status.sensors[0].reading->source = bytes;
  expect_clean(status, busy_facts());
}

TEST_F(Promtool, WouldHaveSaidSomething) {
  const Said said = run_promtool(promtool_, "check metrics",
                                 "# TYPE sluice_things_count gauge\nsluice_things_count 1\n");
  EXPECT_NE(said.status, 0);
  EXPECT_NE(said.output, "");
}

}  // namespace
}  // namespace sluice
