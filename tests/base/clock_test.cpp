#include "base/clock.h"

#include <gtest/gtest.h>

#include <ctime>

namespace sluice {
namespace {

TEST(Clock, CountsFrom1970) {
  const auto before = static_cast<std::int64_t>(std::time(nullptr)) - 1;
  const std::int64_t whole = unix_seconds();
  const double exact = unix_now();
  EXPECT_GE(whole, before);
  EXPECT_GE(exact, static_cast<double>(whole));
  EXPECT_LE(exact, static_cast<double>(std::time(nullptr) + 2));
}

TEST(UniqueName, BeginsWithTheKindAndTheProcess) {
  const std::string name = unique_name("build");
  EXPECT_TRUE(name.starts_with("build-" + std::to_string(getpid()) + "-")) << name;
}

}  // namespace
}  // namespace sluice
