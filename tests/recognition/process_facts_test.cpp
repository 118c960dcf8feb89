#include "recognition/process_facts.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace sluice {
namespace {

std::string status_with(const std::string& tracer, const std::string& own,
                        const std::string& shared, const std::string& ignored) {
  return "Name:\tTracerPid:\nState:\tT (stopped)\nTracerPid:\t" + tracer + "\nSigPnd:\t" + own +
         "\nShdPnd:\t" + shared + "\nSigBlk:\t0000000000000000\nSigIgn:\t" + ignored +
         "\nSigCgt:\t0000000000000000\n";
}

TEST(ProcessFacts, ReadsTracerAndSignals) {
  const auto facts = parse_signal_facts(
      status_with("17", "0000000000000001", "0000000000004000", "0000000000001000"));
  ASSERT_TRUE(facts);
  EXPECT_EQ(*facts, (SignalFacts{17, 0x4001, 0x1000}));
}

TEST(ProcessFacts, TakesNoHalfAStatus) {
  const std::string status = status_with("0", "0", "0", "0");
  EXPECT_TRUE(parse_signal_facts(status));
  EXPECT_FALSE(parse_signal_facts(status.substr(0, status.find("SigIgn"))));
  EXPECT_FALSE(parse_signal_facts(""));
  EXPECT_FALSE(parse_signal_facts("Name:\tx\nTracerPid:\tmany\n"));
}

TEST(ProcessFacts, EndsByASignalThatIsPendingAndNotIgnored) {
  const auto bit = [](int signal) { return std::uint64_t{1} << (signal - 1); };
  EXPECT_TRUE(is_ending({0, bit(SIGTERM), 0}));
  EXPECT_TRUE(is_ending({0, bit(SIGKILL), 0}));
  EXPECT_FALSE(is_ending({0, bit(SIGTERM), bit(SIGTERM)}));
  EXPECT_FALSE(is_ending({0, bit(SIGCHLD) | bit(SIGTSTP) | bit(SIGWINCH), 0}));
  EXPECT_FALSE(is_ending({0, 0, 0}));
}

TEST(ProcessFacts, ReadsThisProcess) {
  ASSERT_FALSE(read_command(getpid()).empty());
  EXPECT_NE(read_command(getpid())[0].find("test_recognition"), std::string::npos);
  EXPECT_EQ(read_working_directory(getpid()), std::filesystem::current_path());
  EXPECT_TRUE(read_signal_facts(getpid()));
  EXPECT_GT(read_bytes_moved(getpid()).value_or(0), 0u);
  EXPECT_GT(read_memory_in_use().value_or(0), 0u);
}

TEST(ProcessFacts, KnowsWhereACommandLineIsUnlessThatIsASecret) {
  const auto stat_with = [](const std::string& place) {
    std::string text = "7 (a) b) S";  // A name may be anything.
    for (int field = 4; field < 48; ++field) text += " " + std::to_string(field);
    return text + " " + place + " 49 50 51 0\n";
  };
  EXPECT_EQ(parse_place_of_arguments(stat_with("140737488349000")), 140737488349000U);
  EXPECT_EQ(parse_place_of_arguments(stat_with("0")), std::nullopt);
  EXPECT_EQ(parse_place_of_arguments("7 (a) S 4"), std::nullopt);
  EXPECT_EQ(parse_place_of_arguments(""), std::nullopt);
  EXPECT_TRUE(read_program_image(getpid()));
  EXPECT_EQ(read_program_image(getpid()), read_program_image(getpid()));
}

TEST(ProcessFacts, HasNothingOfAProcessThatIsGone) {
  constexpr pid_t nobody = 0x7fffffff;
  EXPECT_TRUE(read_command(nobody).empty());
  EXPECT_EQ(read_working_directory(nobody), "");
  EXPECT_FALSE(read_signal_facts(nobody));
}

TEST(ProcessFacts, AProcessIsOverWithTheLastOfItsThreads) {
  EXPECT_TRUE(parse_is_over("")) << "it is gone";
  EXPECT_TRUE(parse_is_over("Name:\tx\nState:\tZ (zombie)\nThreads:\t1\n"));
  EXPECT_TRUE(parse_is_over("Name:\tx\nState:\tX (dead)\nThreads:\t2\n"));
  EXPECT_FALSE(parse_is_over("Name:\tx\nState:\tZ (zombie)\nThreads:\t2\n"));
  EXPECT_FALSE(parse_is_over("Name:\tx\nState:\tT (stopped)\nThreads:\t1\n"));
  EXPECT_FALSE(is_over(getpid()));
}

TEST(ProcessFacts, ReadsNumbersOfFiles) {
  EXPECT_EQ(parse_bytes_moved("rchar: 10\nwchar: 5\nsyscr: 3\n"), 15u);
  EXPECT_EQ(parse_bytes_moved("rchar: 10\n"), std::nullopt);
  EXPECT_EQ(parse_memory_in_use("MemTotal:  100 kB\nMemFree: 1 kB\nMemAvailable:   40 kB\n"),
            60u * 1024);
  EXPECT_EQ(parse_memory_in_use("MemTotal:  100 kB\n"), std::nullopt);
}

}  // namespace
}  // namespace sluice
