#pragma once

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command_runner.h"
#include "fixture.h"
#include "has.h"

namespace sluice::testing {

/// A daemon over a memory of 1000 GiB, and two commands, the older first, that print for ever.
class HeldBack : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

  /// `program` is what the commands' messages begin with.
  explicit HeldBack(std::string program) : program_(std::move(program)) {}

  /// Starts both; the older is measured before the younger starts.
  void start(const std::vector<std::string>& command) {
    elder.emplace(command, elders.path(""));
    EXPECT_TRUE(eventually([&] { return reported(1); }));
    younger.emplace(command, youngers.path(""));
    EXPECT_TRUE(eventually([&] { return reported(2); }));
  }
  std::string job(int number) const {
    return daemon.ask("GET", "/v1/jobs/" + std::to_string(number)).body;
  }
  bool reported(int number) const { return has(job(number), R"("source":"processes")"); }

  /// Memory is short, and the younger says so.
  void run_short() {
    used = 990;
    const std::string said = program_ + ": suspended: memory is short: ";
    ASSERT_TRUE(eventually([&] { return has(younger->err(), said); })) << younger->err();
  }
  /// Whether it keeps counting, within several polls that might resume it.
  static bool counts(const CommandRunner& command) {
    const std::size_t before = command.out().size();
    const auto until = Clock::now() + std::chrono::milliseconds(400);
    while (Clock::now() < until) {
      if (command.out().size() > before + 2) return true;
      sched_yield();
    }
    return false;
  }

  std::atomic<std::uint64_t> used{100};  ///< GiB.
  RunningDaemon daemon{
      "", {}, [this](TimePoint) {
        return std::vector<MemoryLimit>{{"host", Bytes{1000 * kGiB}, Bytes{used * kGiB}}};
      }};
  TemporaryFolder elders, youngers;
  std::optional<CommandRunner> elder, younger;

 private:
  const std::string program_;
};

}  // namespace sluice::testing
