#include "cli/record/job_changes.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <utility>

#include "cli/record/other_users.h"
#include "cli/record/sentence.h"
#include "cli/record/why_job.h"
#include "cli/record/why_moment.h"
#include "sample_record.h"

namespace sluice::cli::testing {
namespace {
namespace json = boost::json;

record::JobChanged change_of(std::uint64_t job) { return {JobId{job}, 1000}; }

/// Job 17 of `one_job`, which others change while it waits and once it runs.
SampleRecord changed_job() {
  record::JobChanged urgent = change_of(17);
  urgent.priority = 9;
  urgent.place = "before";
  urgent.of = JobId{16};
  record::JobChanged held = change_of(17);
  held.frozen = true;
  record::JobChanged locks = change_of(17);
  locks.by.reset();
  locks.locks = {std::pair(record::Name{"node"}, record::Name{"exclusive:n1"})};
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(1s, submitted(16, "build-16"))
      .add(10s, submitted(17, "build-17"))
      .add(30s, urgent)
      .add(40s, held)
      .add(202s, started(17))
      .add(203s, locks);
  return sample;
}

std::string why_changed(const SampleRecord& sample, const std::string& job) {
  const Story story = sample.story();
  std::string text;
  for (const std::string& each : why_lines(*story.find(job), story)) text += each + "\n";
  return text;
}

bool says(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

TEST(JobChanges, AreToldInTheirOrderWithTheUser) {
  const std::string text = why_changed(changed_job(), "build-17");
  const std::size_t first = text.find("It was changed:\n");
  const std::size_t second = text.find("priority set to 9, moved before build-16 by user 1000\n");
  const std::size_t third = text.find("  frozen by user 1000\n");
  const std::size_t last = text.find("  locks set to node exclusive:n1\n");
  ASSERT_NE(last, text.npos) << text;
  EXPECT_LT(first, second);
  EXPECT_LT(second, third);
  EXPECT_LT(third, last);
  EXPECT_FALSE(says(why_changed(one_job(), "17"), "changed"));
}

TEST(JobChanges, InJsonHaveWhatTheySetAndNothingElse) {
  const Story story = changed_job().story();
  const json::value job = json::parse(why_json(*story.find("17"), story));
  const json::array& changes = job.at("changes").as_array();
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].at("priority"), 9);
  EXPECT_EQ(changes[0].at("position"), "before");
  EXPECT_EQ(changes[0].at("of"), 16);
  EXPECT_EQ(changes[0].at("by"), 1000);
  EXPECT_FALSE(changes[0].as_object().contains("frozen"));
  EXPECT_EQ(changes[1].at("frozen"), true);
  EXPECT_EQ(changes[1].at("message"), "frozen by user 1000");
  EXPECT_EQ(changes[2].at("locks").at("node"), "exclusive:n1");
  EXPECT_TRUE(changes[2].at("by").is_null());
}

TEST(JobChanges, EachPartIsSaid) {
  record::JobChanged all{JobId{1}};
  all.queue = record::Name{"nightly"};
  all.place = "front";
  all.frozen = false;
  all.nice = -5;
  all.locks.emplace();
  all.global_lock = true;
  EXPECT_EQ(sentence_of(all, {}),
            "job 1 is changed: queue set to nightly, moved to the front, no longer frozen, "
            "nice set to -5, locks set to none, global lock set");
  EXPECT_EQ(sentence_of(record::JobChanged{JobId{1}}, {}), "job 1 is changed: changed")
      << "by a newer Sluice";
}

TEST(JobChanges, AMomentHasTheQueueThatTheJobWasMovedTo) {
  const auto queue_at = [](Duration moment) {
    record::JobChanged change = change_of(1);
    change.queue = record::Name{"nightly"};
    const auto until = [&](Duration at, const record::Entry& entry, SampleRecord& sample) {
      if (at <= moment) sample.add(at, entry);
    };
    SampleRecord sample;
    until(0s, submitted(1, ""), sample);
    until(5s, change, sample);
    const Story story = sample.story();
    const json::value shown =
        json::parse(moment_json(story, Surroundings(wall(moment)), {}, {}, 10));
    return std::string(shown.at("waiting").at(0).at("queue").as_string());
  };
  EXPECT_EQ(queue_at(4s), "gate");
  EXPECT_EQ(queue_at(5s), "nightly");
}

TEST(JobDemands, OfARecordOfAnEarlierSluiceAreUnknown) {
  const auto demands = [](const record::JobSubmitted& facts) {
    const Story story = SampleRecord().add(0s, facts).story();
    return json::parse(why_json(*story.find("1"), story));
  };
  record::JobSubmitted facts = submitted(1, "");
  EXPECT_EQ(demands(facts).at("global_lock"), false);
  EXPECT_EQ(demands(facts).at("on_failure"), "cancel");
  EXPECT_TRUE(demands(facts).at("reasons").as_array().empty());
  EXPECT_EQ(demands_text(facts), "");
  facts.on_failure = "";
  for (const char* each : {"global_lock", "on_failure", "reasons", "nice"}) {
    EXPECT_TRUE(demands(facts).at(each).is_null()) << each;
  }
  EXPECT_EQ(demands_text(facts), "");
  facts.global_lock = true;
  facts.on_failure = "hold";
  facts.nice = 3;
  facts.reasons = std::vector{record::Name{"audit"}, record::Name{"nightly"}};
  EXPECT_EQ(demands_text(facts),
            ", with the global lock, nice 3, on_failure hold, for audit and nightly");
}

TEST(OtherUsers, SeeThatAJobWasChangedButNoNames) {
  record::JobSubmitted theirs = submitted(2, "theirs");
  theirs.user = 1001;
  theirs.reasons = std::vector{record::Name{"audit"}};
  record::JobChanged change = change_of(2);
  change.priority = 4;
  change.queue = record::Name{"secret-queue"};
  change.locks = {std::pair(record::Name{"secret-level"}, record::Name{"exclusive:secret"})};
  SampleRecord sample;
  sample.add(0s, submitted(1, "mine")).add(0s, theirs).add(1s, change);
  change.job = JobId{1};
  sample.add(2s, change);
  Story story;
  sample.tell(naming_jobs_of("1000", [&](const record::Dated& each) { story.add(each); }));
  const std::string hidden = why_json(*story.find("2"), story);
  EXPECT_TRUE(says(hidden, "priority set to 4, queue set to (hidden), locks set to (hidden)\""))
      << hidden;
  EXPECT_FALSE(says(hidden, "secret")) << hidden;
  EXPECT_EQ(story.find("2")->queue(), "") << "as that of a job that was not moved";
  EXPECT_EQ(story.find("mine")->queue(), "secret-queue");
  EXPECT_FALSE(says(hidden, "audit")) << hidden;
  EXPECT_TRUE(says(why_json(*story.find("mine"), story), "secret-queue"));
}

}  // namespace
}  // namespace sluice::cli::testing
