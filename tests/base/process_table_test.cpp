#include "base/process_table.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <string>

namespace sluice {
namespace {

using std::chrono::milliseconds;

constexpr Duration kTick = milliseconds(10);

TEST(ProcessTable, ReadsWhatTheKernelSaysOfAProcess) {
  const auto facts = parse_process(
      "4242 (a ) b (c) S 4200 4241 4199 34816 4242 4194304 700 9000 0 0 12 7 250 31 20 0 1 0 81234 "
      "5001216 640",
      kTick);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->pid, 4242);
  EXPECT_EQ(facts->state, 'S');
  EXPECT_EQ(facts->parent, 4200);
  EXPECT_EQ(facts->group, 4241);
  EXPECT_EQ(facts->session, 4199);
  EXPECT_EQ(facts->started, 81234u);
  EXPECT_EQ(facts->cpu, milliseconds(3000));
}

TEST(ProcessTable, ReadsTheSignalThatAProcessDiedBy) {
  const auto stat = [](char state, int status) {
    std::string text = std::string("4242 (a) b) ") + state;
    for (int field = 4; field < 52; ++field) text += " " + std::to_string(field);
    return text + " " + std::to_string(status) + "\n";
  };
  EXPECT_EQ(parse_signal_of_death(stat('Z', 9)), 9);
  EXPECT_EQ(parse_signal_of_death(stat('R', 9)), 9) << "it is about to end";
  EXPECT_EQ(parse_signal_of_death(stat('Z', 11 | 0x80)), 11) << "with a core";
  EXPECT_EQ(parse_signal_of_death(stat('Z', 0)), std::nullopt) << "or nobody may know";
  EXPECT_EQ(parse_signal_of_death(stat('S', 0)), std::nullopt) << "it lives";
  EXPECT_EQ(parse_signal_of_death("4242 (a) Z 1 2 3"), std::nullopt);
}

TEST(ProcessTable, TakesNoTextOfAnotherForm) {
  for (const char* text : {"", ")", ") ", "1 (a) ", "1 (a) S", "1 (a) S 1 1 1 0 0 0",
                           "x (a) S 1 1 1 0 0 0 0 0 0 0 1 1 1 1 20 0 1 0 5"}) {
    EXPECT_FALSE(parse_process(text, kTick)) << text;
  }
}

TEST(ProcessTable, KeepsNonsenseWithinWhatAProcessCanHaveUsed) {
  const std::string most = "9223372036854775807";
  const auto much = parse_process(
      "1 (a) S 1 1 1 0 0 0 0 0 0 0 " + most + " " + most + " " + most + " " + most + " 20 0 1 0 5",
      kTick);
  ASSERT_TRUE(much);
  EXPECT_GT(much->cpu, Duration{0});
  const auto less =
      parse_process("1 (a) S 1 1 1 0 0 0 0 0 0 0 -7 0 -9223372036854775808 1 20 0 1 0 5", kTick);
  ASSERT_TRUE(less);
  EXPECT_EQ(less->cpu, kTick);
}

TEST(ProcessTable, ReadsThisProcess) {
  const auto facts = read_process(getpid());
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->parent, getppid());
  EXPECT_TRUE(facts->is_alive());
}

}  // namespace
}  // namespace sluice
