// What the daemon tells the record in one go leaves room to what comes next: a gap would have all
// of it told again.
#include "service/daemon/decision_record.h"

#include <gtest/gtest.h>

#include <set>

#include "record_folder.h"
#include "recorded_daemon.h"
#include "service/daemon/restatement.h"

namespace sluice::testing {
namespace {

record::RecorderOptions options_in(const record::testing::Folder& folder) {
  return {folder.path("record"), {}, "", {"1.2.3", "boot"}};
}

/// Jobs that wait in a paused queue whose name is as long as names are.
std::vector<JobView> paused_jobs(std::size_t count) {
  static const std::string kQueue(63, 'q');
  std::vector<JobView> jobs(count);
  for (std::size_t at = 0; at < count; ++at) {
    jobs[at].id = JobId{at + 1};
    jobs[at].place = at + 1;
    Refusal& refusal = jobs[at].refusal.emplace();
    refusal.code = RefusalCode::queue_paused;
    refusal.binding = kQueue;
  }
  return jobs;
}

TEST(DecisionRecord, TellsWhyManyJobsWaitInPortionsThatOverrunNothing) {
  const record::testing::Folder folder;
  DecisionRecord record({}, folder.path(""), [](LogLevel, std::string_view) {});
  record.start({});
  const std::vector<JobView> jobs = paused_jobs(DecisionRecord::kMostWaits - 50);
  std::set<JobId> told;
  const auto are_all_told = [&] {
    record.waits(jobs, Clock::now());
    for (const record::Timed& each : record::testing::entries_in(folder.path("record"))) {
      if (const auto* wait = std::get_if<record::JobWaits>(&each.entry)) told.insert(wait->job);
    }
    return told.size() == jobs.size();
  };
  ASSERT_GT(jobs.size() * 64, record::kBlockContents) << "names alone are more than a portion";
  EXPECT_TRUE(eventually(are_all_told)) << told.size();
  EXPECT_EQ(record.facts()->lost, 0U);
}

TEST(DecisionRecord, WithoutARecordSaysNothing) {
  DecisionRecord record({}, std::nullopt, [](LogLevel, std::string_view) {});
  record.start({});
  record.sample({});
  record.waits(paused_jobs(1), Clock::now());
  EXPECT_FALSE(record.facts());
}

TEST(Restatement, WaitsUntilItLeavesRoomToWhatIsNew) {
  const record::testing::Folder folder;
  record::Recorder recorder(options_in(folder), nullptr);
  const std::uint64_t most = room_for_restated(Bytes{~std::uint64_t{0}});
  EXPECT_TRUE(has_room(recorder, most));
  const record::DaemonEvent long_event{"operated", {std::string(10'000, 'x')}};
  while (has_room(recorder, most)) recorder.record(record::testing::moment({}), long_event);
  EXPECT_TRUE(has_room(recorder, 0)) << "the reasons of some jobs have room all the same";
  while (has_room(recorder, 0)) recorder.record(record::testing::moment({}), long_event);
  EXPECT_GT(recorder.room(), kRoomForNews / 2);
  recorder.flush(record::clocks_now());
  EXPECT_TRUE(has_room(recorder, most));
  EXPECT_EQ(recorder.recording().lost, 0U);
}

TEST(Restatement, TellsWhatOperatorsHaveSetBesideTheConfiguration) {
  QueueingOptions options;
  options.queues["nightly"].paused = true;
  options.queues["weekly"].paused = true;
  const auto configured = paused_queues(options);
  EXPECT_EQ(configured, (std::set<std::string>{"nightly", "weekly"}));
  Status status;
  status.queues.resize(4);
  status.queues[0].name = "default";
  status.queues[0].paused = true;
  status.queues[1].name = "default/1";
  status.queues[1].branch_of = "default";
  status.queues[1].paused = true;
  status.queues[2].name = "nightly";
  status.queues[3].name = "weekly";
  status.queues[3].paused = true;
  const auto told = [&] {
    std::vector<std::string> acts;
    const record::Restated all = told_beside_jobs(status, configured);
    for (const record::Name& each : all.operated.value()) acts.push_back(each.text);
    return acts;
  };
  EXPECT_EQ(told(), (std::vector<std::string>{"queue default paused", "queue nightly resumed"}));
  status.paused = true;
  EXPECT_EQ(told().front(), "paused");
  status.draining = true;
  EXPECT_EQ(told().front(), "draining");
  EXPECT_EQ(told_beside_jobs({}, {}).operated, std::vector<record::Name>{});
}

TEST(Restatement, IsAsLongAsItsRoomAtTheMost) {
  const record::testing::Folder folder;
  record::Recorder recorder(options_in(folder), nullptr);
  KnownJobs::Records jobs;
  for (std::uint64_t number = 1; number <= 1000; ++number) {
    JobRecord& job = jobs[number];
    job.number = JobId{number};
    job.id = std::string(100, 'x');
    job.kept = true;
  }
  const std::size_t before = recorder.room();
  constexpr std::size_t kRoom = 20'000;
  restate_all(
      recorder, record::testing::moment({}), live_jobs(jobs, {}), {},
      [](const JobRecord&) { return Bytes{}; }, kRoom);
  EXPECT_LE(before - recorder.room(), kRoom + 100);
  recorder.flush(record::clocks_now());
  const auto entries = record::testing::entries_in(folder.path("record"));
  const auto& all = std::get<record::Restated>(entries.back().entry);
  EXPECT_EQ(all.jobs, entries.size() - 1);
  EXPECT_GT(all.jobs, 50U);
  EXPECT_EQ(all.jobs + all.left_out, 1000U);
}

}  // namespace
}  // namespace sluice::testing
