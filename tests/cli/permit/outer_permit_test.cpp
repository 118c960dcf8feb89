#include "cli/permit/outer_permit.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {
using Environment = std::map<std::string, std::string>;

std::optional<OuterPermit> permit_in(const Environment& environment) {
  return outer_permit([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(OuterPermitOf, WhatIsToldIsRead) {
  Environment environment;
  tell({Points{7}, Bytes{1000}, "/run/s"}, environment);
  const auto permit = permit_in(environment);
  ASSERT_TRUE(permit);
  EXPECT_EQ(permit->points, Points{7});
  EXPECT_EQ(permit->memory, Bytes{1000});
  EXPECT_EQ(permit->socket, "/run/s");
}

TEST(OuterPermitOf, NothingOfAPermitFurtherOutShowsThrough) {
  Environment environment;
  tell({Points{7}, Bytes{1000}, "/run/s"}, environment);
  tell({Points{3}, std::nullopt, ""}, environment);
  const auto permit = permit_in(environment);
  ASSERT_TRUE(permit);
  EXPECT_EQ(permit->points, Points{3});
  EXPECT_FALSE(permit->memory);
  EXPECT_EQ(permit->socket, "");
}

TEST(OuterPermitOf, WhatMakesNoSenseIsNone) {
  EXPECT_FALSE(permit_in({}));
  for (const char* points : {"", "0", "-1", "x", "5x", "1.5", " 5", "99999999999999999999"}) {
    EXPECT_FALSE(permit_in({{kPermitPoints, points}})) << points;
  }
  for (const char* memory : {"", "0", "-1", "1G"}) {
    const auto permit = permit_in({{kPermitPoints, "5"}, {kPermitMemory, memory}});
    ASSERT_TRUE(permit);
    EXPECT_FALSE(permit->memory) << memory;
  }
  EXPECT_EQ(permit_in({{kPermitPoints, "18446744073709551615"}})->points, kMostPoints);
}

TEST(OuterPermitOf, ItsMemoryIsALevelThatPromisesAllOfIt) {
  GovernorOptions options;
  options.reservation.reserve = 0.2;
  options.memory_meter = [](TimePoint) {
    return std::vector<MemoryLimit>{{"host", Bytes{5000}, Bytes{1}}};
  };
  hold_to({Points{4}, Bytes{800}, ""}, options);
  EXPECT_EQ(options.window.minimum, Points{4});
  EXPECT_EQ(options.window.maximum, Points{4});
  const auto limits = options.memory_meter(TimePoint{});
  ASSERT_EQ(limits.size(), 2u);
  EXPECT_EQ(limits[0].where, "host");
  EXPECT_EQ(limits[1].limit, Bytes{1000});
}

}  // namespace
}  // namespace sluice::cli
