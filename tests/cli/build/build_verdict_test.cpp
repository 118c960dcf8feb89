#include "cli/build/build_verdict.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

namespace sluice::cli {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

BuildReport report_with_peaks(std::initializer_list<std::uint64_t> peaks) {
  BuildReport report;
  report.most_held = 1;
  for (const std::uint64_t peak : peaks) {
    report.heaviest.push_back({"cc1plus a.cc", Bytes{peak * kGibibyte}, Duration{0}, {}, {}});
  }
  return report;
}

TEST(BuildVerdict, NamesTheSharesOfTheWaitTheLargestFirst) {
  BuildReport report;
  report.waited = {
      {"another build", seconds(9)}, {"memory", seconds(71)}, {"the window", seconds(20)}};
  EXPECT_EQ(
      waited_sentence(report),
      "jobs waited 1 min 40 s in all: 71% for memory, 20% for the window, 9% for another build");
}

TEST(BuildVerdict, LeavesOutSharesBelowOnePerCent) {
  BuildReport report;
  report.waited = {{"memory", seconds(999)}, {"window", seconds(1)}};
  EXPECT_EQ(waited_sentence(report), "jobs waited 16 min 40 s in all: 100% for memory");
}

TEST(BuildVerdict, SaysNothingWhereHardlyAnyoneWaited) {
  EXPECT_EQ(waited_sentence({}), "");
  BuildReport report;
  report.waited["memory"] = std::chrono::milliseconds(400);
  EXPECT_EQ(waited_sentence(report), "");
}

TEST(BuildVerdict, SaysWhatTheNumberWouldHaveNeeded) {
  BuildReport report = report_with_peaks({3, 2, 1});
  report.most_running = 1;
  EXPECT_EQ(
      number_sentence(report, AskedNumber{"make", 2}, Bytes{5 * kGibibyte}),
      "make was asked for 2 at once; at most 1 ran; the 2 heaviest together would have needed "
      "5.0 GiB");
  EXPECT_EQ(
      number_sentence(report, AskedNumber{"make", 8}, Bytes{5 * kGibibyte}),
      "make was asked for 8 at once; at most 1 ran; the 3 heaviest together would have needed "
      "6.0 GiB, more than there is (5.0 GiB)");
  EXPECT_EQ(number_sentence(report, AskedNumber{"make", 8}, std::nullopt).find("more than"),
            std::string::npos);
}

TEST(BuildVerdict, SaysHowMuchSoonerAnyNumberCouldHaveEnded) {
  EXPECT_EQ(time_sentence({.took = seconds(61), .cpu = seconds(82), .cpus = 2}),
            "the build took 1 min 01 s; with any number it takes at least 41 s: its CPU time on 2 "
            "CPUs");
  EXPECT_EQ(time_sentence({.took = seconds(9), .cpu = seconds(6), .cpus = 1.5}),
            "the build took 9 s; with any number it takes at least 4 s: its CPU time on 1.5 CPUs");
  EXPECT_EQ(time_sentence({.took = seconds(9), .cpu = seconds(12), .cpus = 1}), "")
      << "it had more CPUs than now";
  EXPECT_EQ(time_sentence({.took = seconds(9), .cpu = seconds(0), .cpus = 2}), "")
      << "nothing was measured";
}

TEST(BuildVerdict, MeasuresTheCpuTimeOfProcessesThatHaveEnded) {
  const BuildMeter meter;
  EXPECT_EQ(meter.terms().cpu, Duration{0});
  const pid_t child = fork();
  if (child == 0) {
    while (std::clock() < CLOCKS_PER_SEC / 20) {
    }
    _exit(0);
  }
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  const BuildTerms terms = meter.terms();
  EXPECT_GE(terms.cpu, std::chrono::milliseconds(40));
  EXPECT_GT(terms.took, Duration{0});
  EXPECT_GT(terms.cpus, 0);
  ASSERT_TRUE(terms.memory);
  EXPECT_GT(*terms.memory, Bytes{0});
}

TEST(BuildVerdict, SaysOfEachOfTheHeaviestForWhatItWaited) {
  BuildReport report = report_with_peaks({3, 2, 1, 0});
  report.heaviest[0].waited = {{"memory", seconds(12)},
                               {"the window", seconds(30)},
                               {"CPUs", std::chrono::milliseconds(90)}};
  report.heaviest[2].waited = {{"another build", seconds(4)}};
  EXPECT_EQ(heaviest_sentence(report),
            "the heaviest: cc1plus a.cc 3.0 GiB (waited 30 s for the window, 12 s for memory), "
            "cc1plus a.cc 2.0 GiB, cc1plus a.cc 1.0 GiB (waited 4 s for another build)");
}

TEST(BuildVerdict, SaysThatANumberIsTooLarge) {
  EXPECT_EQ(too_many_sentence({"make", 100}, {12, FittingJobs::By::runs}, "memory"),
            "make may start 100 at once; about 12 of what it runs now fit (memory)");
  EXPECT_EQ(too_many_sentence({"make", 100}, {3, FittingJobs::By::assumption}, "cpus"),
            "make may start 100 at once; about 3 fit now (cpus): nothing is known yet of what it "
            "runs");
}

TEST(BuildVerdict, SaysNothingOfANumberThatBoundItself) {
  BuildReport report = report_with_peaks({3, 2, 1});
  report.most_running = 2;
  EXPECT_EQ(number_sentence(report, AskedNumber{"make", 2}, std::nullopt), "");
  EXPECT_EQ(number_sentence(report, std::nullopt, std::nullopt), "");
  report.most_held = 0;
  EXPECT_EQ(number_sentence(report, AskedNumber{"make", 8}, std::nullopt), "")
      << "nothing had to wait";
}

}  // namespace
}  // namespace sluice::cli
