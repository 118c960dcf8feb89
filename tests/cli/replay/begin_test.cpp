// Jobs that already run or wait as a replay begins (`ran`, `waited`).
#include <gtest/gtest.h>

#include <limits>

#include "cli/replay/arrivals.h"
#include "cli/replay/items_in_use.h"
#include "replay_helpers.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

TEST(ReplayBegin, AJobThatAlreadyRunsHoldsItsPointsWhateverTheWindow) {
  ReplayBuilder builder;
  ScenarioJob& job = builder.job(0, "a", 30, 15);
  job.ran = 5s;
  job.holds = Points{25};
  builder.job(0, "b", 10).request.priority = 9;
  const std::string text = replay(builder).text;
  EXPECT_TRUE(text.starts_with(
      R"({"t":0.0,"event":"admitted","job":"a","cost":25,"usage":25,"window":20}
{"t":0.0,"event":"submitted","job":"b"}
{"t":0.0,"event":"refused","job":"b","code":"window",)"))
      << text;
  EXPECT_EQ(lines_with(text, {"\"t\":30.0", "\"job\""}),
            R"({"t":30.0,"event":"finished","job":"a","usage":0}
{"t":30.0,"event":"admitted","job":"b","cost":10,"usage":10,"window":20}
)");
}

TEST(ReplayBegin, NobodyHasWeighedAJobThatAlreadyRuns) {
  ReplayBuilder builder;
  builder.scenario.config.governing.queueing.contention.mode = ContentionMode::order;
  builder.job(0, "a", 30).ran = 5s;
  builder.job(0, "b", 10);
  const std::string text = replay(builder).text;
  EXPECT_EQ(lines_with(text, {"admitted", "\"a\"", "weight"}), "") << text;
  EXPECT_NE(lines_with(text, {"admitted", "\"b\"", "\"weight\":"}), "") << text;
}

TEST(ReplayBegin, WithoutItsPointsItHoldsItsCost) {
  ReplayBuilder builder;
  builder.job(0, "a", 30, 15).ran = 0s;
  EXPECT_NE(lines_with(replay(builder).text, {"admitted", "\"cost\":15"}), "");
}

TEST(ReplayBegin, JobsThatAlreadyRunAreAdmittedInTheirOrder) {
  ReplayBuilder builder;
  builder.job(0, "b", 30, 15).ran = 9s;
  builder.job(0, "a", 30, 10).ran = 5s;
  EXPECT_TRUE(replay(builder).text.starts_with(
      R"({"t":0.0,"event":"admitted","job":"b","cost":15,"usage":15,"window":20}
{"t":0.0,"event":"admitted","job":"a","cost":10,"usage":25,"window":20}
)"));
}

TEST(ReplayBegin, AJobThatAlreadyRunsIsThereForThoseThatFollowOrComeAfterIt) {
  ReplayBuilder builder;
  builder.job(0, "a", 30).ran = 5s;
  ScenarioJob& follower = builder.job(0, "b", 1);
  follower.follows = "a";
  follower.gap = 2s;
  builder.job(1, "c", 1).after = {"a"};
  const std::string text = replay(builder).text;
  EXPECT_NE(lines_with(text, {"\"t\":32.0", "submitted", "\"b\""}), "") << text;
  EXPECT_NE(lines_with(text, {"\"t\":30.0", "admitted", "\"c\""}), "") << text;
}

TEST(ReplayBegin, AJobThatAlreadyRunsHoldsItsItems) {
  ReplayBuilder builder;
  ResourceOptions& ports = builder.scenario.config.governing.queueing.resources["ports"];
  ports.kind = ResourceOptions::Kind::discrete;
  ports.items = {"p1", "p2", "p3"};
  ScenarioJob& job = builder.job(0, "a", 30);
  job.ran = 5s;
  job.request.resources = {{"ports", 2}};
  builder.job(0, "b", 10).request.resources = {{"ports", 2}};
  const std::string text = replay(builder).text;
  EXPECT_NE(lines_with(text, {"refused", "\"b\"", "\"binding\":\"ports\""}), "") << text;
  EXPECT_NE(lines_with(text, {"\"t\":30.0", "admitted", "\"b\""}), "") << text;
}

TEST(ReplayBegin, ItemsAreGivenOnceAndAsFarAsTheyGo) {
  QueueingOptions options;
  options.queues["gate"].resources = {"ports"};
  ResourceOptions& ports = options.resources["ports"];
  ports.kind = ResourceOptions::Kind::discrete;
  ports.items = {"p1", "p2", "p3"};
  ports.consumption = 2;
  ItemsInUse items(options);
  JobRequest job;
  job.queue = "gate/make-1";
  EXPECT_EQ(items.items_for(job), (std::vector<HeldItems>{{"ports", {"p1", "p2"}}}));
  EXPECT_EQ(items.items_for(job), (std::vector<HeldItems>{{"ports", {"p3"}}}));
  EXPECT_TRUE(items.items_for(job).empty());
}

TEST(ReplayBegin, AJobThatDemandsMoreItemsThanThereAreGetsThoseAtOnce) {
  QueueingOptions options;
  ResourceOptions& ports = options.resources["ports"];
  ports.kind = ResourceOptions::Kind::discrete;
  ports.items = {"p1", "p2"};
  ItemsInUse items(options);
  JobRequest job;
  job.resources = {{"ports", std::numeric_limits<std::int64_t>::max()}};
  EXPECT_EQ(items.items_for(job), (std::vector<HeldItems>{{"ports", {"p1", "p2"}}}));
}

TEST(ReplayBegin, TheMachineDoesTheRestOfAJobThatAlreadyRuns) {
  ReplayBuilder builder;
  builder.scenario.host.emplace().cpus = builder.scenario.cpus = 2;
  ScenarioJob& job = builder.job(0, "a", 0);
  job.phases = {{.runs = 4s, .cores = 1}};
  job.ran = 60s;
  const std::string text = replay(builder).text;
  EXPECT_NE(lines_with(text, {"\"t\":4.0", "finished", "\"a\""}), "") << text;
}

/// A job runs for 10 s and fills the window.
ReplayBuilder full_window() {
  ReplayBuilder builder;
  builder.job(0, "r", 10, 20).ran = 20s;
  return builder;
}

TEST(ReplayBegin, AJobThatAlreadyWaitsIsAsOldAsItSays) {
  ReplayBuilder builder = full_window();
  builder.scenario.config.governing.queueing.queues["x"] = {};
  builder.job(0, "young", 10, 20).waited = 1s;
  ScenarioJob& old = builder.job(0, "old", 10, 20);
  old.request.queue = "x";
  old.waited = 9s;
  const std::string text = replay(builder).text;
  EXPECT_NE(lines_with(text, {"\"t\":10.0", "admitted", "\"old\""}), "") << text;
  EXPECT_NE(lines_with(text, {"\"t\":20.0", "admitted", "\"young\""}), "") << text;
  EXPECT_EQ(lines_with(text, {"submitted"}), R"({"t":0.0,"event":"submitted","job":"old"}
{"t":0.0,"event":"submitted","job":"young"}
)");
}

TEST(ReplayBegin, JobsThatAlreadyWaitStandInTheOrderOfTheScenario) {
  ReplayBuilder builder = full_window();
  builder.job(0, "b", 10, 20).waited = 1s;
  builder.job(0, "c", 10, 20).waited = 7s;
  builder.job(0, "a", 10, 20).waited = 5s;
  builder.job(0, "d", 10, 20);
  const std::string text = replay(builder).text;
  EXPECT_NE(lines_with(text, {"\"t\":10.0", "admitted", "\"b\""}), "") << text;
  EXPECT_NE(lines_with(text, {"\"t\":20.0", "admitted", "\"c\""}), "") << text;
  EXPECT_NE(lines_with(text, {"\"t\":30.0", "admitted", "\"a\""}), "") << text;
  EXPECT_NE(lines_with(text, {"\"t\":40.0", "admitted", "\"d\""}), "") << text;
}

/// The jobs in the order of the line, each with its age.
void expect_admitted_in_line(const std::vector<int>& ages) {
  ReplayBuilder builder = full_window();
  std::vector<std::string> line;
  for (const int age : ages) {
    line.push_back("j" + std::to_string(line.size()));
    builder.job(0, line.back(), 1, 20).waited = std::chrono::seconds(age);
  }
  const Replayed replayed = replay(builder);
  EXPECT_TRUE(replayed.notes.empty()) << replayed.notes.front();
  std::size_t at = 0;
  for (const std::string& job : line) {
    const std::size_t found = replayed.text.find(R"("event":"admitted","job":")" + job + "\"", at);
    ASSERT_NE(found, std::string::npos) << job;
    at = found;
  }
}

TEST(ReplayBegin, ManyJobsMayHaveBeenMoved) {
  std::vector<int> reversed, first_stays, middle_stays;
  for (int at = 0; at < 200; ++at) {
    reversed.push_back(1 + at);
    first_stays.push_back(at == 0 ? 1000 : 1 + at);
  }
  expect_admitted_in_line(reversed);
  expect_admitted_in_line(first_stays);
  // Those that stay are old ones, with 100 younger ones between them.
  middle_stays = {1003, 1002, 1001};
  for (int at = 0; at < 100; ++at) middle_stays.push_back(1 + at);
  middle_stays.insert(middle_stays.end(), {903, 902, 901});
  expect_admitted_in_line(middle_stays);
}

TEST(ReplayBegin, EventsOfTheSameInstantMoveThoseWhoAlreadyStandInLine) {
  using Do = ScenarioEvent::Do;
  using Position = ScenarioEvent::Position;
  using Where = JobChange::Position::Where;
  ReplayBuilder builder = full_window();
  builder.job(0, "b", 10, 20).waited = 1s;
  builder.job(0, "c", 10, 20).waited = 5s;
  builder.job(0, "a", 10, 20).waited = 9s;
  builder.event(0, Do::set, "b").position = Position{Where::front, ""};
  builder.event(0, Do::set, "a").position = Position{Where::front, ""};
  builder.event(0, Do::cancel, "c");
  const std::string text = replay(builder).text;
  EXPECT_NE(lines_with(text, {"\"t\":0.0", "cancelled", "\"c\""}), "") << text;
  EXPECT_NE(lines_with(text, {"\"t\":10.0", "admitted", "\"a\""}), "") << text;
  EXPECT_NE(lines_with(text, {"\"t\":20.0", "admitted", "\"b\""}), "") << text;
}

TEST(ReplayBegin, AJobThatAlreadyWaitsMayBeImpossibleAndComeAfterAnother) {
  ReplayBuilder builder = full_window();
  builder.job(0, "large", 10, 21).waited = 9s;
  ScenarioJob& next = builder.job(0, "next", 10, 20);
  next.waited = 5s;
  next.after = {"r"};
  const Replayed replayed = replay(builder);
  EXPECT_FALSE(replayed.error) << to_string(*replayed.error);
  EXPECT_NE(lines_with(replayed.text, {"refused", "large", "impossible"}), "") << replayed.text;
  EXPECT_NE(lines_with(replayed.text, {"\"t\":10.0", "admitted", "next"}), "") << replayed.text;
}

TEST(ReplayBegin, AsFewJobsAsPossibleAreMovedToStandInLine) {
  std::vector<ScenarioJob> line(4);
  const std::vector<std::string> queues(4, "default");
  const auto moves_for = [&](const std::vector<int>& waited) {
    for (std::size_t at = 0; at < line.size(); ++at) {
      line[at].waited = std::chrono::seconds(waited[at]);
    }
    std::string text;
    for (const MovedJob& each : moves_into_line(line, queues)) {
      text += std::to_string(each.job) + ">" + std::to_string(each.after) + " ";
    }
    return text;
  };
  EXPECT_EQ(moves_for({4, 3, 2, 1}), "");
  EXPECT_EQ(moves_for({4, 4, 4, 4}), "");
  EXPECT_EQ(moves_for({1, 4, 3, 2}), "0>0 ");
  EXPECT_EQ(moves_for({3, 2, 1, 4}), "3>2 ");
  EXPECT_EQ(moves_into_line(line, std::vector<std::string>{"a", "a", "a", "b"}).size(), 0U);
  EXPECT_EQ(moves_for({1, 2, 3, 4}), "2>2 1>1 0>0 ");
  EXPECT_EQ(moves_for({9, 1, 2, 8}), "2>0 1>0 ");
}

std::string problem_in(const ReplayBuilder& builder) {
  const auto error = replay(builder).error;
  return error ? error->message : "";
}

TEST(ReplayBegin, OnlyTheFirstJobsMayAlreadyRunOrWait) {
  const std::string late = "job `b`: ran: a job that already runs comes at 0s, before all others";
  ReplayBuilder second, later, following, holding;
  second.job(0, "a", 1);
  second.job(0, "b", 1).ran = 1s;
  EXPECT_EQ(problem_in(second), late);
  later.job(0, "a", 1).ran = 1s;
  later.job(1, "b", 1).ran = 1s;
  EXPECT_EQ(problem_in(later), late);
  following.job(0, "a", 1).ran = 1s;
  ScenarioJob& follower = following.job(0, "b", 1);
  follower.ran = 1s;
  follower.follows = "a";
  EXPECT_EQ(problem_in(following),
            "job `b`: ran: a job that already runs neither follows nor comes after another");
  ReplayBuilder both, behind, late_wait, waiting;
  ScenarioJob& two = both.job(0, "a", 1);
  two.ran = two.waited = 1s;
  EXPECT_EQ(problem_in(both), "job `a`: waited: a job that already runs does not wait");
  const std::string not_first =
      "job `b`: waited: a job that already waits comes at 0s, after those that run and before all "
      "others";
  behind.job(0, "a", 1);
  behind.job(0, "b", 1).waited = 1s;
  EXPECT_EQ(problem_in(behind), not_first);
  late_wait.job(0, "a", 1);
  late_wait.job(1, "b", 1).waited = 1s;
  EXPECT_EQ(problem_in(late_wait), not_first);
  waiting.job(0, "a", 1).ran = 1s;
  ScenarioJob& third = waiting.job(0, "b", 1);
  third.waited = 1s;
  third.follows = "a";
  EXPECT_EQ(problem_in(waiting),
            "job `b`: waited: a job that already waits does not follow another");
  holding.job(0, "a", 1).holds = Points{3};
  EXPECT_EQ(problem_in(holding), "job `a`: holds: needs `ran`");
}

}  // namespace
}  // namespace sluice::cli
