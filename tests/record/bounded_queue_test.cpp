#include "cli/record/bounded_queue.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace sluice::cli {
namespace {

TEST(BoundedQueue, PassesEveryValueInOrder) {
  BoundedQueue<int> queue;
  std::jthread writer([&] {
    for (int value = 0; value < 1000; ++value) queue.push(value);
    queue.close();
  });
  int expected = 0;
  while (const auto value = queue.pop()) EXPECT_EQ(*value, expected++);
  EXPECT_EQ(expected, 1000);
}

TEST(BoundedQueue, AReaderThatGivesUpHoldsNobodyUp) {
  BoundedQueue<int> queue;
  std::jthread writer([&] {
    for (int value = 0; value < 1000; ++value) queue.push(value);
  });
  EXPECT_EQ(queue.pop(), 0);
  queue.close();
}

}  // namespace
}  // namespace sluice::cli
