#include "recognition/process_end.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace sluice {
namespace {

constexpr int kExit1 = 1 << 8;

JobUsage held(std::uint64_t mebibytes) {
  JobUsage usage;
  usage.peak_memory = Bytes{mebibytes << 20};
  return usage;
}

TEST(ProcessEnd, IsThatOfTheStatus) {
  EXPECT_EQ(outcome_of({.status = 0}, held(10)), Outcome::ok);
  EXPECT_EQ(outcome_of({.status = kExit1}, held(10)), Outcome::failed);
  EXPECT_EQ(outcome_of({.status = SIGSEGV}, held(10)), Outcome::failed);
}

TEST(ProcessEnd, BySigkillIsOomOnlyWhereTheKernelKilledForMemory) {
  EXPECT_EQ(outcome_of({.status = SIGKILL, .kills = 1}, held(10)), Outcome::oom);
  EXPECT_EQ(outcome_of({.status = SIGKILL}, held(10)), Outcome::failed);
  EXPECT_EQ(outcome_of({.status = SIGTERM, .kills = 1}, held(10)), Outcome::failed);
  EXPECT_EQ(outcome_of({.status = 0, .kills = 1}, held(1000)), Outcome::ok);
}

TEST(ProcessEnd, OfUnknownStatusIsUnknownOnlyWhereItMayHaveBeenKilled) {
  EXPECT_EQ(outcome_of({.status = {}}, held(1000)), Outcome::ok);
  EXPECT_EQ(outcome_of({.status = {}, .kills = 1}, held(10)), Outcome::ok);
  EXPECT_EQ(outcome_of({.status = {}, .kills = 1}, held(1000)), Outcome::unknown);
}

TEST(ProcessEnd, OfAProcessThatBecameAnotherProgramTeachesNothing) {
  EXPECT_EQ(outcome_of({.has_ended = false, .status = {}}, held(10)), Outcome::unknown);
}

TEST(ProcessEnd, IsNamedForPeople) {
  EXPECT_EQ(name_of_run("cc1plus:foo.cc:3f2a91c0"), "cc1plus foo.cc");
  EXPECT_EQ(name_of_run("generate:3f2a91c0"), "generate");
}

}  // namespace
}  // namespace sluice
