// `law: knee` with the feedback of what it admits: the governor's own core on the model of a host.

#include "knee_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/seconds.h"
#include "repetitions.h"

namespace sluice::model {
namespace {

using std::chrono::seconds;

HostOptions host_of(double cpus) {
  HostOptions host;
  host.cpus = cpus;
  return host;
}

/// Feed-forward admits a quarter more than there are CPUs.
double most_computing(double cpus) { return std::max(cpus + 1, 1.25 * cpus); }

/// What the jobs use of the CPUs from one second to another.
double used_cores(World& world, double from, double until) {
  world.run_to(from);
  const double before = world.executor().cpu_seconds();
  world.run_to(until);
  return (world.executor().cpu_seconds() - before) / (until - from);
}

class KneeOnCpus : public ::testing::TestWithParam<int> {
 protected:
  int cpus() const { return GetParam(); }
  std::size_t count(double per_cpu) const { return static_cast<std::size_t>(per_cpu * cpus()); }
};

std::string name_of(const ::testing::TestParamInfo<int>& test) {
  return std::to_string(test.param) + "Cpus";
}

INSTANTIATE_TEST_SUITE_P(Hosts, KneeOnCpus, ::testing::Values(1, 2, 8, 64, 256), name_of);

TEST_P(KneeOnCpus, CompilersTakeHardlyLongerThanWithTheBestFixedNumber) {
  const auto works = compilers(24 * cpus());
  const double best = best_fixed(host_of(cpus()), works,
                                 {count(1), count(1) + 1, count(1.25), count(1.5), count(2)});
  World world(host_of(cpus()));
  world.submit(works);
  const Course course = world.run();
  EXPECT_LE(course.seconds, 1.05 * best);
  EXPECT_LE(static_cast<double>(course.most_running), 1.25 * cpus() + 1) << "where growth ends";
  EXPECT_GE(static_cast<double>(course.most_running), cpus());
}

/// Under a sanitizer without the largest host: it takes most of the time, and the law does on it
/// what it does on the smaller ones, more often.
std::vector<int> smaller_hosts() {
  std::vector<int> cpus{1, 2, 8};
  if (repetitions(8) == 8) cpus.push_back(64);
  return cpus;
}

class KneeOnSmaller : public KneeOnCpus {};
INSTANTIATE_TEST_SUITE_P(Hosts, KneeOnSmaller, ::testing::ValuesIn(smaller_hosts()), name_of);

TEST_P(KneeOnSmaller, KnownSleepersRunAtOnce) {
  World world(host_of(cpus()));
  world.submit(alike(3, "sleep", sleeping(0.5)));
  const double known = world.run().seconds;
  world.submit(alike(100 * cpus(), "sleep", sleeping(60)));
  world.run_to(known + 2);
  EXPECT_GT(world.executor().running(), count(50));
}

TEST_P(KneeOnSmaller, UnknownSleepersBecomeKnownWithTheFirstThatEnd) {
  World world(host_of(cpus()));
  world.submit(sleepers(100 * cpus()));
  EXPECT_LT(world.run().seconds, 8) << "3 s are the least, a CPU at a time takes 175";
}

/// `count` jobs that sleep and then compute: of one key, or each of its own.
std::vector<Work> late(int count, double sleeps, double computes, bool one_key) {
  auto works = alike(count, "late", {{sleeps, 0}, {computes, 1}});
  for (Work& work : works) work.key = one_key ? "late" : work.key;
  return works;
}

TEST_P(KneeOnSmaller, JobsKnownToComputeLateDoNotComputeTogether) {
  for (const auto& [sleeps, computes] : {std::pair{4.0, 1.0}, {60.0, 2.0}, {60.0, 20.0}}) {
    World world(host_of(cpus()));
    world.submit(late(1, sleeps, computes, true));
    const double known = world.run().seconds;
    world.submit(late(20 * cpus(), sleeps, computes, true));
    const Course course = world.run();
    EXPECT_EQ(course.left, 0u);
    EXPECT_LE(course.most_runnable, 2.5 * cpus() + 2)
        << "some begin as others end: " << sleeps << " + " << computes;
    EXPECT_LE(course.seconds - known, 1.25 * (sleeps + 20 * computes) + 2)
        << "they sleep together: " << sleeps << " + " << computes;
  }
}

TEST_P(KneeOnSmaller, OfJobsThatNobodyHasSeenToTheirEndABoundedNumberComputesTogether) {
  for (const bool one_key : {false, true}) {
    World world(host_of(cpus()));
    world.submit(late(40 * cpus(), 60, 5, one_key));
    const Course course = world.run(75);
    EXPECT_LE(course.most_runnable, 8 * cpus() + 1.25 * cpus() + 1);
    EXPECT_GE(static_cast<double>(course.most_running), 8 * cpus());
  }
}

TEST_P(KneeOnSmaller, UnknownSleepersSpeedUpAsSoonAsTheFirstHaveShownThemselves) {
  World world(host_of(cpus()));
  world.submit(alike(100 * cpus(), "sleep", sleeping(60)));
  world.run_to(6);
  EXPECT_GE(world.executor().running(), count(8)) << "as many as may be wrong at once";
}

TEST_P(KneeOnSmaller, OfUnknownJobsThatSleepForHoursMoreAndMoreRun) {
  World world(host_of(cpus()));
  world.submit(alike(100 * cpus(), "sleep", sleeping(7200)));
  world.run_to(300);
  EXPECT_GE(world.executor().running(), count(18));
  world.run_to(900);
  EXPECT_GE(world.executor().running(), count(35));
}

TEST_P(KneeOnSmaller, JobsThatStopSleepingStopTheirSiblings) {
  World world(host_of(cpus()));
  world.submit(alike(100 * cpus(), "turns", {{2.2, 0}, {20, 1}}));
  const Course course = world.run(20);
  EXPECT_LE(course.most_runnable, 8 * cpus() + 1.25 * cpus() + 1);
}

TEST_P(KneeOnSmaller, KnownJobsThatComputeLateLeaveTheCpusToOthersUntilThen) {
  World world(host_of(cpus()));
  world.submit(late(1, 30, 10, true));
  world.run();
  const double known = world.course().seconds;
  world.submit(joined(late(cpus() + 8, 30, 10, true), compilers(12 * cpus())));
  world.run_to(known + 5);
  EXPECT_GE(used_cores(world, known + 5, known + 25), 0.9 * cpus());
  const Course course = world.run();
  EXPECT_LE(course.most_runnable, 2 * cpus() + 2) << "compilers that run when they begin end first";
}

TEST_P(KneeOnSmaller, SleepersThatEndLeaveNoRoomForAsManyCompilers) {
  World world(host_of(cpus()));
  world.submit(joined(sleepers(20 * cpus()), compilers(20 * cpus())));
  const Course course = world.run();
  EXPECT_LE(course.most_runnable, std::max(cpus() + 2.0, 1.25 * cpus()));
  EXPECT_LT(course.seconds, 1.1 * 20 * 2.75 + 10);
}

TEST_P(KneeOnSmaller, MixedJobsTakeHardlyLongerThanWithTheBestFixedNumber) {
  const auto works = shuffled(joined(compilers(20 * cpus()), sleepers(20 * cpus())));
  World world(host_of(cpus()));
  world.submit(works);
  const Course course = world.run();
  EXPECT_LE(course.seconds,
            1.05 * best_fixed(host_of(cpus()), works, {count(1), count(2), count(3), count(4)}));
  EXPECT_LE(course.most_runnable, std::max(cpus() + 2.0, 1.25 * cpus()));
}

TEST_P(KneeOnSmaller, YieldsToJobsThatComputeLateAndRecovers) {
  World world(host_of(cpus()));
  const double wide = cpus();
  world.submit(alike(40, "late", {{60, 0}, {2, wide}}));
  world.run_to(130);
  const std::size_t late = world.executor().running();
  ASSERT_GT(late, 2u) << "they still compute";
  world.submit(compilers(10 * cpus()));
  world.run_to(140);
  EXPECT_LE(world.executor().running(), late) << "nothing starts beside them";
  const Course course = world.run(2000);
  EXPECT_EQ(course.left, 0u);
  EXPECT_GE(static_cast<double>(world.executor().size().value), 10);
}

TEST_P(KneeOnSmaller, GivesWayWhenCpusGoAndTakesThemBack) {
  World world(host_of(2 * cpus()));
  world.submit(compilers(40 * cpus()));
  world.run_to(20);
  world.host().set_cpus(cpus());
  world.run_to(30);
  EXPECT_LE(world.host().runnable(), most_computing(cpus()));
  EXPECT_GE(used_cores(world, 30, 34), 0.9 * cpus());
  world.host().set_cpus(2 * cpus());
  EXPECT_GE(used_cores(world, 38, 42), 0.9 * 2 * cpus());
}

TEST_P(KneeOnSmaller, FollowsAQuota) {
  HostOptions host = host_of(4 * cpus());
  host.quota = 1.5 * cpus();
  World world(host);
  world.submit(compilers(40 * cpus()));
  world.run_to(20);
  EXPECT_LE(world.host().runnable(), most_computing(1.5 * cpus()));
  world.host().set_quota(cpus());
  world.run_to(30);
  EXPECT_LE(world.host().runnable(), most_computing(cpus()));
  world.host().set_quota(3.0 * cpus());
  EXPECT_GE(used_cores(world, 35, 40), 0.9 * 3 * cpus());
}

TEST_P(KneeOnSmaller, TimeThatAHypervisorTakesIsNotThere) {
  World world(host_of(2 * cpus()));
  world.submit(compilers(40 * cpus()));
  world.run_to(20);
  world.host().set_steal(0.5);
  world.run_to(30);
  EXPECT_LE(world.host().runnable(), most_computing(cpus()));
  EXPECT_GE(used_cores(world, 30, 40), 0.9 * cpus());
}

TEST_P(KneeOnSmaller, TakesTheCpusBackWhenAGreedyNeighbourGoes) {
  HostOptions host = host_of(2 * cpus());
  host.neighbours = {{.from = seconds(20), .until = seconds(60), .threads = 4.0 * cpus()}};
  World world(host);
  world.submit(compilers(40 * cpus()));
  world.run_to(59);
  EXPECT_EQ(world.host().runnable(), cpus()) << "half of the CPUs: the scheduler divides the rest";
  EXPECT_GE(used_cores(world, 64, 74), 0.9 * 2 * cpus());
}

TEST_P(KneeOnSmaller, CountersThatStandStillDoNotStopIt) {
  for (const Duration from : {seconds(0), seconds(10)}) {
    std::optional<UseCounters> last;
    ExecutorOptions options;
    options.meter = [&](const Host& host) {
      UseCounters counters = host.counters();
      if (last) counters.levels = last->levels;
      if (!last && host.now().time_since_epoch() >= from) last = counters;
      return counters;
    };
    World world(host_of(cpus()), options);
    world.submit(compilers(30 * cpus()));
    const Course course = world.run();
    EXPECT_LE(course.seconds, 1.25 * 30 * 2.75 + 10);
    EXPECT_LE(course.most_runnable, 4 * cpus() + 1) << "as `adaptive`, which goes by the load";
  }
}

TEST_P(KneeOnSmaller, WithoutPressureFilesItStandsAtTheKneeAllTheSame) {
  const auto works = compilers(24 * cpus());
  ExecutorOptions options;
  options.meter = [](const Host& host) {
    UseCounters counters = host.counters();
    counters.cpu_stall.reset();
    counters.io_stall.reset();
    return counters;
  };
  World world(host_of(cpus()), options);
  world.submit(works);
  const Course course = world.run();
  EXPECT_LE(course.seconds, 1.05 * best_fixed(host_of(cpus()), works,
                                              {count(1), count(1) + 1, count(1.25), count(1.5)}));
  EXPECT_LE(static_cast<double>(course.most_running), 1.25 * cpus() + 1);
}

TEST_P(KneeOnSmaller, TheSizeDoesNotTurnAsJobsEnd) {
  World world(host_of(cpus()));
  world.submit(compilers(60 * cpus()));
  const Course course = world.run();
  EXPECT_LE(course.reversals, cpus()) << "of sixty jobs for each";
  EXPECT_LE(course.most_growth, 16) << "a doubling every quarter of a second";
}

TEST_P(KneeOnSmaller, UnderJobsThatLastNothingOscillates) {
  World world(host_of(cpus()));
  world.submit(alike(10 * cpus(), "long", {{600, 1}}));
  world.run_to(60);
  const double running = static_cast<double>(world.executor().running());
  world.run_to(900);
  const Course course = world.course();
  EXPECT_LE(course.reversals, 5) << "in a quarter of an hour";
  EXPECT_LE(static_cast<double>(course.most_running), 1.25 * cpus() + 1);
  EXPECT_NEAR(static_cast<double>(world.executor().running()), running, 1);
}

TEST(KneeBesideItself, TwoShareTheCpus) {
  Host host(host_of(64));
  Executor first(host, {}), second(host, {});
  const auto run_to = [&](double second_of_run) {
    while (host.now() < TimePoint(seconds(0)) + from_seconds(second_of_run)) {
      host.advance();
      const auto ended = host.take_ended();
      first.follow(ended);
      second.follow(ended);
    }
  };
  for (const Work& work : compilers(64 * 45)) first.submit(work);
  run_to(60);
  for (const Work& work : compilers(64 * 30)) second.submit(work);
  run_to(115);
  const double ours = first.cpu_seconds(), theirs = second.cpu_seconds();
  run_to(120);
  const double first_used = first.cpu_seconds() - ours;
  const double second_used = second.cpu_seconds() - theirs;
  EXPECT_NEAR(first_used / (first_used + second_used), 0.5, 0.1);
  EXPECT_GE(first_used + second_used, 0.95 * 5 * 64);
  EXPECT_LE(host.runnable(), most_computing(64));
}

TEST(KneeModel, EqualWorldsGiveEqualCourses) {
  const auto play = [] {
    World world(host_of(8));
    world.submit(shuffled(joined(compilers(80), sleepers(80))));
    return world.run();
  };
  const Course one = play(), other = play();
  EXPECT_EQ(one.seconds, other.seconds);
  EXPECT_EQ(one.changes.size(), other.changes.size());
}

}  // namespace
}  // namespace sluice::model
