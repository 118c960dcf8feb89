#include "service/api/jobserver_shares.h"

#include <gtest/gtest.h>

namespace sluice::testing {
namespace {

constexpr uid_t kAnn = 4001, kBob = 4002, kCid = 4003;

Asker ordinary(uid_t user) { return {user, Role::user}; }

std::string refusal(const JobserverShares& shares, const Asker& asker) {
  const auto error = shares.refuse(asker);
  return error ? std::to_string(error->status) + " " + error->code + ": " + error->message : "";
}

constexpr const char* kForMore =
    "; wait until some have ended, or let the daemon open more files (systemd: LimitNOFILE=)";

TEST(JobserverShares, AnOrdinaryUserHasAtMostHalf) {
  JobserverShares shares(4);
  shares.add(JobId{1}, kAnn);
  EXPECT_EQ(refusal(shares, ordinary(kAnn)), "");
  shares.add(JobId{2}, kAnn);
  EXPECT_EQ(
      refusal(shares, ordinary(kAnn)),
      std::string("429 too_many_jobservers: too many jobservers: user 4001 has 2 of the 4 that "
                  "this daemon has room for, the most for one user") +
          kForMore);
  EXPECT_EQ(refusal(shares, ordinary(kBob)), "");
  EXPECT_EQ(refusal(shares, {kAnn, Role::trusted}), "") << "root may have all";
  shares.remove(JobId{2});
  EXPECT_EQ(refusal(shares, ordinary(kAnn)), "");
}

TEST(JobserverShares, NobodyHasMoreThanAll) {
  JobserverShares shares(2);
  shares.add(JobId{1}, kAnn);
  shares.add(JobId{2}, kBob);
  const std::string full =
      std::string(
          "429 too_many_jobservers: too many jobservers: all 2 that this daemon has room for "
          "are open") +
      kForMore;
  EXPECT_EQ(refusal(shares, ordinary(kCid)), full);
  EXPECT_EQ(refusal(shares, {0, Role::trusted}), full);
  shares.remove(JobId{1});
  EXPECT_EQ(refusal(shares, {0, Role::trusted}), "");
}

TEST(JobserverShares, OneIsForAnyUser) {
  const JobserverShares shares(1);
  EXPECT_EQ(refusal(shares, ordinary(kAnn)), "");
}

}  // namespace
}  // namespace sluice::testing
