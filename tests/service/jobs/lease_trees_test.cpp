#include "service/jobs/lease_trees.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "base/process_table.h"
#include "process/child/cpu_delay.h"
#include "service/jobs/most_used.h"

namespace sluice {
namespace {
using namespace std::chrono_literals;

ProcessFacts process(pid_t pid, pid_t parent, pid_t group = 1, pid_t session = 1) {
  ProcessFacts facts;
  facts.pid = pid;
  facts.parent = parent;
  facts.group = group;
  facts.session = session;
  facts.state = 'S';
  return facts;
}

std::vector<pid_t> numbers(const std::vector<ProcessFacts>& tree) {
  std::vector<pid_t> pids;
  for (const ProcessFacts& each : tree) pids.push_back(each.pid);
  return pids;
}

using Pids = std::vector<pid_t>;

/// A process that has filled this much memory and then forked; all of them stay until the end.
class Forked {
 public:
  static constexpr std::size_t kFilled = std::size_t{128} << 20;

  explicit Forked(int children) {
    int ready[2];
    if (pipe(ready) != 0 || pipe(stay_) != 0) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ == 0) live(ready[1], children);
    char said = 0;
    if (read(ready[0], &said, 1) != 1) throw std::runtime_error("no memory for the test");
    close(ready[0]);
    close(ready[1]);
    close(stay_[0]);
  }
  ~Forked() {
    close(stay_[1]);
    waitpid(pid_, nullptr, 0);
  }
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;

  pid_t pid() const { return pid_; }

 private:
  [[noreturn]] void live(int ready, int children) const {
    const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
    if (mmap(nullptr, kFilled, PROT_READ | PROT_WRITE, kind, -1, 0) == MAP_FAILED) _exit(1);
    close(stay_[1]);
    bool is_first = true;
    for (int i = 0; i < children && is_first; ++i) is_first = fork() != 0;
    char none = 0;
    if (is_first && write(ready, "!", 1) != 1) _exit(1);
    _exit(read(stay_[0], &none, 1) == 0 ? 0 : 1);
  }

  int stay_[2];
  pid_t pid_;
};

MemoryMeter in_use(std::uint64_t bytes) {
  return [bytes](TimePoint) {
    return std::vector<MemoryLimit>{{"host", Bytes{std::uint64_t{1} << 40}, Bytes{bytes}}};
  };
}

TEST(LeaseTrees, TheAnonymousPartStandsInSmapsRollup) {
  const auto part = [](const char* text) { return parse_anonymous_part(text); };
  EXPECT_EQ(part("0-1 ---p 0 0:0 0 [rollup]\nRss:  9 kB\nPss: 8 kB\nPss_Anon:     301 "
                 "kB\nPss_File: 1 kB\n"),
            Bytes{301 * 1024});
  EXPECT_EQ(part("Rss: 9 kB\nPss: 8 kB\n"), std::nullopt) << "a kernel before 5.4";
  EXPECT_EQ(part("\nPss_Anon: kB\n"), std::nullopt);
  EXPECT_EQ(part("\nPss_Anon:"), std::nullopt);
  EXPECT_EQ(part("\nPss_Anon: 18446744073709551615 kB\n"), std::nullopt);
  EXPECT_EQ(part(""), std::nullopt);
}

TEST(LeaseTrees, PagesSharedSinceAForkCountOnce) {
  const Forked forked(8);
  LeaseTrees trees(in_use(std::uint64_t{1} << 36));
  trees.begin(JobId{1}, forked.pid(), Clock::now());
  const auto held = trees.held(JobId{1}, Clock::now());
  ASSERT_TRUE(held);
  EXPECT_GE(held->value, Forked::kFilled);
  EXPECT_LT(held->value, Forked::kFilled * 3 / 2);
}

TEST(LeaseTrees, AJobThatSharesPagesTakesNothingFromWhatAnotherHolds) {
  const Forked sharing(8), plain(0);
  LeaseTrees trees(in_use(Forked::kFilled * 4));
  trees.begin(JobId{1}, sharing.pid(), Clock::now());
  trees.begin(JobId{2}, plain.pid(), Clock::now());
  EXPECT_GE(trees.held(JobId{2}, Clock::now())->value, Forked::kFilled);
}

TEST(LeaseTrees, AProcessCountsForItsNearestRootOnly) {
  const std::vector<ProcessFacts> all{process(1, 0),   process(10, 1),  process(11, 10),
                                      process(20, 11), process(21, 20), process(30, 1)};
  const auto trees = trees_of(all, {10, 20});
  ASSERT_EQ(trees.size(), 2U);
  EXPECT_EQ(numbers(trees.at(10)), (Pids{10, 11}));
  EXPECT_EQ(numbers(trees.at(20)), (Pids{20, 21})) << "a lease within another's tree";
}

TEST(LeaseTrees, AnOrphanCountsByItsGroupElseItsSessionButAnAncestorComesFirst) {
  const std::vector<ProcessFacts> all{process(10, 1, 10, 10),  process(12, 1, 10, 10),
                                      process(13, 12, 13, 13), process(14, 1, 14, 10),
                                      process(20, 10, 10, 10), process(21, 20, 10, 10)};
  const auto trees = trees_of(all, {10, 20});
  EXPECT_EQ(numbers(trees.at(10)), (Pids{10, 12, 13, 14}));
  EXPECT_EQ(numbers(trees.at(20)), (Pids{20, 21}));
}

TEST(LeaseTrees, ACircleOfParentsEnds) {
  EXPECT_TRUE(trees_of({process(2, 3), process(3, 2)}, {10}).empty());
}

TEST(LeaseTrees, JobsOfOneProcessShareWhatItHolds) {
  LeaseTrees trees({});
  trees.begin(JobId{1}, getpid(), Clock::now());
  const TimePoint now = Clock::now();
  const auto alone = trees.held(JobId{1}, now);
  ASSERT_TRUE(alone);
  trees.begin(JobId{2}, getpid(), Clock::now());
  EXPECT_EQ(trees.held(JobId{1}, now)->value, alone->value / 2);
  EXPECT_EQ(trees.held(JobId{2}, now)->value, alone->value / 2);
  trees.forget_job(JobId{2});
  EXPECT_EQ(trees.held(JobId{1}, now), alone);
}

TEST(LeaseTrees, WhatAProcessWaitedBeforeItsLeaseIsNotOfIt) {
  const Forked process(0);
  const auto times = parse_schedstat(read_schedstat(process.pid()));
  if (!times) GTEST_SKIP() << "no scheduler statistics here";
  ASSERT_GT(times->waited, Duration(0));
  LeaseTrees trees({});
  const TimePoint now = Clock::now();
  trees.begin(JobId{1}, process.pid(), now);
  trees.admitted(JobId{1}, now);
  const auto cpu = trees.cpu(JobId{1}, now + 1s);
  ASSERT_TRUE(cpu);
  EXPECT_EQ(cpu->cpu, Duration(0));
  EXPECT_EQ(cpu->delay, Duration(0));
}

TEST(LeaseTrees, AllTogetherHoldNoMoreThanIsInUse) {
  LeaseTrees trees([](TimePoint) {
    return std::vector<MemoryLimit>{{"host", Bytes{1 << 30}, Bytes{1000}}};
  });
  trees.begin(JobId{1}, getpid(), Clock::now());
  EXPECT_LE(trees.held(JobId{1}, Clock::now())->value, 1000U);
}

TEST(LeaseTrees, WhatCannotBeSeenHoldsNothingThatIsKnown) {
  LeaseTrees trees({});
  EXPECT_FALSE(trees.held(JobId{1}, Clock::now()));
  trees.begin(JobId{1}, 1 << 30, Clock::now());
  EXPECT_FALSE(trees.held(JobId{1}, Clock::now()));
}

TEST(MostUsed, AReportIsBoundedByWhatCanBeTrue) {
  JobUsage usage;
  usage.wall = 1000h;
  usage.cpu = 1000h;
  usage.cpu_delay = 1000h;
  usage.memory = usage.peak_memory = Bytes{1ULL << 59};
  usage.oom_kills = 7;
  const JobUsage believed = bounded(usage, {10s, 4, Bytes{1ULL << 34}, 2});
  EXPECT_EQ(believed.wall, 10s);
  EXPECT_EQ(believed.cpu, 40s);
  EXPECT_EQ(believed.cpu_delay, 0s);
  EXPECT_EQ(believed.memory, Bytes{1ULL << 34});
  EXPECT_EQ(believed.peak_memory, Bytes{1ULL << 34});
  EXPECT_EQ(believed.oom_kills, 2U);
}

TEST(MostUsed, CpuTimeIsBoundedByTheWallTimeThatIsToldElseByTheAge) {
  JobUsage usage;
  usage.wall = 2s;
  usage.cpu = 100s;
  EXPECT_EQ(bounded(usage, {10s, 4, Bytes{1}, {}}).cpu, 8s);
  usage.wall = 0s;
  EXPECT_EQ(bounded(usage, {10s, 4, Bytes{1}, {}}).cpu, 40s);
}

TEST(MostUsed, WhatIsPossibleStaysAsItIs) {
  JobUsage usage;
  usage.wall = 9s;
  usage.cpu = 20s;
  usage.cpu_delay = 5s;
  usage.memory = Bytes{100};
  usage.peak_memory = Bytes{200};
  usage.oom_kills = 1;
  const JobUsage believed = bounded(usage, {10s, 4, Bytes{1000}, {}});
  EXPECT_EQ(believed.wall, usage.wall);
  EXPECT_EQ(believed.cpu, usage.cpu);
  EXPECT_EQ(believed.cpu_delay, usage.cpu_delay);
  EXPECT_EQ(believed.memory, usage.memory);
  EXPECT_EQ(believed.peak_memory, usage.peak_memory);
  EXPECT_EQ(believed.oom_kills, usage.oom_kills);
}

}  // namespace
}  // namespace sluice
