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
                                       "/record has nothing of that time: it reaches from "))
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
