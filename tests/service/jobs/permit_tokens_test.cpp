#include "service/jobs/permit_tokens.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(PermitTokens, AreTheFirstHalfOfHmacSha256) {
  PermitTokens tokens;
  ASSERT_TRUE(
      tokens.take_secret("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"));
  // python3 -c 'import hmac; print(hmac.new(bytes(range(32)), b"17", "sha256").hexdigest()[:32])'
  EXPECT_EQ(tokens.token_of(JobId{17}), "17.47cdebcdb73f89f2b9deff1a4852aab1");
}

TEST(PermitTokens, AreKnownByTheirSecretAlone) {
  const PermitTokens mine, theirs;
  const std::string token = mine.token_of(JobId{17});
  EXPECT_EQ(mine.job_of(token), JobId{17});
  EXPECT_FALSE(theirs.job_of(token));
  std::string altered = token;
  altered.back() = altered.back() == '0' ? '1' : '0';
  EXPECT_FALSE(mine.job_of(altered));
  EXPECT_FALSE(mine.job_of("18" + token.substr(2))) << "of another job";
  EXPECT_FALSE(mine.job_of(token + "0"));
}

}  // namespace
}  // namespace sluice
