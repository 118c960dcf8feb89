// The model of a host against what is known of real ones.

#include "model/host.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "base/seconds.h"

namespace sluice::model {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t kMiB = 1 << 20;

void pass(Host& host, double length) {
  const TimePoint until = host.now() + Duration(static_cast<Duration::rep>(length * 1e9));
  while (host.now() < until) host.advance();
}

/// When each job ended, in seconds.
std::map<Host::Number, double> ends_of(Host& host, double length) {
  std::map<Host::Number, double> ends;
  const TimePoint until = host.now() + Duration(static_cast<Duration::rep>(length * 1e9));
  while (host.now() < until) {
    host.advance();
    for (const Host::Ended& each : host.take_ended()) {
      ends[each.job] = to_seconds(host.now().time_since_epoch());
    }
  }
  return ends;
}

Phase computing(double length, double cores = 1) { return {length, cores, {}, {}, {}}; }
Phase waiting(double length) { return {length, 0, {}, {}, {}}; }

/// CPU time used / CPU time there was, at one level.
double busy(const Host& host, std::size_t level = 0) {
  const UseCounters counters = host.counters();
  return to_seconds(counters.levels.at(level).used) /
         to_seconds(counters.levels.at(level).available);
}

TEST(ModelHost, AJobAloneTakesItsTime) {
  Host host({});
  const auto job = host.start({computing(2), waiting(1)});
  EXPECT_NEAR(ends_of(host, 5).at(job), 3, 0.06);
  EXPECT_NEAR(host.totals().useful, 2, 1e-9);
}

TEST(ModelHost, ThreeJobsShareTwoCpus) {
  Host host({});
  for (int i = 0; i < 3; ++i) host.start({computing(2)});
  pass(host, 1);
  const JobUsage usage = host.usage(0);
  EXPECT_NEAR(to_seconds(usage.cpu), 2.0 / 3, 1e-6);
  EXPECT_NEAR(to_seconds(usage.cpu_delay), 1.0 / 3, 1e-6);
  EXPECT_DOUBLE_EQ(busy(host), 1);
  EXPECT_NEAR(to_seconds(host.counters().cpu_stall->some), 0.5, 1e-6);
  for (const auto& [job, end] : ends_of(host, 5)) EXPECT_NEAR(end, 3 * 1.015, 0.06);
}

TEST(ModelHost, AWideJobUsesManyCpus) {
  Host host({.cpus = 8});
  const auto job = host.start({computing(2, 6)});
  pass(host, 1);
  EXPECT_NEAR(to_seconds(host.usage(job).cpu), 6, 1e-6);
  EXPECT_NEAR(busy(host), 0.75, 1e-6);
  EXPECT_NEAR(ends_of(host, 3).at(job), 2, 0.06);
}

TEST(ModelHost, SleepersUseNothing) {
  Host host({});
  for (int i = 0; i < 100; ++i) host.start({waiting(1)});
  EXPECT_EQ(ends_of(host, 1.1).size(), 100u);
  EXPECT_EQ(busy(host), 0);
  EXPECT_EQ(host.load1(), 0);
}

TEST(ModelHost, AQuotaHoldsTheJobsButNotTheNeighbours) {
  Host host({.cpus = 4, .quota = 1.5, .neighbours = {{.threads = 2}}});
  for (int i = 0; i < 2; ++i) host.start({computing(100)});
  pass(host, 2);
  EXPECT_NEAR(to_seconds(host.usage(0).cpu), 1.5, 1e-6);
  EXPECT_NEAR(busy(host, 0), 3.5 / 4, 1e-6);
  EXPECT_NEAR(busy(host, 1), 1, 1e-6);
  EXPECT_EQ(host.counters().cpus, 1.5);
}

TEST(ModelHost, StealIsNeitherUsedNorAvailable) {
  Host host({.cpus = 4, .steal = 0.5});
  for (int i = 0; i < 2; ++i) host.start({computing(100)});
  pass(host, 1);
  EXPECT_NEAR(to_seconds(host.counters().levels[0].available), 2, 1e-6);
  EXPECT_NEAR(busy(host), 1, 1e-6);
  EXPECT_NEAR(to_seconds(host.usage(0).cpu), 1, 1e-6);
}

TEST(ModelHost, ANeighbourSharesItsTimeOnly) {
  Host host({.neighbours = {{.from = seconds(1), .until = seconds(2), .threads = 2}}});
  for (int i = 0; i < 2; ++i) host.start({computing(100)});
  pass(host, 3);
  EXPECT_NEAR(to_seconds(host.usage(0).cpu), 2.5, 1e-6);
}

TEST(ModelHost, ANeighbourAtNice19GetsWhatIsLeft) {
  Host host({.cpus = 4, .neighbours = {{.threads = 9, .yields = Neighbour::Yields::to_ours}}});
  host.start({computing(100, 3)});
  pass(host, 1);
  EXPECT_NEAR(to_seconds(host.usage(0).cpu), 3, 1e-6);
  EXPECT_NEAR(to_seconds(host.counters().yielding), 1, 1e-6);
  EXPECT_NEAR(busy(host), 0.75, 1e-6);
}

TEST(ModelHost, TheDiskServesOneBandwidth) {
  Host host({.disk_per_second = Bytes{100 * kMiB}});
  Phase writes;
  writes.disk = Bytes{100 * kMiB};
  for (int i = 0; i < 4; ++i) host.start({writes});
  pass(host, 1);
  EXPECT_EQ(host.counters().blocked, 4u);
  EXPECT_NEAR(to_seconds(host.counters().io_stall->some), 1, 1e-6);
  EXPECT_NEAR(static_cast<double>(host.counters().sectors), 100 * kMiB / 512.0, 1);
  EXPECT_EQ(busy(host), 0);
  for (const auto& [job, end] : ends_of(host, 5)) EXPECT_NEAR(end, 4, 0.06);
}

TEST(ModelHost, LoadIsTheKernels) {
  Host host({.cpus = 1});
  for (int i = 0; i < 4; ++i) host.start({computing(1000)});
  pass(host, 60);
  EXPECT_NEAR(host.load1(), 4 * (1 - 1 / 2.71828), 0.05);
}

TEST(ModelHost, MemoryGrowsOverAPhaseAndTheLargestJobIsKilledWhenNoneIsLeft) {
  Host host({.memory = Bytes{1000 * kMiB}});
  Phase small = computing(100);
  small.memory = Bytes{100 * kMiB};
  Phase large = small;
  large.growth = Bytes{1000 * kMiB};
  host.start({small});
  const auto victim = host.start({large});
  pass(host, 50);
  EXPECT_NEAR(static_cast<double>(host.usage(victim).memory.value), 600 * kMiB, 2 * kMiB);
  EXPECT_NEAR(host.available(), 1 - 0.04 - 0.7, 0.01);
  pass(host, 45);
  const auto ended = host.take_ended();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].job, victim);
  EXPECT_EQ(ended[0].outcome, Outcome::oom);
  EXPECT_EQ(host.totals().killed, 1);
  EXPECT_EQ(host.running(), 1u);
}

TEST(ModelHost, ASuspendedJobKeepsItsMemoryAndDoesNothingElse) {
  Host host({.memory = Bytes{1000 * kMiB}});
  Phase job = computing(2);
  job.memory = Bytes{100 * kMiB};
  const auto number = host.start({job});
  pass(host, 1);
  host.suspend(number);
  pass(host, 3);
  EXPECT_EQ(host.runnable(), 0);
  EXPECT_EQ(host.usage(number).memory, Bytes{100 * kMiB});
  EXPECT_NEAR(to_seconds(host.usage(number).wall), 1, 1e-6);
  EXPECT_NEAR(to_seconds(host.usage(number).cpu), 1, 1e-6);
  host.resume(number);
  EXPECT_NEAR(ends_of(host, 5).at(number), 5, 0.06);
}

TEST(ModelHost, LittleMemoryStallsBeforeItKills) {
  Host host({.memory = Bytes{1000 * kMiB}});
  Phase job = computing(10);
  job.memory = Bytes{950 * kMiB};
  const auto number = host.start({job});
  EXPECT_GT(ends_of(host, 30).at(number), 15);
  EXPECT_GT(host.memory_some(), 0.1);
}

TEST(ModelHost, CpusMayGoWhileJobsRun) {
  Host host({.cpus = 4});
  for (int i = 0; i < 4; ++i) host.start({computing(100)});
  pass(host, 1);
  host.set_cpus(2);
  pass(host, 1);
  EXPECT_NEAR(to_seconds(host.usage(0).cpu), 1.5, 1e-6);
}

TEST(ModelHost, EqualRunsAreEqual) {
  const auto played = [] {
    Host host({.neighbours = {{.from = seconds(3), .threads = 3}}});
    for (int i = 0; i < 7; ++i) host.start({waiting(0.3 * i), computing(1 + i)});
    pass(host, 20);
    return host.totals().busy;
  };
  EXPECT_EQ(played(), played());
}

}  // namespace
}  // namespace sluice::model
