#include "service/doctor/enforce_check.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {
using Enforce = ReservationOptions::Enforce;

OwnGroup group_v2() {
  OwnGroup group;
  group.name = "v2";
  group.folder = "/sys/fs/cgroup/ci";
  group.is_v2 = group.is_writable = true;
  return group;
}

EnforceHost good_enforce_host() {
  EnforceHost host;
  host.has_memory_groups = host.has_memory_high = true;
  host.groups = {group_v2()};
  host.swap = Bytes{1 << 30};
  return host;
}

std::string refusal(Enforce enforce, const EnforceHost& host, JobsRunBy by = JobsRunBy::clients) {
  return judge_enforce(enforce, host, by).refusal;
}
std::string warning(Enforce enforce, const EnforceHost& host, JobsRunBy by = JobsRunBy::clients) {
  return judge_enforce(enforce, host, by).warning;
}

TEST(EnforceCheck, NothingIsSaidWhereItCanBeKeptOrIsOff) {
  for (const JobsRunBy by : {JobsRunBy::itself, JobsRunBy::clients}) {
    for (const Enforce each : {Enforce::high, Enforce::max}) {
      EXPECT_EQ(refusal(each, good_enforce_host(), by) + warning(each, good_enforce_host(), by),
                "");
    }
    EXPECT_EQ(refusal(Enforce::off, {}, by) + warning(Enforce::off, {}, by), "");
  }
}

TEST(EnforceCheck, HighWithoutSwapIsRefusedWithTheReason) {
  EnforceHost host = good_enforce_host();
  host.swap = Bytes{};
  EXPECT_EQ(refusal(Enforce::high, host),
            "memory.enforce: high: this host has no swap, so jobs would stall at their limit; add "
            "swap, or set max or off");
  EXPECT_EQ(refusal(Enforce::max, host), "");
}

TEST(EnforceCheck, AGroupThatMayNotSwapIsThatOfTheJobsThatRunInItOnly) {
  EnforceHost host = good_enforce_host();
  host.no_swap_file = "/sys/fs/cgroup/ci/memory.swap.max";
  EXPECT_NE(refusal(Enforce::high, host, JobsRunBy::itself).find(host.no_swap_file + " is 0"),
            std::string::npos);
  EXPECT_EQ(refusal(Enforce::high, host), "");
  EXPECT_NE(warning(Enforce::high, host).find(host.no_swap_file + " is 0"), std::string::npos);
}

TEST(EnforceCheck, HighUnderV1LimitsNothingAndThatIsSaid) {
  EnforceHost host = good_enforce_host();
  host.has_memory_high = false;
  EXPECT_EQ(refusal(Enforce::high, host), "");
  EXPECT_NE(warning(Enforce::high, host).find("memory.enforce: high limits no job"),
            std::string::npos);
}

TEST(EnforceCheck, MaxIsRefusedWhereNothingCanBeLimited) {
  EnforceHost host = good_enforce_host();
  host.has_memory_groups = host.has_memory_high = false;
  host.groups.clear();
  EXPECT_TRUE(refusal(Enforce::max, host)
                  .starts_with("memory.enforce: max: this host has no memory cgroup"));
}

TEST(EnforceCheck, MaxInAGroupThatGetsNoneIsRefusedForJobsOfItsOwnAndSaidForThoseOfClients) {
  EnforceHost shut = good_enforce_host(), bare = good_enforce_host();
  shut.groups[0].is_writable = false;
  bare.groups[0].lacking = {"io", "memory"};
  EXPECT_NE(refusal(Enforce::max, shut, JobsRunBy::itself).find("cannot create groups below"),
            std::string::npos);
  EXPECT_NE(refusal(Enforce::max, bare, JobsRunBy::itself).find("has no controller for memory"),
            std::string::npos);
  for (const EnforceHost& host : {shut, bare}) {
    EXPECT_EQ(refusal(Enforce::max, host), "");
    EXPECT_NE(warning(Enforce::max, host), "");
  }
}

}  // namespace
}  // namespace sluice
