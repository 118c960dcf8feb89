#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "../../record/record_folder.h"
#include "cli/history_errors.h"
#include "sample_record.h"
#include "shell.h"

namespace sluice::cli::testing {
namespace {
namespace json = boost::json;
using sluice::testing::Answer;
using sluice::testing::answer_of;

constexpr std::uint64_t kMiB = 1 << 20;

/// Runs of jobs one after the other, each for ten seconds; 512 MiB are expected and 1 GiB is kept.
class Runs {
 public:
  Runs() { sample_.add(0s, record::SegmentStart{"1.2.3", "boot"}); }

  Runs& run(const std::string& key, std::uint64_t peak_mib) {
    return run(key, {{}, "ok", "finish", "", true, 6s, 9s, Bytes{peak_mib * kMiB}, 1500ms});
  }
  Runs& run(const std::string& key, record::JobFinished end) {
    auto job = submitted(++last_, "");
    job.key.text = key;
    job.user = user_;
    auto start = started(last_);
    start.expected_time = 10s;
    end.job = start.job;
    const Duration from = std::chrono::seconds(20 * last_);
    sample_.add(from, job).add(from, start).add(from + 10s, end);
    return *this;
  }
  Runs& user(std::uint32_t user) {
    user_ = user;
    return *this;
  }

  std::vector<PredictedRun> between(const Span& span) const {
    PredictedRuns runs;
    sample_.tell_part(span, [&](const auto& each, Side side) { runs.add(each, side); });
    return runs.ended();
  }
  std::vector<PredictedRun> ended() const { return between({}); }
  PredictionErrors errors() const { return errors_of(ended()); }
  const SampleRecord& sample() const { return sample_; }

 private:
  SampleRecord sample_;
  std::uint64_t last_ = 0;
  std::uint32_t user_ = 1000;
};

TEST(HistoryErrors, AJobToldAgainCountsToItsKey) {
  PredictedRuns runs;
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(1s, told_again(1, "", 0s))
      .add(2s, started(1))
      .add(3s, record::JobFinished{JobId{1}, "ok", "finish", "", true, 1s, 1s, Bytes{kMiB}});
  sample.tell([&](const record::Dated& each) { runs.add(each, Side::within); });
  ASSERT_EQ(runs.ended().size(), 1U);
  EXPECT_EQ(runs.ended().front().key, "g++");
}

/// What is told of the runs of a sample.
PredictedRuns runs_of(const SampleRecord& sample, const Span& span = {}) {
  PredictedRuns runs;
  sample.tell_part(span, [&](const auto& each, Side side) { runs.add(each, side); });
  return runs;
}

record::JobFinished finished(std::uint64_t job) {
  return {JobId{job}, "ok", "finish", "", true, 20s, 40s, Bytes{kMiB}};
}

/// Not measured, since the connection or the process on which it hung has gone.
record::JobFinished gone(std::uint64_t job, const std::string& ended_by) {
  return {JobId{job}, "cancelled", ended_by, "", false, 0s, 0s, Bytes{}};
}

/// Jobs 1 and 2 run, and the daemon stops or is killed; what comes at 20 s.
SampleRecord two_runs() {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"});
  for (const std::uint64_t job : {1, 2}) sample.add(1s, submitted(job, "")).add(2s, started(job));
  return sample;
}

SampleRecord stopped_runs() {
  SampleRecord sample = two_runs();
  return sample.add(20s, record::DaemonEvent{"stopping", {"SIGTERM"}})
      .add(20s, gone(1, "connection"))
      .add(20s, gone(2, "connection"));
}

/// The next daemon at 30 s, which takes over these jobs.
SampleRecord& restart(SampleRecord& sample, std::vector<JobId> jobs,
                      const std::vector<record::JobFinished>& ended_meanwhile = {}) {
  sample.add(30s, record::SegmentStart{"1.2.3", "boot"});
  for (const record::JobFinished& each : ended_meanwhile) sample.add(29s, each);
  sample.add(29s, record::DaemonEvent{"started", {"1.2.3"}, jobs});
  for (const JobId each : jobs) sample.add(29s, told_again(each.value, "", 1s, 2s));
  return sample.add(29s, record::Restated{jobs.size()});
}

TEST(HistoryErrors, ARunThatTheNextDaemonTakesOverAfterAStopCounts) {
  SampleRecord sample = stopped_runs();
  restart(sample, {JobId{1}}).add(42s, finished(1));
  const PredictedRuns runs = runs_of(sample);
  ASSERT_EQ(runs.ended().size(), 1U);
  EXPECT_EQ(runs.ended()[0].held, 40s) << "from its start, which the daemon before recorded";
  EXPECT_EQ(runs.ended()[0].expected_time, 60s);
  EXPECT_EQ(runs.unjudged(), 1U) << "nobody knows what the other one used";
}

TEST(HistoryErrors, ARunThatTheNextDaemonTakesOverAfterAKillCounts) {
  SampleRecord sample = two_runs();
  restart(sample, {JobId{1}}).add(42s, finished(1));
  EXPECT_EQ(runs_of(sample).ended().size(), 1U);
  EXPECT_EQ(runs_of(sample).unjudged(), 1U);
}

TEST(HistoryErrors, ARunThatEndedWhileNoDaemonRanCannotBeJudged) {
  SampleRecord killed = two_runs(), stopped = stopped_runs();
  restart(killed, {JobId{1}}, {gone(2, "process")});
  restart(stopped, {JobId{1}}, {gone(2, "process")});
  EXPECT_EQ(runs_of(killed).unjudged(), 1U);
  EXPECT_EQ(runs_of(stopped).unjudged(), 1U);
}

TEST(HistoryErrors, ARunThatIsCancelledWhileTheDaemonRunsIsNotOneThatCannotBeJudged) {
  SampleRecord sample = two_runs();
  sample.add(5s, gone(1, "connection")).add(6s, gone(2, "process"));
  EXPECT_EQ(runs_of(sample).unjudged(), 0U);
  restart(sample, {});
  EXPECT_EQ(runs_of(sample).unjudged(), 0U);
}

TEST(HistoryErrors, ARunWhoseStartIsNotOnRecordCannotBeJudged) {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(3s, told_again(1, "", 1s, 2s))
      .add(42s, finished(1));
  EXPECT_TRUE(runs_of(sample).ended().empty());
  EXPECT_EQ(runs_of(sample).unjudged(), 1U);
}

TEST(HistoryErrors, ARunAfterAGapCountsIfItsStartAndItsEndAreOnRecord) {
  SampleRecord sample = two_runs();
  sample.add(10s, record::Gap{3, TimePoint(9s), TimePoint(10s), "full"}).add(42s, finished(1));
  EXPECT_EQ(runs_of(sample).ended().size(), 1U);
  EXPECT_EQ(runs_of(sample).unjudged(), 1U);
  sample.add(43s, told_again(2, "", 1s, 2s));
  EXPECT_EQ(runs_of(sample).unjudged(), 0U) << "the other one still runs";
}

TEST(HistoryErrors, AParentThatWasTakenOverCannotBeJudged) {
  SampleRecord sample = two_runs();
  record::JobSubmitted child = submitted(3, "");
  child.parent = JobId{1};
  sample.add(10s, child);
  restart(sample, {JobId{1}, JobId{2}}).add(42s, finished(1)).add(42s, finished(2));
  EXPECT_EQ(runs_of(sample).ended().size(), 1U);
  EXPECT_EQ(runs_of(sample).unjudged(), 1U) << "its peak beside its children is that of the rest";
}

TEST(HistoryErrors, RunsThatWereLostOutsideTheSpanAreNotThoseOfIt) {
  SampleRecord sample = stopped_runs();
  restart(sample, {JobId{1}}).add(42s, finished(1)).add(50s, record::Level{});
  EXPECT_EQ(runs_of(sample, {wall(25s), wall(50s)}).unjudged(), 0U);
  EXPECT_EQ(runs_of(sample, {wall(25s), wall(50s)}).ended().size(), 1U);
  EXPECT_EQ(runs_of(sample, {wall(10s), wall(25s)}).unjudged(), 1U);
}

TEST(HistoryErrors, SayHowManyRunsCouldNotBeJudged) {
  const auto text = [](std::uint64_t unjudged) {
    return errors_text({}, ErrorRows::worst, unjudged);
  };
  const std::string why =
      " could not be judged: the start, or the end with what was used, is not "
      "on record.\n";
  EXPECT_TRUE(text(1).ends_with("\n1 run" + why)) << text(1);
  EXPECT_TRUE(text(12).ends_with("\n12 runs" + why)) << text(12);
  EXPECT_EQ(text(0).find("judged"), std::string::npos);
  EXPECT_EQ(json::parse(errors_json({}, 12)).at("unjudged").to_number<int>(), 12);
}

Runs some_runs() {
  Runs runs;
  for (int run = 0; run < 6; ++run) runs.run("g++:main.cpp", 512);
  for (int run = 0; run < 5; ++run) runs.run("tests", run < 4 ? 768 : 1025);
  runs.run("once", 5);
  return runs;
}

TEST(HistoryErrors, ListTheWorstKeysFirstAndConclude) {
  EXPECT_EQ(
      errors_text(some_runs().errors(), ErrorRows::worst),
      R"(KEY           RUNS  COLD  ABOVE               KEPT  UNUSED            MEMORY             CORES  TIME
tests            2     3      1  50.0%  20.0 GiB·s   12.5%  1.50 (1.50-2.00)  0.56 (0.56-0.56)  0.90 (0.90-0.90)
g++:main.cpp     3     3      0  0.00%  30.0 GiB·s   50.0%  1.00 (1.00-1.00)  0.56 (0.56-0.56)  0.90 (0.90-0.90)
once             0     1      -      -           -       -                 -                 -  -
(all)            5     7      1  20.0%  50.0 GiB·s   35.0%  1.00 (1.00-2.00)  0.56 (0.56-0.56)  0.90 (0.90-0.90)
(cold runs)            7      0  0.00%  70.0 GiB·s   46.4%  1.00 (0.01-1.50)  0.56 (0.56-0.56)  0.90 (0.90-0.90)

1 of 5 warm peaks were above the memory kept for them, 20.0% (95% interval: 3.62% to 62.4%), and 35.0% of the memory kept was never used.
)");
}

TEST(HistoryErrors, SumUpAllButTheWorstUnlessAllAreAskedFor) {
  Runs runs;
  for (int key = 100; key < 130; ++key) runs.run("key" + std::to_string(key), 512);
  const PredictionErrors errors = runs.errors();
  const std::string worst = errors_text(errors, ErrorRows::worst);
  EXPECT_NE(worst.find("\nkey119 "), worst.npos) << worst;
  EXPECT_EQ(worst.find("\nkey120 "), worst.npos) << worst;
  EXPECT_NE(worst.find("\n(10 more keys, see --all)     0    10 "), worst.npos) << worst;
  EXPECT_NE(worst.find("\n\nNo warm run had memory kept for it: "), worst.npos) << worst;
  const std::string all = errors_text(errors, ErrorRows::all);
  EXPECT_NE(all.find("\nkey129 "), all.npos) << all;
  EXPECT_EQ(all.find("more keys"), all.npos) << all;
}

TEST(HistoryErrors, SayTheSameAsJson) {
  const json::value errors = json::parse(errors_json(some_runs().errors()));
  EXPECT_EQ(errors.at("keys").at(0).at("key").as_string(), "tests");
  EXPECT_EQ(errors.at("keys").at(2).at("warm").at("used_by_expected").at("memory"), nullptr);
  const json::value& warm = errors.at("warm");
  EXPECT_EQ(warm.at("runs").to_number<int>(), 5);
  EXPECT_EQ(warm.at("kept").at("above").to_number<int>(), 1);
  EXPECT_DOUBLE_EQ(warm.at("kept").at("above_ratio").to_number<double>(), 0.2);
  EXPECT_NEAR(warm.at("kept").at("above_low").to_number<double>(), 0.0362, 5e-5);
  EXPECT_EQ(warm.at("kept").at("byte_seconds").to_number<std::uint64_t>(), 51'200 * kMiB);
  EXPECT_EQ(warm.at("kept").at("unused_byte_seconds").to_number<std::uint64_t>(), 17'920 * kMiB);
  EXPECT_DOUBLE_EQ(warm.at("used_by_expected").at("memory").at("p95").to_number<double>(),
                   1025.0 / 512);
  EXPECT_EQ(errors.at("cold").at("runs").to_number<int>(), 7);
}

TEST(HistoryErrors, LeaveOutJobsWhoseNeedNobodySaw) {
  const Bytes peak{kMiB};
  EXPECT_TRUE(Runs()
                  .run("k", {{}, "cancelled", "finish", "", true, 6s, 9s, peak})
                  .run("k", {{}, "ok", "finish", "", false, {}, {}, {}})
                  .run("k", {{}, "ok", "process", "", true, 6s, 9s, peak})
                  .run("k", {{}, "unknown", "connection", "", true, 6s, 9s, peak})
                  .ended()
                  .empty());
  const auto killed = Runs().run("k", {{}, "oom", "connection", "", true, 6s, 9s, peak}).errors();
  EXPECT_EQ(killed.cold.memory_kept.above, 1U);
}

TEST(HistoryErrors, AJobThatNeverStartedIsNone) {
  SampleRecord sample;
  sample.add(0s, submitted(1, "a"))
      .add(9s, record::JobFinished{JobId{1}, "ok", "finish", "", true, 6s, 9s, Bytes{1}})
      .add(10s, record::JobFinished{JobId{2}, "ok", "finish", "", true, 6s, 9s, Bytes{1}});
  PredictedRuns runs;
  sample.tell([&](const record::Dated& each) { runs.add(each, Side::within); });
  EXPECT_TRUE(runs.ended().empty());
}

TEST(HistoryErrors, ARunIsWarmByEarlierRunsOfItsKeyAndUser) {
  Runs runs;
  for (int run = 0; run < 4; ++run) runs.run("k", 1);
  runs.user(1001).run("k", 1).run("other", 1);
  std::vector<std::size_t> earlier;
  for (const PredictedRun& each : runs.ended()) earlier.push_back(each.earlier);
  EXPECT_EQ(earlier, (std::vector<std::size_t>{0, 1, 2, 3, 0, 0}));
}

TEST(HistoryErrors, RunsBeforeTheSpanMakeThoseInItWarm) {
  Runs runs;
  for (int run = 0; run < 5; ++run) runs.run("k", 512);
  // The fourth ends at 90 s, the fifth at 110 s.
  const auto ended = runs.between({wall(90s), wall(109s)});
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_TRUE(ended[0].is_warm());
  EXPECT_EQ(ended[0].held, 10s);
}

class HistoryErrorsCommand : public ::testing::Test {
 protected:
  Answer call(const std::string& words) const {
    return answer_of(std::string(SLUICE_COMMAND) + " history --state-dir " + state_ + " " + words);
  }
  void write(const SampleRecord& sample) const { write_record(sample, state_); }

  record::testing::Folder folder_;
  const std::string state_ = folder_.path("state");
};

TEST_F(HistoryErrorsCommand, ReadsTheRecord) {
  write(some_runs().sample());
  const Answer answer = call("--errors");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.text, errors_text(some_runs().errors(), ErrorRows::worst));
  EXPECT_EQ(call("--errors --all").text, errors_text(some_runs().errors(), ErrorRows::all));
  EXPECT_EQ(call("--errors --json").text, errors_json(some_runs().errors()));
}

TEST_F(HistoryErrorsCommand, NamesRunsThatCouldNotBeJudged) {
  write(stopped_runs());
  const Answer none = call("--errors");
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.text.find("\n2 runs could not be judged: "), none.text.npos) << none.text;
}

TEST_F(HistoryErrorsCommand, OfASpanCountsWhatEndedInIt) {
  write(some_runs().sample());
  const json::value errors = json::parse(
      call("--errors --json --from 2026-01-01T00:01:40Z --to 2026-01-01T00:01:55Z").text);
  EXPECT_EQ(errors.at("warm").at("runs").to_number<int>(), 1);
  EXPECT_EQ(errors.at("cold").at("runs").to_number<int>(), 0);
}

TEST_F(HistoryErrorsCommand, SaysWhatIsMissing) {
  const Answer none = call("--errors");
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.text.find("no record: "), none.text.npos) << none.text;
  write(Runs().sample());
  const std::string here = "sluice history: the record in " + state_ + "/record has no measured ";
  EXPECT_EQ(call("--errors").text, here + "job that ended (sluice record list shows its span)\n");
  const Answer nothing_then = call("--errors --to 2026-01-01T00:10:00Z");
  EXPECT_EQ(nothing_then.status, 2);
  EXPECT_EQ(nothing_then.text, here + "job that ended then (sluice record list shows its span)\n");
  const Answer outside = call("--errors --to 2025-12-31T23:59:59Z");
  EXPECT_EQ(outside.status, 2);
  EXPECT_TRUE(outside.text.starts_with("sluice history: the record in " + state_ +
                                       "/record has no entries for that time: it covers "))
      << outside.text;
  EXPECT_EQ(call("--errors --from soon").text.substr(0, 45),
            "sluice history: --from: `soon` is not a time ");
  for (const char* words : {"--errors --from soon", "--errors --from 1m --to 2m", "--errors key",
                            "--all", "--from 1h"}) {
    EXPECT_EQ(call(words).status, 2) << words;
  }
}

}  // namespace
}  // namespace sluice::cli::testing
