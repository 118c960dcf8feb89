#include "governor/door.h"

#include <gtest/gtest.h>

#include <random>

namespace sluice {
namespace {

TEST(Door, EveryFieldSurvivesPackingIndependently) {
  const std::int64_t points[] = {0, 1, 12345, kMostPoints.value};
  for (const std::int64_t usage : points) {
    for (const std::int64_t size : points) {
      for (const auto sign : {Door::Sign::open, Door::Sign::sensor, Door::Sign::paused,
                              Door::Sign::draining, Door::Sign::queue}) {
        for (const std::uint16_t name : {std::uint16_t{0}, std::uint16_t{1}, Door::kMostNames}) {
          const Door door = unpack(pack({Points{usage}, Points{size}, sign, name}));
          EXPECT_EQ(door.usage, Points{usage});
          EXPECT_EQ(door.size, Points{size});
          EXPECT_EQ(door.sign, sign);
          EXPECT_EQ(door.name, name);
        }
      }
    }
  }
}

TEST(Door, EmptyDoorIsTheZeroWord) { EXPECT_EQ(pack(Door{}), 0u); }

}  // namespace
}  // namespace sluice
