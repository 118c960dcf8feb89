// `sluice record tail` and `export` of a record on disk.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>

#include "../../record/record_folder.h"
#include "cli/record/moment.h"
#include "cli/record/span.h"
#include "cli/record/why.h"
#include "sample_record.h"
#include "shell.h"

namespace sluice::cli::testing {
namespace {
namespace json = boost::json;
using sluice::testing::Answer;
using sluice::testing::answer_of;

record::Level level(std::int64_t busy) { return {Points{20}, Points{0}, 0, 0, busy, 10}; }

class RecordCommand : public ::testing::Test {
 protected:
  void write(const SampleRecord& sample) const { write_record(sample, state_); }
  Answer call(const std::string& words) const {
    return answer_of(std::string(SLUICE_COMMAND) + " record " + words + " --state-dir " + state_);
  }
  /// The lines of `tail`, without times.
  std::vector<std::string> tail(const std::string& options) const {
    std::vector<std::string> lines;
    std::string text = call("tail " + options).text;
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
      const std::size_t time = local_time(wall(0s)).size() + 2;
      lines.push_back(text.substr(0, end).substr(std::min(time, end)));
      text.erase(0, end + 1);
    }
    return lines;
  }

  record::testing::Folder folder_;
  const std::string state_ = folder_.path("state");
};

TEST_F(RecordCommand, TailLeavesOutALevelThatReadsLikeTheOneBefore) {
  SampleRecord sample;
  sample.add(1s, submitted(1, "a")).add(2s, level(340));
  for (int second = 3; second < 60; ++second) sample.add(std::chrono::seconds(second), level(341));
  sample.add(60s, record::Pressures{{{{"load"}, 500}}}).add(61s, level(342)).add(62s, level(350));
  write(sample);
  EXPECT_EQ(tail("-n 4"),
            (std::vector<std::string>{
                "job a is submitted to gate, key g++: 10 points",
                "0 of 20 points in use, 0 run, 0 wait; 34% busy, 0.01 tasks wait for each CPU",
                "pressures: load 0.50",
                "0 of 20 points in use, 0 run, 0 wait; 35% busy, 0.01 tasks wait for each CPU"}));
}

TEST_F(RecordCommand, TailLeavesOutWhatIsToldAgain) {
  SampleRecord sample;
  sample.add(1s, submitted(1, "a")).add(2s, told_again(1, "a", 1s)).add(2s, record::Restated{1});
  sample.add(3s, told_again(2, "b", 1s)).add(3s, record::Restated{1, 5, {}});
  write(sample);
  EXPECT_EQ(tail("-n 9"),
            (std::vector<std::string>{"a segment of Sluice 1.2.3 begins",
                                      "job a is submitted to gate, key g++: 10 points",
                                      "1 job told again, 5 more not"}));
}

TEST_F(RecordCommand, ANameIsNoCommandToATerminalInJsonEither) {
  write(SampleRecord().add(1s, submitted(1, "a\u009b2J\u202e")));
  const std::string escaped = R"(a\u009b2J\u202e)";
  for (const std::string words : {"why 1 --json", "why --at 0s --json", "record tail --json"}) {
    const Answer answer =
        answer_of(std::string(SLUICE_COMMAND) + " " + words + " --state-dir " + state_);
    EXPECT_NE(answer.text.find(escaped), std::string::npos) << answer.text;
    EXPECT_EQ(answer.text.find("\u009b"), std::string::npos) << words;
  }
}

TEST_F(RecordCommand, TailPrintsALevelAgainOnceTheOneBeforeIsNotAmongItsLines) {
  write(SampleRecord()
            .add(1s, level(340))
            .add(2s, submitted(1, "a"))
            .add(3s, submitted(2, "b"))
            .add(4s, level(340)));
  const std::vector<std::string> two = tail("-n 2"), three = tail("-n 3");
  ASSERT_EQ(two.size(), 2U);
  EXPECT_TRUE(two.back().starts_with("0 of 20 points")) << two.back();
  ASSERT_EQ(three.size(), 3U);
  EXPECT_TRUE(three.back().starts_with("job b is submitted")) << three.back();
}

TEST_F(RecordCommand, TailHasTheCpusOfALevelInJson) {
  record::Level unmeasured = level(0);
  unmeasured.busy = unmeasured.waiting = std::nullopt;
  write(SampleRecord().add(1s, unmeasured).add(2s, level(345)));
  const std::string text = call("tail -n 2 --json").text;
  const json::value first = json::parse(text.substr(0, text.find('\n')));
  const json::value second = json::parse(text.substr(text.find('\n') + 1));
  EXPECT_TRUE(first.at("busy").is_null());
  EXPECT_TRUE(first.at("waiting").is_null());
  EXPECT_EQ(second.at("at"), "2026-01-01T00:00:02.000Z");
  EXPECT_EQ(second.at("type"), "level");
  EXPECT_EQ(second.at("busy"), 0.345);
  EXPECT_EQ(second.at("waiting"), 0.01);
}

TEST_F(RecordCommand, ExportTakesTheTimesThatTailPrintsInJson) {
  write(SampleRecord().add(1s, level(1)).add(2s + 327654us, level(2)).add(3s, level(3)));
  const auto traced = call("export --from 2026-01-01T00:00:02.327Z --to 2026-01-01T00:00:02.327Z");
  ASSERT_EQ(traced.status, 0) << traced.text;
  const json::array events = json::parse(traced.text).at("traceEvents").as_array();
  const auto busy = std::ranges::count_if(
      events, [](const json::value& each) { return each.at("name") == "busy"; });
  EXPECT_EQ(busy, 1) << "the entry is within the millisecond that was printed";
}

TEST_F(RecordCommand, ExportRefusesToHideNamesInAScenario) {
  const Answer answer = call("export --names-of nobody --scenario " + state_ + "/day.yaml");
  EXPECT_EQ(answer.status, 2);
  EXPECT_NE(answer.text.find("--names-of is not for --scenario"), std::string::npos);
}

TEST_F(RecordCommand, ExportRefusesATimeThatTheRecordDoesNotReach) {
  write(SampleRecord().add(10s, level(1)).add(20s, level(2)));
  const std::string nothing = "sluice record export: the record in " + state_ +
                              "/record has no entries for that time: it covers " +
                              local_time(wall(10s)) + " to " + local_time(wall(1h)) + "\n";
  for (const char* span : {"--to 2026-01-01T00:00:09Z", "--from 2026-01-01T01:00:00.001Z"}) {
    const Answer answer = call(std::string("export ") + span);
    EXPECT_EQ(answer.status, 2) << span;
    EXPECT_EQ(answer.text, nothing) << span;
  }
  EXPECT_EQ(call("export --to 2026-01-01T00:00:10Z").status, 0);
  EXPECT_EQ(call("export --from 2026-01-01T01:00:00Z").status, 0);
}

TEST_F(RecordCommand, ExportNamesTheOptionThatIsNoTime) {
  write(SampleRecord().add(1s, level(1)));
  for (const char* option : {"--from", "--to"}) {
    for (const char* time : {"-5h", "2026-02-30T12:00", "soon"}) {
      const Answer answer = call(std::string("export ") + option + "=" + time);
      EXPECT_EQ(answer.status, 2) << time;
      EXPECT_TRUE(answer.text.starts_with(std::string("sluice record export: ") + option + ": `" +
                                          time + "` "))
          << answer.text;
      EXPECT_TRUE(answer.text.ends_with(std::string(kMomentForms) + "\n")) << answer.text;
    }
  }
}

TEST_F(RecordCommand, WhyHintsAtHashedNamesIfItDoesNotFindAJob) {
  const auto complaint = [&](const std::string& configuration) {
    const std::string state = folder_.path(configuration);
    write_record(SampleRecord()
                     .add(1s, record::Configured{2000, Bytes{1 << 30}, {configuration}})
                     .add(2s, submitted(1, "#00000000000000aa")),
                 state);
    RecordQuery query;
    query.place.state_dir = state;
    query.job = "build-1";
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(cli::why(query, [](Duration) {}), 2);
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_TRUE(complaint("#0123456789abcdef")
                  .ends_with("has no job `build-1` (sluice record list shows its span; its names "
                             "are hashed: give the job's number)\n"));
  EXPECT_TRUE(complaint("{}").ends_with("(sluice record list shows its span)\n"));
}

TEST(Spans, EndAfterTheyBegin) {
  const auto span = span_between("2m", "1m", wall(1h));
  ASSERT_TRUE(std::holds_alternative<Span>(span));
  EXPECT_EQ(std::get<Span>(span).from, wall(58min));
  EXPECT_EQ(std::get<Span>(span).to, wall(59min + 1ms - 1ns));
  EXPECT_EQ(std::get<Span>(span_between("", "", wall(1h))), Span{});
  EXPECT_TRUE(std::holds_alternative<Span>(span_between("1m", "1m", wall(1h))));
  const auto reversed = span_between("1m", "2m", wall(1h));
  ASSERT_TRUE(std::holds_alternative<std::string>(reversed));
  EXPECT_TRUE(std::get<std::string>(reversed).starts_with("--from 1m is after --to 2m: "))
      << std::get<std::string>(reversed);
}

TEST(Spans, WithoutBordersAreInEveryRecord) {
  EXPECT_EQ(RecordPart({}).problem("/record"), std::nullopt);
  EXPECT_EQ(RecordPart({wall(1h)}).problem("/record"), "the record in /record is empty");
}

}  // namespace
}  // namespace sluice::cli::testing
