#include "costmodel/formula.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace {

TEST(Formula, IsFivePlusFivePerNode) {
  const std::vector<std::pair<int, std::int64_t>> rows{{0, 5}, {1, 10}, {2, 15}, {5, 30}, {10, 55}};
  for (const auto& [inventory, points] : rows) {
    EXPECT_EQ(formula({}, inventory), Points{points}) << inventory;
  }
}

TEST(Formula, NoJobCostsLessThanTheMinimum) {
  EXPECT_EQ(formula({Points{0}, Points{2}, Points{7}}, 3), Points{7});
  EXPECT_EQ(formula({Points{0}, Points{2}, Points{7}}, 4), Points{8});
  EXPECT_EQ(formula({Points{0}, Points{0}, Points{1}}, 1000), Points{1});
}

TEST(Formula, NegativeInventoryCountsAsNone) {
  EXPECT_EQ(formula({}, -1), Points{5});
  EXPECT_EQ(formula({}, std::numeric_limits<int>::min()), Points{5});
}

TEST(Formula, HugeInventoryIsCappedAndDoesNotOverflow) {
  constexpr int kMost = std::numeric_limits<int>::max();
  EXPECT_EQ(formula({}, kMost), kMostPoints);
  EXPECT_EQ(formula({kMostPoints, kMostPoints, Points{1}}, kMost), kMostPoints);
}

TEST(Formula, PointsOutOfRangeAreRefusedByName) {
  const std::pair<CostOptions, std::string> rows[] = {
      {{Points{-1}, Points{5}, Points{1}}, "cost.base"},
      {{kMostPoints + Points{1}, Points{5}, Points{1}}, "cost.base"},
      {{Points{5}, Points{-5}, Points{1}}, "cost.per_node"},
      {{Points{5}, Points{5}, Points{0}}, "cost.minimum"},
  };
  for (const auto& [options, field] : rows) {
    try {
      check_cost(options);
      ADD_FAILURE() << field << " was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(field)) << error.what();
    }
  }
  EXPECT_NO_THROW(check_cost({}));
  EXPECT_NO_THROW(check_cost({Points{0}, kMostPoints, Points{1}}));
}

TEST(Formula, ModelReadsTheInventoryOfTheJob) {
  const CostModel model = formula_model({Points{1}, Points{3}, Points{2}});
  JobRequest job;
  EXPECT_EQ(model(job).cost, Points{4});
  job.inventory = 4;
  EXPECT_EQ(model(job).cost, Points{13});
  job.inventory = 0;
  EXPECT_EQ(model(job).cost, Points{2});
}

}  // namespace
}  // namespace sluice
