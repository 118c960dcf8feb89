#include "cli/whatif/recorded_operations.h"

#include <gtest/gtest.h>

#include "one_at_a_time.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;
using testing::finished_here;
using testing::kOneAtATime;
using testing::modelled_waits;
using testing::part_of;
using testing::SampleRecord;
using testing::small_day;
using testing::started;
using testing::submitted_here;
using testing::wall;
using Do = ScenarioEvent::Do;

const Span kFromTen{.from = wall(10s)};

record::DaemonEvent operated(const std::string& what) { return {"operated", {what}}; }

record::DaemonEvent restarted() { return {"started", {"1.2.3"}, std::vector{JobId{1}, JobId{2}}}; }

record::Configured configured(const std::string& queues) {
  return {2000, Bytes{4ULL << 30}, {kOneAtATime + ("queues: " + queues + "\n")}};
}

/// Job a runs from 1 to 11 s and b waits; these at 3, 4, ... s; b starts at 30 s.
SampleRecord held(const std::vector<record::Entry>& before, const std::string& release) {
  SampleRecord sample = small_day();
  sample.add(1s, submitted_here(1, "a")).add(1s, started(1)).add(2s, submitted_here(2, "b"));
  Duration at = 2s;
  for (const record::Entry& each : before) sample.add(at += 1s, each);
  sample.add(10s, record::Level{}).add(11s, finished_here(1));
  if (!release.empty()) sample.add(30s, operated(release));
  return sample.add(30s, started(2)).add(40s, finished_here(2));
}

Duration modelled_wait(const std::vector<record::Entry>& before, const std::string& release) {
  const auto waits = modelled_waits(held(before, release), kFromTen);
  return waits.contains("b") ? waits.find("b")->second : Duration::max();
}

/// What operators do in the scenario from 10 s on: "pause 0", in seconds.
std::vector<std::string> operations(const SampleRecord& sample) {
  std::vector<std::string> operations;
  for (const ScenarioEvent& each : part_of(sample, kFromTen).scenario.events) {
    if (each.what == Do::reload) continue;
    operations.push_back(std::string(to_string(each.what)) + " " +
                         (each.queue ? *each.queue + " " : "") +
                         std::to_string(each.at / Duration(1s)));
  }
  return operations;
}

TEST(RecordedOperations, AnActToldAgainStandsBesideTheConfigurationThatIsToldAfterIt) {
  record::Restated restated;
  restated.operated = {{"queue default resumed"}};
  const SampleRecord sample =
      held({configured("{default: {}}"), restated, configured("{default: {paused: true}}")}, "");
  EXPECT_EQ(operations(sample), (std::vector<std::string>{"resume_queue default 0"}));
}

TEST(RecordedOperations, APauseOfBeforeHoldsUntilItEnds) {
  EXPECT_LT(modelled_wait({}, ""), 5s) << "nothing else holds the job";
  EXPECT_EQ(modelled_wait({operated("paused")}, "resumed"), 20s);
  EXPECT_EQ(modelled_wait({operated("queue default paused")}, "queue default resumed"), 20s);
  EXPECT_EQ(modelled_wait({operated("paused")}, ""), Duration::max());
}

TEST(RecordedOperations, ADrainOfBeforeHoldsJobsThatWaitAndRefusesNone) {
  EXPECT_EQ(modelled_wait({operated("draining")}, "resumed"), 20s);
  EXPECT_EQ(modelled_wait({operated("draining"), operated("paused")}, "resumed"), 20s);
  EXPECT_EQ(operations(held({operated("draining")}, "resumed")),
            (std::vector<std::string>{"pause 0", "drain 0", "resume 20"}));
}

TEST(RecordedOperations, WhatOperatorsHadTakenBackDoesNotHold) {
  EXPECT_LT(modelled_wait({operated("paused"), operated("resumed")}, ""), 5s);
  EXPECT_TRUE(operations(held({operated("queue default paused"), operated("draining"),
                               operated("resumed"), operated("queue default resumed")},
                              ""))
                  .empty());
}

TEST(RecordedOperations, ADaemonThatStartsTakesThemBack) {
  EXPECT_LT(modelled_wait({operated("paused"), operated("queue default paused"), restarted()}, ""),
            5s);
  SampleRecord sample = small_day();
  sample.add(1s, submitted_here(1, "a"))
      .add(1s, started(1))
      .add(2s, submitted_here(2, "b"))
      .add(10s, record::Level{})
      .add(12s, operated("paused"))
      .add(13s, operated("queue default paused"))
      .add(20s, restarted())
      .add(21s, finished_here(1))
      .add(21s, started(2))
      .add(31s, finished_here(2));
  EXPECT_EQ(operations(sample), (std::vector<std::string>{"pause 2", "pause_queue default 3",
                                                          "resume 10", "resume_queue default 10"}));
}

/// Told again in a later segment, or after a gap.
record::Restated told_again(std::vector<record::Name> operated) {
  record::Restated all{2};
  all.operated = std::move(operated);
  return all;
}

TEST(RecordedOperations, WhatWasToldAgainHoldsThoughItsOwnEntryIsGone) {
  EXPECT_EQ(modelled_wait({told_again({{"paused"}})}, "resumed"), 20s);
  EXPECT_EQ(operations(held({told_again({{"draining"}, {"queue default paused"}})}, "")),
            (std::vector<std::string>{"pause 0", "pause_queue default 0", "drain 0"}));
}

TEST(RecordedOperations, WhatIsNotToldAgainHasBeenTakenBack) {
  EXPECT_LT(
      modelled_wait({operated("paused"), operated("queue default paused"), told_again({})}, ""),
      5s);
  EXPECT_EQ(modelled_wait({operated("paused"), record::Restated{2}}, "resumed"), 20s)
      << "an earlier Sluice does not tell it again";
}

TEST(RecordedOperations, NothingHappensAsItIsToldAgain) {
  SampleRecord sample = held({operated("paused"), operated("queue default paused")}, "");
  sample.add(50s, told_again({{"paused"}, {"queue default paused"}}));
  EXPECT_EQ(operations(sample), (std::vector<std::string>{"pause 0", "pause_queue default 0"}));
}

TEST(RecordedOperations, AReloadThatPausesOrResumesAQueueTakesThatOfTheQueueBack) {
  EXPECT_TRUE(operations(held({configured("{default: {}, x: {}}"), operated("queue x paused"),
                               configured("{default: {}, x: {paused: true}}"),
                               configured("{default: {}, x: {}}")},
                              ""))
                  .empty());
  EXPECT_EQ(operations(held({configured("{default: {}, x: {}}"), operated("queue x paused"),
                             configured("{default: {}, x: {}, y: {paused: true}}")},
                            "")),
            std::vector<std::string>{"pause_queue x 0"})
      << "this one changes another queue";
}

TEST(RecordedOperations, AQueueThatTheConfigurationPausesMayHaveBeenResumed) {
  EXPECT_EQ(operations(held(
                {configured("{default: {}, x: {paused: true}}"), operated("queue x resumed")}, "")),
            std::vector<std::string>{"resume_queue x 0"});
}

}  // namespace
}  // namespace sluice::cli
