#include "cli/whatif/variants.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

std::string problem_of(const Grid& grid) { return std::get<std::string>(variants_of(grid)); }

TEST(Variants, AreAllCombinationsInTheOrderOfTheOptions) {
  const auto variants =
      std::get<std::vector<Variant>>(variants_of({{}, {"window.law=knee,rfc"}, "2,1", "4GiB"}));
  ASSERT_EQ(variants.size(), 4U);
  EXPECT_EQ(variants[0].name, "window.law=knee, 2 CPUs, 4GiB");
  EXPECT_EQ(variants[1].name, "window.law=knee, 1 CPU, 4GiB");
  EXPECT_EQ(variants[2].name, "window.law=rfc, 2 CPUs, 4GiB");
  EXPECT_EQ(variants[2].settings.front().path, "window.law");
  EXPECT_EQ(variants[2].settings.front().value, "rfc");
  EXPECT_EQ(variants[2].cpus, 2);
  EXPECT_EQ(variants[2].memory, Bytes{4ULL << 30});
}

TEST(Variants, OfEachFileAreTheirOwn) {
  const auto variants =
      std::get<std::vector<Variant>>(variants_of({{"a.yaml", "b.yaml"}, {}, "", ""}));
  ASSERT_EQ(variants.size(), 2U);
  EXPECT_EQ(variants[1].name, "b.yaml");
  EXPECT_EQ(variants[1].config_file, "b.yaml");
}

TEST(Variants, AreNoneWithoutAnythingToTry) {
  EXPECT_TRUE(std::get<std::vector<Variant>>(variants_of({})).empty());
}

TEST(Variants, ValuesOfAnOptionGivenTwiceAreJoined) {
  const auto variants = std::get<std::vector<Variant>>(
      variants_of({{}, {"window.initial=50", "window.law=rfc", "window.initial=60,50"}, "", ""}));
  ASSERT_EQ(variants.size(), 2U);
  EXPECT_EQ(variants[0].name, "window.initial=50, window.law=rfc");
  EXPECT_EQ(variants[1].name, "window.initial=60, window.law=rfc");
  ASSERT_EQ(variants[1].settings.size(), 2U);
  EXPECT_EQ(variants[1].settings[0].value, "60");
}

TEST(Variants, EqualValuesAppearOnce) {
  const auto variants = std::get<std::vector<Variant>>(
      variants_of({{"a.yaml", "a.yaml"}, {"x=1,1", "x=1"}, "2,2", "4GiB,4GiB"}));
  ASSERT_EQ(variants.size(), 1U);
  EXPECT_EQ(variants[0].name, "a.yaml, x=1, 2 CPUs, 4GiB");
}

TEST(Variants, WrongOptionsAreNamed) {
  EXPECT_EQ(problem_of({{}, {"window.law"}, "", ""}),
            "--set: `window.law` is not like window.law=knee,rfc");
  EXPECT_EQ(problem_of({{}, {}, "2,none", ""}),
            "--cpus: `none` is not a number above 0, such as 4 or 1.5");
  EXPECT_EQ(problem_of({{}, {}, "0", ""}), "--cpus: `0` is not a number above 0, such as 4 or 1.5");
  EXPECT_EQ(problem_of({{}, {}, "", "lots"}), "--memory: `lots` is not a size such as 8GiB");
}

TEST(Variants, TooManyAreRefused) {
  const std::string ten = "=1,2,3,4,5,6,7,8,9,10";
  EXPECT_EQ(problem_of({{}, {"a" + ten, "b" + ten, "c" + ten, "d=1,2"}, "", ""}),
            "these are more than 1000 combinations");
}

}  // namespace
}  // namespace sluice::cli
