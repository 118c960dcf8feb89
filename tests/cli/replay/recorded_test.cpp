// Events of a record, whose jobs run at other times in a replay.
#include <gtest/gtest.h>

#include <memory>

#include "cli/replay/run.h"
#include "replay_helpers.h"

namespace sluice::cli {
namespace {

using Do = ScenarioEvent::Do;

/// A window of 20, a queue `b`, a manager `db` and a lock level `node`.
ReplayBuilder recorded_in_b() {
  ReplayBuilder builder;
  builder.scenario.recorded = true;
  QueueingOptions& queueing = builder.scenario.config.governing.queueing;
  queueing.queues["b"] = {};
  queueing.resources["db"] = {};
  queueing.contention.levels = {"node"};
  return builder;
}

/// Removes the queue, the manager and the level, and makes the window 40.
void reload_without_b(int at, ReplayBuilder& builder) {
  Config config = builder.scenario.config;
  WindowOptions& window = config.governing.window;
  window.initial = window.minimum = window.maximum = PointsSpec{40};
  QueueingOptions& queueing = config.governing.queueing;
  queueing.queues.erase("b");
  queueing.resources.clear();
  queueing.contention.levels.clear();
  builder.event(at, Do::reload).config = std::make_shared<const Config>(std::move(config));
}

TEST(RecordedReplay, AReloadLeavesWhatJobsStillNeedAndDoesAllElseAtOnce) {
  ReplayBuilder builder = recorded_in_b();
  builder.job(0, "a", 10, 20).request.queue = "b";
  JobRequest& waiting = builder.job(0, "b", 10, 20).request;
  waiting.queue = "b";
  waiting.resources = {{"db", 1}};
  waiting.locks = {std::get<LevelLocks>(parse_locks("node", "exclusive:n1"))};
  reload_without_b(5, builder);
  const Replayed replayed = replay(builder);
  EXPECT_FALSE(replayed.error) << to_string(*replayed.error);
  EXPECT_NE(lines_with(replayed.text, {"\"t\":5.0", "\"window\"", "\"size\":40"}), "")
      << replayed.text;
  EXPECT_NE(lines_with(replayed.text, {"\"t\":5.0", "admitted", "\"b\""}), "") << replayed.text;
}

TEST(RecordedReplay, ADefaultQueueThatAReloadRemovesTakesNoNewJobs) {
  ReplayBuilder builder;
  builder.scenario.recorded = true;
  builder.job(0, "a", 30, 20);
  builder.job(8, "waits in the new one", 10, 20).request.priority = 9;
  Config config = builder.scenario.config;
  config.governing.queueing.queues.clear();
  config.governing.queueing.queues["new"] = {};
  builder.event(5, Do::reload).config = std::make_shared<const Config>(std::move(config));
  builder.event(10, Do::pause_queue).queue = "new";
  builder.until(50);
  const Replayed replayed = replay(builder);
  EXPECT_FALSE(replayed.error) << to_string(*replayed.error);
  EXPECT_EQ(lines_with(replayed.text, {"admitted", "waits"}), "") << replayed.text;
}

TEST(RecordedReplay, AReloadIsCompleteOnceNoJobNeedsWhatItRemoves) {
  ReplayBuilder builder = recorded_in_b();
  builder.job(0, "keeps the window busy", 60, 5);
  builder.job(0, "a", 10, 10).request.queue = "b";
  builder.job(8, "still there", 1, 10).request.queue = "b";
  builder.job(40, "too late", 1, 10).request.queue = "b";
  reload_without_b(5, builder);
  const Replayed replayed = replay(builder);
  EXPECT_NE(lines_with(replayed.text, {"admitted", "still there"}), "") << replayed.text;
  ASSERT_TRUE(replayed.error);
  EXPECT_TRUE(to_string(*replayed.error)
                  .starts_with("s.yaml:4: job `too late`: queue: there is no queue `b`"))
      << to_string(*replayed.error);
}

TEST(RecordedReplay, AReloadLeavesTheQueueOfAJobThatFollowsAnother) {
  ReplayBuilder builder = recorded_in_b();
  builder.job(0, "a", 10);
  ScenarioJob& next = builder.job(0, "next", 10);
  next.request.queue = "b";
  next.follows = "a";
  reload_without_b(5, builder);
  const Replayed replayed = replay(builder);
  EXPECT_FALSE(replayed.error) << to_string(*replayed.error);
  EXPECT_NE(lines_with(replayed.text, {"\"t\":10.0", "admitted", "next"}), "") << replayed.text;
}

TEST(RecordedReplay, APausedQueueThatAReloadRemovesGoesOn) {
  ReplayBuilder builder = recorded_in_b();
  builder.job(0, "a", 10, 20).request.queue = "b";
  builder.job(0, "b", 10, 20).request.queue = "b";
  builder.event(3, Do::pause_queue).queue = "b";
  reload_without_b(15, builder);
  const std::string text = replay(builder).text;
  EXPECT_NE(lines_with(text, {"\"t\":15.0", "admitted", "\"b\""}), "") << text;
}

TEST(RecordedReplay, APauseOfAQueueThatIsMissingIsPassedOverWithANote) {
  ReplayBuilder builder = recorded_in_b();
  builder.job(0, "a", 10);
  builder.event(1, Do::pause_queue).queue = "nightly";
  builder.event(2, Do::resume_queue).queue = "nightly";
  const Replayed replayed = replay(builder);
  EXPECT_FALSE(replayed.error);
  ASSERT_EQ(replayed.notes.size(), 2u);
  EXPECT_EQ(replayed.notes[0], "s.yaml:100:3: queue: there is no queue `nightly`");
}

TEST(RecordedReplay, AReloadByHandThatRemovesWhatJobsNeedIsAnError) {
  ReplayBuilder builder = recorded_in_b();
  builder.scenario.recorded = false;
  builder.job(0, "a", 10).request.queue = "b";
  reload_without_b(5, builder);
  const Replayed replayed = replay(builder);
  ASSERT_TRUE(replayed.error);
  EXPECT_TRUE(to_string(*replayed.error)
                  .starts_with("s.yaml:100:3: reload: queues.b: queue b is still needed by job "))
      << to_string(*replayed.error);
}

}  // namespace
}  // namespace sluice::cli
