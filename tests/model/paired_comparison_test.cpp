#include "../../bench/paired_comparison.h"

#include <gtest/gtest.h>

namespace sluice::model {
namespace {

TEST(SignedRank, IsExact) {
  EXPECT_DOUBLE_EQ(signed_rank_p(std::vector<double>{1, 2, 3, 4, 5}), 1.0 / 32);
  EXPECT_DOUBLE_EQ(signed_rank_p(std::vector<double>{-1, -2, -3, -4, -5}), 1);
  EXPECT_DOUBLE_EQ(signed_rank_p(std::vector<double>{-1, 2, 3, 4, 5}), 2.0 / 32);
}

TEST(SignedRank, TiesShareTheirRanksAndZerosSayNothing) {
  EXPECT_DOUBLE_EQ(signed_rank_p(std::vector<double>{1, 1, -1}), 0.5);
  EXPECT_DOUBLE_EQ(signed_rank_p(std::vector<double>{0, 1, 0, 2}), 0.25);
  EXPECT_EQ(signed_rank_p(std::vector<double>{0, 0}), 1);
}

TEST(Holm, MultipliesByWhatIsLeft) {
  EXPECT_EQ(holm(std::vector<double>{0.25, 0.01, 0.02}), (std::vector<double>{0.25, 0.03, 0.04}));
  EXPECT_EQ(holm(std::vector<double>{0.75, 0.5}), (std::vector<double>{1, 1}));
}

}  // namespace
}  // namespace sluice::model
