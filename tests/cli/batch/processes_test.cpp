#include "cli/batch/processes.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

using std::chrono::milliseconds;

Prediction expected(Rung rung, std::optional<Duration> duration) {
  Prediction prediction{Points{1}};
  prediction.rung = rung;
  prediction.duration = duration;
  return prediction;
}

TEST(ShortJob, IsOneWhoseKeyRanForLessThanFiftyMilliseconds) {
  EXPECT_TRUE(is_expected_to_be_short(expected(Rung::key, milliseconds(49))));
  EXPECT_FALSE(is_expected_to_be_short(expected(Rung::key, milliseconds(50))));
}

TEST(ShortJob, IsNoneThatOnlyItsProgramVouchesFor) {
  EXPECT_FALSE(is_expected_to_be_short(expected(Rung::program, milliseconds(5))));
  EXPECT_FALSE(is_expected_to_be_short(expected(Rung::everything, milliseconds(5))));
}

TEST(ShortJob, IsNoneThatNobodyKnows) {
  EXPECT_FALSE(is_expected_to_be_short(expected(Rung::key, std::nullopt)));
  EXPECT_FALSE(is_expected_to_be_short(expected(Rung::prior, std::nullopt)));
}

}  // namespace
}  // namespace sluice::cli
