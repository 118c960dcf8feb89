// Events of jobs that come later than these.
#include <gtest/gtest.h>

#include "replay_helpers.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;
using Do = ScenarioEvent::Do;
using Position = ScenarioEvent::Position;
using Where = JobChange::Position::Where;

/// The jobs in the order of their admission.
std::string started(const Replayed& replayed) {
  std::string order;
  std::string left = lines_with(replayed.text, {"admitted"});
  constexpr std::string_view kJob = "\"job\":\"";
  for (auto at = left.find(kJob); at != left.npos; at = left.find(kJob, at + 1)) {
    order += left[at + kJob.size()];
  }
  return order;
}

/// Job a runs for 10 s; b, c and d come a second apart. One runs at a time.
ReplayBuilder four_jobs() {
  ReplayBuilder builder;
  int at = 0;
  for (const char* id : {"a", "b", "c", "d"}) builder.job(at++, id, 10, 20);
  return builder;
}

TEST(LateEvents, AChangeTakesEffectAsItsJobComes) {
  ReplayBuilder builder = four_jobs();
  builder.event(1, Do::set, "d").priority = 5;
  const Replayed replayed = replay(builder);
  EXPECT_EQ(started(replayed), "adbc");
  EXPECT_TRUE(replayed.notes.empty());
}

TEST(LateEvents, AMoveTakesEffectAsItsJobComes) {
  ReplayBuilder builder = four_jobs();
  builder.event(2, Do::set, "d").position = Position{Where::front, ""};
  EXPECT_EQ(started(replay(builder)), "adbc");
}

TEST(LateEvents, AJobThatWasFrozenComesFrozen) {
  ReplayBuilder builder;
  builder.job(5, "a", 10, 20);
  builder.event(0, Do::set, "a").frozen = true;
  builder.event(20, Do::set, "a").frozen = false;
  EXPECT_NE(lines_with(replay(builder).text, {"\"t\":20.0", "admitted", "\"a\""}), "");
}

TEST(LateEvents, AJobThatWasCancelledIsCancelledAsItComes) {
  ReplayBuilder builder;
  builder.job(5, "a", 10, 20);
  builder.event(3, Do::cancel, "a");
  ScenarioJob& follower = builder.job(5, "b", 1);
  follower.follows = "a";
  follower.gap = 1s;
  const std::string text = replay(builder).text;
  EXPECT_NE(lines_with(text, {"\"t\":5.0", "cancelled", "\"a\""}), "") << text;
  EXPECT_NE(lines_with(text, {"\"t\":6.0", "submitted", "\"b\""}), "") << text;
}

TEST(LateEvents, ChangesOfAJobThatFollowsALateOneAreKept) {
  ReplayBuilder builder = four_jobs();
  ScenarioJob& follower = builder.job(3, "e", 1, 20);
  follower.follows = "a";
  builder.event(5, Do::set, "e").priority = 9;
  EXPECT_EQ(started(replay(builder)), "aebcd");
}

TEST(LateEvents, AMoveBesideAJobTakesEffectAsThatOneComes) {
  ReplayBuilder builder = four_jobs();
  ScenarioEvent& event = builder.event(2, Do::set, "b");
  event.position = Position{Where::after, "d"};
  event.nice = 3;
  EXPECT_EQ(started(replay(builder)), "acdb");
}

TEST(LateEvents, AMoveThatALaterOneReplacedHasNoEffect) {
  ReplayBuilder builder = four_jobs();
  builder.event(1, Do::set, "b").position = Position{Where::after, "d"};
  builder.event(2, Do::set, "b").position = Position{Where::front, ""};
  const Replayed replayed = replay(builder);
  EXPECT_EQ(started(replayed), "abcd");
  EXPECT_TRUE(replayed.notes.empty());
}

TEST(LateEvents, AMoveThatALaterOneCannotReplaceTakesEffect) {
  ReplayBuilder builder = four_jobs();
  builder.event(1, Do::set, "b").position = Position{Where::after, "d"};
  builder.event(2, Do::set, "b").position = Position{Where::before, "never"};
  const Replayed replayed = replay(builder);
  EXPECT_EQ(started(replayed), "acdb");
  EXPECT_EQ(replayed.notes,
            std::vector<std::string>{"s.yaml:100:3: no job `never` has been submitted"});
}

TEST(LateEvents, OfTwoMovesBesideLateJobsTheLaterOneStays) {
  ReplayBuilder builder = four_jobs();
  builder.job(4, "e", 10, 20);
  builder.event(1, Do::set, "b").position = Position{Where::after, "e"};
  builder.event(1, Do::set, "b").position = Position{Where::after, "d"};
  EXPECT_EQ(started(replay(builder)), "acdbe");
}

TEST(LateEvents, AMoveBesideALateJobOfOneThatHasStartedByThenIsReported) {
  ReplayBuilder builder;
  builder.job(0, "a", 10, 20);
  builder.job(0, "b", 10, 20);
  builder.job(15, "c", 10, 20);
  builder.event(1, Do::set, "b").position = Position{Where::after, "c"};
  const Replayed replayed = replay(builder);
  EXPECT_EQ(started(replayed), "abc");
  ASSERT_EQ(replayed.notes.size(), 1u);
  EXPECT_TRUE(replayed.notes[0].starts_with("s.yaml:100:3: set: job `b`: position"))
      << replayed.notes[0];
}

TEST(LateEvents, ThoseOfJobsThatNeverComeAreReportedInTheirOrder) {
  ReplayBuilder builder = four_jobs();
  builder.event(1, Do::cancel, "y").place.line = 1;
  builder.event(2, Do::set, "x").frozen = true;
  ScenarioEvent& move = builder.event(3, Do::set, "d");
  move.position = Position{Where::after, "z"};
  move.place.line = 102;
  EXPECT_EQ(replay(builder).notes,
            (std::vector<std::string>{"s.yaml:1:3: no job `y` has been submitted",
                                      "s.yaml:100:3: no job `x` has been submitted",
                                      "s.yaml:102:3: no job `z` has been submitted"}));
}

}  // namespace
}  // namespace sluice::cli
