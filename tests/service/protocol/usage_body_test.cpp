#include "service/protocol/usage_body.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace sluice::testing {
namespace {
using namespace std::chrono_literals;

TEST(UsageBody, WhatIsWrittenIsReadTheSame) {
  JobUsage usage;
  usage.wall = 1234567us;
  usage.cpu = 2s;
  usage.memory = Bytes{5};
  usage.peak_memory = Bytes{1ULL << 40};
  usage.written = Bytes{9};
  usage.oom_kills = 2;
  const auto parsed = parse_usage_body(usage_body(usage));
  const JobUsage& read = **std::get_if<0>(&parsed);
  EXPECT_EQ(read.source, JobUsage::Source::reported);
  EXPECT_EQ(read.wall, usage.wall);
  EXPECT_EQ(read.cpu, usage.cpu);
  EXPECT_EQ(read.memory, usage.memory);
  EXPECT_EQ(read.peak_memory, usage.peak_memory);
  EXPECT_EQ(read.read, std::nullopt);
  EXPECT_EQ(read.written, usage.written);
  EXPECT_EQ(read.oom_kills, 2U);
}

}  // namespace
}  // namespace sluice::testing
