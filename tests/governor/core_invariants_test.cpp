// Invariants after every pass of every history, whatever the order of the queue.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "reference/history.h"
#include "repetitions.h"
#include "vectors.h"

namespace sluice {
namespace {

using reference::History;

constexpr std::string_view kLimit = "rate-limit:";

/// A history in which no manager shrinks below its usage.
History without_reloads(std::uint64_t seed) {
  History history = reference::random_history(seed);
  std::erase_if(history.events, [](const reference::Event& event) {
    return event.what == reference::Event::What::reload;
  });
  return history;
}

/// The total held by the running jobs of a core, computed from the jobs themselves.
struct Held {
  Points points;
  std::uint64_t memory = 0;
  int with_memory = 0;
  std::map<std::string, std::multiset<std::string>> items;
  std::map<std::string, int> labels;
  std::size_t running = 0, pending = 0;
};

Held held_in(const Core& core, TimePoint now) {
  Held held;
  for (const JobView& job : core.jobs(now)) {
    if (job.state == JobState::pending) {
      ++held.pending;
      continue;
    }
    ++held.running;
    held.points += job.cost;
    held.memory += job.request.memory.value_or(Bytes{}).value;
    held.with_memory += job.request.memory.value_or(Bytes{}).value > 0 ? 1 : 0;
    for (const HeldItems& each : job.items) {
      held.items[each.manager].insert(each.items.begin(), each.items.end());
    }
    for (const std::string& reason : job.request.reasons) {
      if (reason.starts_with(kLimit)) ++held.labels[reason.substr(kLimit.size())];
    }
  }
  return held;
}

void expect_nothing_overbooked(const Core& core, const Status& status, const Held& held) {
  EXPECT_EQ(core.usage(), held.points);
  for (const ResourceStatus& manager : status.resources) {
    if (manager.kind == ResourceOptions::Kind::highlander) continue;
    EXPECT_LE(manager.used, manager.total) << manager.key;
  }
  for (const auto& [manager, items] : held.items) {
    const std::set<std::string> distinct(items.begin(), items.end());
    EXPECT_EQ(items.size(), distinct.size()) << manager << " gave an item twice";
  }
  const Bytes memory = core.options().queueing.declared_memory.value_or(Bytes{held.memory});
  EXPECT_TRUE(held.with_memory <= 1 || held.memory <= memory.value);
  for (const auto& [label, count] : held.labels) {
    EXPECT_TRUE(count <= std::stoi(label) || std::stoi(label) == 0) << label;
  }
}

void expect_every_job_accounted_for(const Status& status, const Held& held) {
  const auto& counts = status.counters;
  const auto finished =
      std::accumulate(counts.finished.begin(), counts.finished.end(), std::uint64_t{0});
  EXPECT_EQ(counts.admitted, held.running + finished);
  EXPECT_EQ(counts.submitted, held.running + held.pending + finished + counts.cancelled);
  EXPECT_EQ(status.pending, held.pending);
  EXPECT_EQ(status.running, held.running);
}

void expect_fitting_starts(const Core& core, const std::vector<Decision>& decisions) {
  const bool hold = core.options().queueing.contention.mode == ContentionMode::hold;
  for (const Decision& decision : decisions) {
    if (decision.refusal) continue;
    const bool alone = decision.usage == decision.cost;
    EXPECT_TRUE(alone || decision.usage <= decision.size) << reference::describe(decision);
    EXPECT_TRUE(!hold || decision.conflicts.empty()) << reference::describe(decision);
  }
}

TEST(CoreInvariants, NothingIsOverbookedAndNoJobIsLost) {
  for (std::uint64_t seed = 0; seed < repetitions(600) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    reference::difference(without_reloads(seed),
                          [](Core& core, TimePoint now, const std::vector<Decision>& decisions) {
                            const Status status = core.status(now);
                            const Held held = held_in(core, now);
                            expect_nothing_overbooked(core, status, held);
                            expect_every_job_accounted_for(status, held);
                            expect_fitting_starts(core, decisions);
                          });
  }
}

TEST(CoreInvariants, SecondPassAdmitsNothingAndHasNothingNewToSay) {
  for (std::uint64_t seed = 1000; seed < 1000 + repetitions(600) && !::testing::Test::HasFailure();
       ++seed) {
    SCOPED_TRACE(seed);
    reference::difference(reference::random_history(seed),
                          [](Core& core, TimePoint now, const std::vector<Decision>&) {
                            std::vector<Decision> again;
                            EXPECT_TRUE(core.pass(now, &again).empty());
                            EXPECT_TRUE(again.empty()) << reference::describe(again.front());
                          });
  }
}

std::string trace_of(const History& history) {
  std::string trace;
  reference::difference(history, [&](Core&, TimePoint, const std::vector<Decision>& decisions) {
    for (const Decision& each : decisions) {
      trace += reference::describe(each) + "\n";
    }
  });
  return trace;
}

TEST(CoreInvariants, SameHistoryGivesTheSameDecisions) {
  for (std::uint64_t seed = 2000; seed < 2000 + repetitions(200); ++seed) {
    const History history = reference::random_history(seed);
    ASSERT_EQ(trace_of(history), trace_of(history)) << seed;
  }
}

/// Submits in this order, all at one instant. Returns the names of the jobs that start, ties by
/// their common name.
fakes::Names started(const GovernorOptions& options, const std::vector<JobRequest>& jobs) {
  fakes::Played<Core> played(options);
  for (const JobRequest& job : jobs) played.submit(job);
  return played.pass();
}

TEST(CoreInvariants, PermutingSubmitsOfOneInstantChangesOnlyTies) {
  std::mt19937_64 random(5);
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    GovernorOptions options = reference::random_history(seed).options;
    // Aged jobs keep their locks from later jobs, so the order of arrival matters.
    options.queueing.contention.aging_ticks = 30;
    options.queueing.rules.clear();
    std::vector<JobRequest> jobs;
    for (const auto& event : reference::random_history(seed).events) {
      if (event.what != reference::Event::What::submit) continue;
      jobs.push_back(event.request);
      jobs.back().priority = static_cast<int>(jobs.size());
      jobs.back().key = jobs.back().id;
    }
    JobRequest tie = fakes::slot_job("tie", {fakes::exclusive("node", {"a"})});
    tie.priority = static_cast<int>(jobs.size() / 2);
    jobs[jobs.size() / 2 - 1].priority = 1000;
    jobs.insert(jobs.end(), 3, tie);
    const fakes::Names expected = started(options, jobs);
    EXPECT_FALSE(expected.empty());
    for (int round = 0; round < 5; ++round) {
      std::shuffle(jobs.begin(), jobs.end(), random);
      ASSERT_EQ(started(options, jobs), expected) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace sluice
