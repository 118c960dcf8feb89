#include "base/mailbox.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <memory>
#include <thread>

namespace sluice {
namespace {

using Messages = Mailbox<std::unique_ptr<int>>;

bool is_readable(const Messages& mailbox) {
  pollfd ready{mailbox.descriptor(), POLLIN, 0};
  return poll(&ready, 1, 0) == 1;
}

TEST(Mailbox, DeliversInOrderAndWakesOnce) {
  Messages mailbox;
  EXPECT_FALSE(is_readable(mailbox));
  EXPECT_TRUE(mailbox.take_all().empty());
  mailbox.put(std::make_unique<int>(1));
  mailbox.put(std::make_unique<int>(2));
  EXPECT_TRUE(is_readable(mailbox));
  const auto messages = mailbox.take_all();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(*messages[0], 1);
  EXPECT_EQ(*messages[1], 2);
  EXPECT_FALSE(is_readable(mailbox));
  EXPECT_TRUE(mailbox.take_all().empty());
}

TEST(Mailbox, LosesNothingBetweenThreads) {
  constexpr std::size_t kEach = 1000;
  Messages mailbox;
  const auto send = [&] {
    for (std::size_t i = 0; i < kEach; ++i) mailbox.put(std::make_unique<int>(0));
  };
  std::thread one(send), other(send);
  std::size_t taken = 0;
  while (taken < 2 * kEach) {
    pollfd ready{mailbox.descriptor(), POLLIN, 0};
    if (poll(&ready, 1, 10000) != 1) break;
    taken += mailbox.take_all().size();
  }
  one.join();
  other.join();
  EXPECT_EQ(taken, 2 * kEach);
}

}  // namespace
}  // namespace sluice
