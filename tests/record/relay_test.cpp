#include "cli/record/relay.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace sluice::cli {
namespace {

TEST(Relay, PassesEveryValueInOrder) {
  Relay<int> relay;
  std::jthread writer([&] {
    for (int value = 0; value < 1000; ++value) relay.push(value);
    relay.close();
  });
  int expected = 0;
  while (const auto value = relay.pop()) EXPECT_EQ(*value, expected++);
  EXPECT_EQ(expected, 1000);
}

TEST(Relay, AReaderThatGivesUpHoldsNobodyUp) {
  Relay<int> relay;
  std::jthread writer([&] {
    for (int value = 0; value < 1000; ++value) relay.push(value);
  });
  EXPECT_EQ(relay.pop(), 0);
  relay.close();
}

}  // namespace
}  // namespace sluice::cli
