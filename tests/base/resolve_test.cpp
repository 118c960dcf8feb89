#include "base/resolve.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

namespace sluice {
namespace {

TEST(ResolveHost, TakesAnAddressWithoutANameServer) {
  const HostAddresses found = resolve_host("::1", "8125", SOCK_DGRAM, AI_NUMERICHOST);
  EXPECT_EQ(found.problem, "");
  ASSERT_EQ(found.addresses.size(), 1u);
  EXPECT_EQ(found.addresses[0].get()->sa_family, AF_INET6);
  EXPECT_EQ(found.addresses[0].size, sizeof(sockaddr_in6));
}

TEST(ResolveHost, TellsWhyThereIsNoAddress) {
  const HostAddresses found = resolve_host("no.address", "1", SOCK_STREAM, AI_NUMERICHOST);
  EXPECT_TRUE(found.addresses.empty());
  EXPECT_NE(found.problem, "");
}

TEST(ResolveAside, IsNotWaitedForByACallerThatHasGone) {
  std::promise<void> answer;
  resolve_aside([answered = answer.get_future().share()] { answered.wait(); });
  answer.set_value();
}

}  // namespace
}  // namespace sluice
