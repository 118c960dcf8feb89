#include "service/jobs/leases.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace sluice {
namespace {
using namespace std::chrono_literals;

constexpr TimePoint kStart{1000s};

std::uint64_t ended_in(const Leases& leases, LeaseEnd end) {
  return leases.ended()[static_cast<std::size_t>(end)];
}

TEST(Leases, WhoNamesNothingGetsTenMinutes) {
  Leases leases;
  leases.begin(JobId{1}, {}, kStart);
  EXPECT_TRUE(leases.due(kStart + 10min - 1ns).empty());
  EXPECT_EQ(leases.due(kStart + 10min), std::vector{JobId{1}});
}

TEST(Leases, WhoNamesSomethingHasNoOtherDeadline) {
  Leases leases;
  leases.begin(JobId{1}, {http::ConnectionId{7}, {}, {}}, kStart);
  leases.begin(JobId{2}, {{}, 4242, {}}, kStart);
  EXPECT_FALSE(leases.next_deadline());
}

TEST(Leases, EndOnceUnderTheFirstCause) {
  Leases leases;
  leases.begin(JobId{1}, {http::ConnectionId{7}, 4242, 60s}, kStart);
  EXPECT_TRUE(leases.end(JobId{1}, LeaseEnd::process));
  for (const LeaseEnd later : {LeaseEnd::finish, LeaseEnd::connection, LeaseEnd::deadline}) {
    EXPECT_FALSE(leases.end(JobId{1}, later));
    EXPECT_EQ(ended_in(leases, later), 0u);
  }
  EXPECT_EQ(ended_in(leases, LeaseEnd::process), 1u);
  EXPECT_TRUE(leases.due(kStart + 1h).empty());
  EXPECT_TRUE(leases.of_connection(http::ConnectionId{7}).empty());
  EXPECT_FALSE(leases.holds(http::ConnectionId{7}));
}

TEST(Leases, ASignOfLifeStartsTheDeadlineAnew) {
  Leases leases;
  leases.begin(JobId{1}, {{}, {}, 60s}, kStart);
  EXPECT_TRUE(leases.renew(JobId{1}, kStart + 59s));
  EXPECT_TRUE(leases.due(kStart + 60s).empty());
  EXPECT_EQ(leases.deadline(JobId{1}), kStart + 119s);
  EXPECT_EQ(leases.due(kStart + 119s).size(), 1u);
}

TEST(Leases, NoSignOfLifeRevivesAnEndedOne) {
  Leases leases;
  leases.begin(JobId{1}, {}, kStart);
  leases.end(JobId{1}, LeaseEnd::deadline);
  EXPECT_FALSE(leases.renew(JobId{1}, kStart));
  EXPECT_FALSE(leases.next_deadline());
}

TEST(Leases, AConnectionKnowsItsOwn) {
  Leases leases;
  leases.begin(JobId{2}, {http::ConnectionId{7}, {}, {}}, kStart);
  leases.begin(JobId{1}, {http::ConnectionId{7}, {}, {}}, kStart);
  leases.begin(JobId{3}, {http::ConnectionId{8}, {}, {}}, kStart);
  EXPECT_EQ(leases.of_connection(http::ConnectionId{7}), (std::vector{JobId{1}, JobId{2}}));
  leases.end(JobId{1}, LeaseEnd::finish);
  EXPECT_TRUE(leases.holds(http::ConnectionId{7}));
}

TEST(Leases, AreDueExactlyByTheirDeadlinesInAnyOrderOfEvents) {
  std::mt19937_64 random(20);
  Leases leases;
  std::map<std::uint64_t, TimePoint> expected;
  TimePoint now = kStart;
  std::uint64_t ends = 0;
  for (std::uint64_t step = 1; step <= 20000; ++step) {
    now += std::chrono::milliseconds(random() % 500);
    const auto pick = [&] {
      return std::next(expected.begin(), random() % expected.size())->first;
    };
    if (expected.size() < 50 && random() % 2 == 0) {
      const Duration heartbeat = std::chrono::seconds(1 + random() % 30);
      leases.begin(JobId{step}, {{}, {}, heartbeat}, now);
      expected[step] = now + heartbeat;
    } else if (!expected.empty() && random() % 2 == 0) {
      const std::uint64_t job = pick();
      const Duration heartbeat = *leases.terms(JobId{job})->heartbeat;
      leases.renew(JobId{job}, now);
      expected[job] = now + heartbeat;
    }
    std::set<std::uint64_t> due;
    for (const JobId job : leases.due(now)) due.insert(job.value);
    for (const auto& [job, deadline] : expected) ASSERT_EQ(due.contains(job), deadline <= now);
    for (const std::uint64_t job : due) {
      ASSERT_TRUE(leases.end(JobId{job}, LeaseEnd::deadline));
      expected.erase(job);
      ++ends;
    }
    ASSERT_EQ(leases.size(), expected.size());
  }
  EXPECT_EQ(ended_in(leases, LeaseEnd::deadline), ends);
  EXPECT_GT(ends, 100u);
}

}  // namespace
}  // namespace sluice
