#include "service/jobserver/client_cpu.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice::jobserver {
namespace {
using namespace std::chrono_literals;

TEST(ClientCpu, TheDelayIsInProportionToWhatTheSampledProcessesWaited) {
  EXPECT_EQ(estimated_delay(2s, {1s, 3s}, 10s, 4), 6s);
  EXPECT_EQ(estimated_delay(0s, {1s, 3s}, 10s, 4), 0s);
  EXPECT_EQ(estimated_delay(2s, {0s, 0s}, 10s, 4), 0s);
}

TEST(ClientCpu, TasksThatOnlyWaitedCountToo) {
  EXPECT_EQ(estimated_delay(0s, {0s, 3s}, 10s, 4), 3s);
}

TEST(ClientCpu, NoTaskWaitsLongerThanThereWasTime) {
  EXPECT_EQ(estimated_delay(2s, {1ms, 1s}, 100ms, 3), 300ms);
}

TEST(ClientCpu, EachJobIsTakenToHaveUsedAnEqualPart) {
  JobUsage usage;
  add_part(usage, {100ms, 180ms, 90ms}, 3);
  add_part(usage, {100ms, 20ms, 0ms}, 1);
  EXPECT_EQ(usage.wall, 200ms);
  EXPECT_EQ(usage.cpu, 80ms);
  EXPECT_EQ(usage.cpu_delay, 30ms);
}

TEST(ClientCpu, WhatAClientUsedBeforeItIsServedDoesNotCount) {
  const auto itself = [] { return std::vector{*read_process(getpid())}; };
  const TimePoint began = Clock::now();
  while (itself()[0].cpu < 30ms) continue;
  ClientCpu client(getpid(), began);
  const Duration before = itself()[0].cpu;
  while (itself()[0].cpu < before + 50ms) continue;
  const ClientUse use = client.sample(itself(), {}, began + 1s);
  EXPECT_EQ(use.span, 1s);
  EXPECT_GE(use.cpu, 40ms);
  EXPECT_LE(use.cpu, itself()[0].cpu - before + 30ms);
}

}  // namespace
}  // namespace sluice::jobserver
