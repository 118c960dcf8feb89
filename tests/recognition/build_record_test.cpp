#include "recognition/build_record.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

namespace sluice::testing {
namespace {

using std::chrono::seconds;

PermitNews waits(Ticket ticket, const std::string& kind, const std::string& ahead = {}) {
  return {PermitNews::What::waits, ticket, kind, "", ahead, {}, {}};
}

BuildRun run_of(std::uint64_t mebibytes) {
  return {"cc1 " + std::to_string(mebibytes), Bytes{mebibytes << 20}, Duration{0}, {}, {}};
}

TimePoint at(int second) { return TimePoint{seconds(second)}; }

TEST(BuildRecord, SharesTheWaitAmongWhatWasLackingAtTheTime) {
  BuildRecord record(10, "build-1-");
  record.waits(waits(1, "memory "), at(0));
  record.waits(waits(1, "window cpu"), at(4));
  record.granted(1, at(5));
  record.waits(waits(2, "memory "), at(5));
  const auto waited = record.report(at(7)).waited;
  EXPECT_EQ(waited.size(), 2u);
  EXPECT_EQ(waited.at("memory"), seconds(6));
  EXPECT_EQ(waited.at("CPUs"), seconds(1));
}

TEST(BuildRecord, WhatWaitsBehindAnotherOfItsBuildLacksWhatThatOneLacks) {
  BuildRecord record(10, "build-1-");
  record.waits(waits(1, "memory "), at(0));
  record.waits(waits(2, "behind default", "build-1-1"), at(0));
  record.waits(waits(3, "behind default", "build-2-1"), at(0));
  record.waits(waits(4, "behind default", "build-1-9"), at(0));
  const auto waited = record.report(at(1)).waited;
  EXPECT_EQ(waited.at("memory"), seconds(2));
  EXPECT_EQ(waited.at("another build"), seconds(1));
  EXPECT_EQ(waited.at("its own queue"), seconds(1));
}

TEST(BuildRecord, AWaitThatNothingRefusesIsForTheOwnQueue) {
  BuildRecord record(10, "build-1-");
  record.waits(waits(1, ""), at(0));
  record.waits(waits(1, "window cpu"), at(2));
  const auto waited = record.report(at(3)).waited;
  EXPECT_EQ(waited.size(), 2u);
  EXPECT_EQ(waited.at("its own queue"), seconds(2));
  EXPECT_EQ(waited.at("CPUs"), seconds(1));
}

TEST(BuildRecord, NamesWhatIsLacking) {
  EXPECT_EQ(wait_cause_of("memory "), "memory");
  EXPECT_EQ(wait_cause_of("sensor memory_pressure"), "memory");
  EXPECT_EQ(wait_cause_of("sensor load"), "sensor load");
  EXPECT_EQ(wait_cause_of("resource compilers"), "resource compilers");
  EXPECT_EQ(wait_cause_of("window "), "the window");
}

TEST(BuildRecord, NamesEachReasonToWaitInWordsOfPeople) {
  const std::pair<const char*, const char*> causes[] = {
      {"window cpu", "CPUs"},
      {"window window", "the window"},
      {"sensor disk", "sensor disk"},
      {"paused pause", "the operator's pause"},
      {"draining draining", "the end of a drain"},
      {"queue_paused memory-tests", "a paused queue"},
      {"frozen frozen", "a frozen job"},
      {"resource db", "resource db"},
      {"contention global_lock", "a lock"},
      {"memory memory", "memory"},
      {"dependency after", "a job that it depends on"},
      {"rule rules[0]", "a configured rule"},
      {"rate_limit 2:lint", "a rate limit"},
      {"held_for locks", "another build"},
      {"behind behind", "another build"},
      {"behind memory", "memory"},
      {"made_up_later x", "another reason"},
  };
  for (const auto& [kind, cause] : causes) EXPECT_EQ(wait_cause_of(kind), cause) << kind;
}

TEST(BuildRecord, KnowsAPauseFromAFullWindow) {
  for (const char* kind :
       {"paused pause", "queue_paused memory", "frozen frozen", "rule rules[0]"}) {
    EXPECT_EQ(waits_for(kind), WaitsFor::resume) << kind;
  }
  // Held processes may keep these red themselves.
  EXPECT_EQ(waits_for("sensor memory"), WaitsFor::memory);
  EXPECT_EQ(waits_for("sensor memory_pressure"), WaitsFor::memory);
  for (const char* kind : {"sensor pids", "sensor disk", "sensor cgroup", "sensor load"}) {
    EXPECT_EQ(waits_for(kind), WaitsFor::sensor) << kind;
  }
  for (const char* kind :
       {"sensor starting", "window cpu", "behind behind", "resource db", "resource sensor", ""}) {
    EXPECT_EQ(waits_for(kind), WaitsFor::window) << kind;
  }
  EXPECT_EQ(waits_for("draining draining"), WaitsFor::nothing);
}

TEST(BuildRecord, SaysOfAPauseByWhichCommandItEnds) {
  EXPECT_EQ(wait_sentence("paused pause", "paused by the operator"),
            "the host is paused (continue with sluice resume)");
  EXPECT_EQ(wait_sentence("queue_paused default", "queue default is paused"),
            "queue default is paused (continue with sluice resume --queue default)");
  EXPECT_EQ(wait_sentence("sensor disk", "sensor disk is red"), "sensor disk is red");
}

TEST(BuildRecord, RemembersTheHeaviestRuns) {
  BuildRecord record(2, "build-1-");
  for (const Ticket ticket : {1, 2, 3}) record.granted(ticket, at(0));
  record.ended(run_of(20), {.status = 0}, Outcome::ok, 1);
  record.ended(run_of(10), {.status = {}}, Outcome::ok, 2);
  record.ended(run_of(30), {.status = {}}, Outcome::ok, 3);
  const BuildReport report = record.report(at(0));
  ASSERT_EQ(report.heaviest.size(), 2u);
  EXPECT_EQ(report.heaviest[0].name, "cc1 30");
  EXPECT_EQ(report.heaviest[1].name, "cc1 20");
  EXPECT_EQ(report.most_running, 3u);
  EXPECT_EQ(report.running, 0u);
}

TEST(BuildRecord, TellsItsNumbersWithoutTheRunsThatItRemembers) {
  BuildRecord record(1000, "build-1-");
  for (Ticket ticket = 1; ticket <= 100; ++ticket) {
    record.waits(waits(ticket, "memory "), at(0));
    record.granted(ticket, at(1));
    if (ticket > 98) continue;
    record.ended(run_of(ticket), {.status = 0}, Outcome::ok, ticket);
  }
  const BuildReport counts = record.counts();
  EXPECT_EQ(counts.runs, 100u);
  EXPECT_EQ(counts.running, 2u);
  EXPECT_EQ(counts.most_running, 2u);
  EXPECT_TRUE(counts.heaviest.empty());
  EXPECT_TRUE(counts.waited.empty());
}

TEST(BuildRecord, RemembersForWhatEachOfTheHeaviestWaited) {
  BuildRecord record(2, "build-1-");
  record.waits(waits(1, "memory "), at(0));
  record.waits(waits(1, "window cpu"), at(4));
  record.waits(waits(2, "window "), at(2));
  record.waits(waits(3, "memory "), at(3));
  record.granted(1, at(5));
  record.granted(2, at(9));
  record.goes(3, at(9));
  record.ended(run_of(20), {.status = 0}, Outcome::ok, 1);
  record.ended(run_of(10), {.status = 0}, Outcome::ok, 2);
  const auto heaviest = record.report(at(9)).heaviest;
  ASSERT_EQ(heaviest.size(), 2u);
  EXPECT_EQ(heaviest[0].waited, (WaitTimes{{"memory", seconds(4)}, {"CPUs", seconds(1)}}));
  EXPECT_EQ(heaviest[1].waited, (WaitTimes{{"the window", seconds(7)}}));
}

TEST(BuildRecord, WhatIsKeptNextTimeIsThatOfTheRunThatWasKilled) {
  BuildRecord record(2, "build-1-");
  for (const Ticket ticket : {1, 2, 3}) record.granted(ticket, at(0));
  record.ended(run_of(20), {.status = {}}, Outcome::oom, 1);
  record.ended(run_of(30), {.status = {}}, Outcome::oom, 2);
  record.ended(run_of(40), {.status = {}}, Outcome::failed, 3);
  record.learned(2, Bytes{45});
  record.learned(3, Bytes{46});
  const auto killed = record.report(at(0)).killed_for_memory;
  ASSERT_EQ(killed.size(), 2u);
  EXPECT_EQ(killed[0].next, std::nullopt);
  EXPECT_EQ(killed[1].next, Bytes{45});
}

TEST(BuildRecord, OfWhatEndedNobodyKnowsHowSaysThatItMayHaveBeenKilled) {
  BuildRecord record(2, "build-1-");
  for (const Ticket ticket : {1, 2, 3}) record.granted(ticket, at(0));
  record.ended(run_of(20), {.has_ended = false, .status = {}}, Outcome::unknown, 1);
  record.ended(run_of(30), {.status = {}, .kills = 1}, Outcome::unknown, 2);
  record.ended(run_of(40), {.status = {}}, Outcome::ok, 3);
  const auto maybe = record.report(at(0)).maybe_killed;
  ASSERT_EQ(maybe.size(), 1u);
  EXPECT_EQ(maybe[0].name, "cc1 30");
}

TEST(BuildRecord, NamesAlsoWhatTheKernelKilledWithoutAPermit) {
  BuildRecord record(2, "build-1-");
  record.granted(1, at(0));
  record.lost(at(1));
  record.note_kill(run_of(20), {.status = 9, .kills = 1}, Outcome::oom);
  record.note_kill(run_of(30), {.status = {}, .kills = 1}, Outcome::unknown);
  record.note_kill(run_of(40), {.has_ended = false, .status = {}}, Outcome::unknown);
  record.note_kill(run_of(50), {.status = 0}, Outcome::ok);
  const BuildReport report = record.report(at(1));
  ASSERT_EQ(report.killed_for_memory.size(), 1u);
  EXPECT_EQ(report.killed_for_memory[0].name, "cc1 20");
  ASSERT_EQ(report.maybe_killed.size(), 1u);
  EXPECT_EQ(report.maybe_killed[0].name, "cc1 30");
  EXPECT_TRUE(report.heaviest.empty());
  EXPECT_EQ(report.running, 0u);
}

}  // namespace
}  // namespace sluice::testing
