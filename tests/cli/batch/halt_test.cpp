#include "cli/batch/halt.h"

#include <gtest/gtest.h>

#include <vector>

namespace sluice::cli {
namespace {

struct Case {
  const char* text;
  std::size_t known, succeeded, failed;
  bool halts;
};

TEST(BatchHalt, HaltsWhenParallelsWordsSaySo) {
  const std::vector<Case> cases{
      {"never", 10, 0, 10, false},
      {"soon,fail=1", 10, 9, 0, false},
      {"soon,fail=1", 10, 0, 1, true},
      {"now,fail=3", 10, 7, 2, false},
      {"now,fail=3", 10, 0, 3, true},
      {"now,success=1", 10, 0, 9, false},
      {"now,success=1", 10, 1, 0, true},
      {"soon,done=3", 10, 1, 1, false},
      {"soon,done=3", 10, 1, 2, true},
      {"soon,fail=20%", 10, 0, 2, false},
      {"soon,fail=20%", 10, 0, 3, true},
      {"soon,fail=50%", 10, 0, 4, false},
      {"soon,fail=50%", 10, 0, 5, true},
      {"now,success=100%", 4, 3, 1, false},
      {"now,success=100%", 4, 4, 0, true},
      {"20%", 10, 0, 3, true},
      {"soon,fail=12.5%", 40, 0, 5, true},
      {"0", 10, 0, 10, false},
      {"1", 10, 0, 1, true},
      {"-2", 10, 1, 0, true},
  };
  for (const Case& each : cases) {
    const auto halt = parse_halt(each.text);
    ASSERT_TRUE(std::holds_alternative<BatchHalt>(halt)) << each.text;
    EXPECT_EQ(halts(std::get<BatchHalt>(halt), {each.known, each.succeeded, each.failed}),
              each.halts)
        << each.text << " of " << each.known << ": " << each.succeeded << ", " << each.failed;
  }
}

TEST(BatchHalt, TellsSoonFromNow) {
  EXPECT_EQ(std::get<BatchHalt>(parse_halt("soon,fail=1")).when, BatchHalt::When::soon);
  EXPECT_EQ(std::get<BatchHalt>(parse_halt("now,fail=1")).when, BatchHalt::When::now);
  EXPECT_EQ(std::get<BatchHalt>(parse_halt("2")).when, BatchHalt::When::now);
  EXPECT_EQ(std::get<BatchHalt>(parse_halt("20%")).when, BatchHalt::When::soon);
}

TEST(BatchHalt, RefusesWhatItDoesNotKnow) {
  for (const char* text : {"", "soon", "soon,fail", "soon,fail=", "soon,fail=0", "soon,fail=-1",
                           "soon,fail=0%", "soon,fail=101%", "later,fail=1", "now,won=1",
                           "now,fail=1x", "now,fail=nan%", "3", "kill,fail=1"}) {
    const auto halt = parse_halt(text);
    ASSERT_TRUE(std::holds_alternative<std::string>(halt)) << text;
    EXPECT_TRUE(std::get<std::string>(halt).starts_with("--halt must be never, or ")) << text;
  }
}

}  // namespace
}  // namespace sluice::cli
