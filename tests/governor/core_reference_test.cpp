// The indexed core against the plain core, on random histories.
#include <gtest/gtest.h>

#include "reference/history.h"
#include "repetitions.h"

namespace sluice {
namespace {

constexpr std::uint64_t kHistories = repetitions(10'000);

/// Split into cases that run in parallel.
class CoreAgainstPlain : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(CoreAgainstPlain, SameDecisionsRefusalsWeightsAndPlaces) {
  for (std::uint64_t seed = GetParam(); seed < kHistories; seed += 4) {
    const reference::History history = reference::random_history(seed);
    if (reference::difference(history).empty()) continue;
    const reference::History shortest = reference::shrink(history);
    FAIL() << "seed " << seed << "\n"
           << reference::describe(shortest) << reference::difference(shortest);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, CoreAgainstPlain, ::testing::Range<std::uint64_t>(0, 4));

}  // namespace
}  // namespace sluice
