#include "capi/structs.h"

#include <gtest/gtest.h>
#include <sluice.h>

#include <array>
#include <cstring>
#include <string>

namespace sluice::capi {
namespace {

constexpr sluice_usage kDefaults{sizeof(sluice_usage), 7, 8, 9, 10};

std::string problem_of_usage(const sluice_usage& given) {
  try {
    known_fields(given, kDefaults, "sluice_usage");
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
  return "";
}

TEST(Structs, OfThisVersionAreTakenAsTheyAre) {
  const sluice_usage given{sizeof given, 1, 2, 3, 4};
  const sluice_usage known = known_fields(given, kDefaults, "sluice_usage");
  EXPECT_EQ(known.wall, 1);
  EXPECT_EQ(known.peak_memory, 4);
}

TEST(Structs, OfAnEarlierVersionHaveDefaultsForTheRest) {
  const sluice_usage given{offsetof(sluice_usage, memory), 1, 2, 3, 4};
  const sluice_usage known = known_fields(given, kDefaults, "sluice_usage");
  EXPECT_EQ(known.cpu, 2);
  EXPECT_EQ(known.memory, 9);
  EXPECT_EQ(known.peak_memory, 10);
}

/// A struct with one more field, as a later version may have it.
struct LaterUsage {
  sluice_usage usage;
  double more;
};

std::string problem_of_later(double more) {
  LaterUsage later{{sizeof(LaterUsage), 1, 2, 3, 4}, more};
  return problem_of_usage(reinterpret_cast<const sluice_usage&>(later));
}

TEST(Structs, OfALaterVersionAreTakenUnlessTheySetWhatThisOneLacks) {
  EXPECT_EQ(problem_of_later(0), "");
  EXPECT_EQ(problem_of_later(1),
            "sluice_usage: sets a field that this version of the library lacks");
}

TEST(Structs, WithoutASizeAreRefused) {
  sluice_usage given = kDefaults;
  for (const std::size_t size :
       {std::size_t{0}, sizeof(std::size_t), std::size_t{4097}, SIZE_MAX}) {
    given.size = size;
    EXPECT_EQ(problem_of_usage(given), "sluice_usage.size: must be sizeof(sluice_usage)") << size;
  }
}

}  // namespace
}  // namespace sluice::capi
