#include "costmodel/variants.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace sluice {
namespace {

constexpr std::uint64_t kOneMiB = 1 << 20;

using Row = std::pair<std::uint64_t, std::uint64_t>;  ///< Variant and MiB.

std::vector<PastRun> runs_of_rows(const std::vector<Row>& rows) {
  std::vector<PastRun> runs;
  for (const auto& [variant, mib] : rows) {
    PastRun run;
    run.variant = variant;
    run.peak_memory = Bytes{mib * kOneMiB};
    runs.push_back(run);
  }
  return runs;
}

TEST(Variants, DisagreeWhereRunsOfEachAreAlikeAndThoseOfTwoAreNot) {
  EXPECT_TRUE(variants_disagree(runs_of_rows({{1, 50}, {2, 400}})));
  EXPECT_TRUE(variants_disagree(runs_of_rows({{1, 50}, {1, 51}, {2, 400}, {2, 402}})));
  EXPECT_FALSE(variants_disagree(runs_of_rows({{1, 300}, {2, 310}, {3, 290}}))) << "alike";
  EXPECT_FALSE(variants_disagree(runs_of_rows({{1, 50}, {1, 400}, {1, 50}}))) << "one variant";
  EXPECT_FALSE(variants_disagree(runs_of_rows({{1, 50}, {1, 400}, {2, 60}, {2, 420}})))
      << "each is as unlike itself as the other";
  EXPECT_FALSE(variants_disagree(runs_of_rows({{1, 2}, {2, 8}}))) << "of no weight";
  EXPECT_FALSE(variants_disagree({}));
}

TEST(Variants, AreNotToldApartByRunsThatDidNotEndWell) {
  auto runs = runs_of_rows({{1, 50}, {2, 400}});
  runs[0].outcome = Outcome::failed;
  EXPECT_FALSE(variants_disagree(runs));
  runs[0].outcome = Outcome::cancelled;
  EXPECT_FALSE(variants_disagree(runs));
  runs[0].outcome = Outcome::oom;
  EXPECT_TRUE(variants_disagree(runs));
}

TEST(Variants, SpeakForThemselvesAlone) {
  const auto runs = runs_of_rows({{1, 50}, {2, 400}, {2, 404}});
  const Estimate known = estimate_of_variant(runs, {}, 2);
  EXPECT_EQ(known.runs, 2U);
  EXPECT_DOUBLE_EQ(known.memory.mean, 402.0 * kOneMiB);
  EXPECT_EQ(estimate_of_variant(runs, {}, 3).runs, 0U);

  const std::vector<SoFar> running{{7, Bytes{900 * kOneMiB}, Duration{0}, 1},
                                   {8, Bytes{500 * kOneMiB}, Duration{0}, 2}};
  EXPECT_EQ(estimate_of_variant(runs, running, 2).largest, Bytes{500 * kOneMiB});
}

}  // namespace
}  // namespace sluice
