// `sluice whatif` and `sluice replay` on a record on disk.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <fstream>

#include "../../record/record_folder.h"
#include "../record/sample_record.h"
#include "contents.h"
#include "record/segment_writer.h"
#include "shell.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

using namespace std::chrono_literals;
using testing::wall;

/// Ten jobs of ten seconds, a second apart, that ran one at a time on two CPUs.
class RecordOnDisk : public ::testing::Test {
 protected:
  RecordOnDisk() {
    testing::SampleRecord sample;
    sample.add(0s, record::Configured{2000, Bytes{4ULL << 30}, {kOneAtATime}});
    for (int job = 1; job <= 10; ++job) {
      record::JobSubmitted submitted = testing::submitted(static_cast<std::uint64_t>(job), "");
      submitted.queue = {"default"};
      submitted.own_cost = Points{10};
      sample.add(std::chrono::seconds(job), submitted);
    }
    for (int job = 1; job <= 10; ++job) {
      const auto number = static_cast<std::uint64_t>(job);
      sample.add(std::chrono::seconds(10 * job - 9), testing::started(number));
      sample.add(std::chrono::seconds(10 * job + 1),
                 record::JobFinished{JobId{number}, "ok", "finish", "", true, 10s, 10s, Bytes{1}});
    }
    write(sample, folder_.path("record"));
  }

  static void write(const testing::SampleRecord& sample, const std::string& path) {
    std::vector<record::Timed> entries;
    sample.tell([&](const record::Dated& each) { entries.push_back({each.at, each.entry}); });
    std::ranges::stable_sort(entries, {}, &record::Timed::at);
    auto folder = record::RecordFolder::open_to_write(path);
    record::SegmentWriter writer(std::get<record::RecordFolder>(std::move(folder)), {},
                                 {"1.2.3", "boot"});
    EXPECT_FALSE(writer.append(entries, {TimePoint(101s), wall(101s)}));
  }

  sluice::testing::Answer call(const std::string& command, const std::string& options = "") const {
    return sluice::testing::answer_of(std::string(SLUICE_COMMAND) + " " + command + " " +
                                      folder_.path("") + " " + options + " 2>&1");
  }

  static constexpr const char* kOneAtATime =
      "window: {law: rfc, initial: 10, minimum: 10, maximum: 10}\nsensors: {load: off}\n";
  record::testing::Folder folder_;
};

TEST_F(RecordOnDisk, TheModelOfWhatHappenedIsWhatHappened) {
  const json::value answer = json::parse(call("whatif", "--json").text);
  EXPECT_EQ(answer.at("jobs").as_int64(), 10);
  for (const char* run : {"recorded", "model"}) {
    EXPECT_NEAR(answer.at(run).at("waits").at("p50_seconds").to_number<double>(), 36, 0.5) << run;
    EXPECT_NEAR(answer.at(run).at("makespan_seconds").to_number<double>(), 100, 0.5) << run;
  }
  EXPECT_TRUE(answer.at("variants").as_array().empty());
}

TEST_F(RecordOnDisk, WithoutCallsAReplayHasNothingToRepeatAndNamesTheModel) {
  for (const char* options : {"", "--json"}) {
    const auto answer = call("replay", options);
    EXPECT_EQ(answer.status, 2) << answer.text;
    EXPECT_TRUE(
        answer.text.starts_with("sluice replay: " + folder_.path("") + " has no calls to replay: "))
        << answer.text;
    EXPECT_NE(answer.text.find("sluice whatif, or --config FILE here, "), std::string::npos);
  }
}

TEST_F(RecordOnDisk, AnotherConfigurationIsComparedWithIt) {
  const std::string file = folder_.path("new.yaml");
  std::ofstream(file) << "window: {law: rfc, initial: 20, minimum: 20, maximum: 20}\n";
  const json::value answer = json::parse(call("replay", "--json --config " + file).text);
  const json::value& variant = answer.at("variants").at(0);
  EXPECT_EQ(variant.at("name").as_string(), file);
  EXPECT_NEAR(variant.at("makespan_seconds").to_number<double>(), 50, 1);
}

TEST_F(RecordOnDisk, AConfigurationThatCannotRunTheWorkFailsOnlyItsOwnRow) {
  const std::string good = folder_.path("good.yaml"), bad = folder_.path("bad.yaml");
  std::ofstream(good) << "window: {law: rfc, initial: 20, minimum: 20, maximum: 20}\n";
  std::ofstream(bad) << "queues: {other: {}}\n";
  const auto table = call("whatif", "--config " + bad + " --config " + good);
  EXPECT_EQ(table.status, 1) << table.text;
  EXPECT_NE(table.text.find(bad + " failed: job `1`: queue: there is no queue `default`"),
            std::string::npos)
      << table.text;
  const auto printed =
      sluice::testing::answer_of(std::string(SLUICE_COMMAND) + " whatif " + folder_.path("") +
                                 " --json --config " + bad + " --config " + good);
  EXPECT_EQ(printed.status, 1);
  const json::value answer = json::parse(printed.text);
  EXPECT_FALSE(answer.at("variants").at(0).at("failure").is_null());
  EXPECT_NEAR(answer.at("variants").at(1).at("makespan_seconds").to_number<double>(), 50, 1);
  const auto summary = call("replay", "--summary --config " + bad);
  EXPECT_EQ(summary.status, 2);
  EXPECT_NE(summary.text.find("the record under " + bad + ": job `1`: queue: "), std::string::npos)
      << summary.text;
}

TEST_F(RecordOnDisk, AGridIsATableWithTheBest) {
  const auto answer = call("whatif", "--set window.maximum=10,20 --set window.initial=20,10");
  EXPECT_EQ(answer.status, 2);
  EXPECT_NE(answer.text.find("window.initial"), std::string::npos) << answer.text;
  const std::string text = call("whatif", "--set window.maximum=10,20,40 --cpus 2,4").text;
  EXPECT_NE(text.find("window.maximum=40, 4 CPUs"), std::string::npos) << text;
  EXPECT_NE(text.find("  best\n"), std::string::npos) << text;
}

TEST_F(RecordOnDisk, TheRecordedConfigurationIsTheBestIfTheOnlyOtherOneIsWorse) {
  const std::string worse = "--cpus 0.5";
  const std::string text = call("whatif", worse).text;
  EXPECT_NE(text.find("  best\n0.5 CPUs "), std::string::npos) << text;
  const json::value answer = json::parse(call("whatif", worse + " --json").text);
  EXPECT_EQ(answer.at("best").as_string(), "model of the same");
}

TEST_F(RecordOnDisk, ItsRecordsCanBeSeenLikeThoseOfAScenario) {
  const std::string csv = folder_.path("window.csv");
  const auto answer = call("replay", "--summary --csv " + csv);
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_NE(answer.text.find("10 jobs submitted, 10 ended ok"), std::string::npos) << answer.text;
  EXPECT_EQ(sluice::testing::contents_of(csv).substr(0, 30), "t,window,usage,running,pending");
}

TEST_F(RecordOnDisk, ExportedAsAScenarioItDoesTheSame) {
  const std::string file = folder_.path("day.yaml");
  const auto exported = call("record export --scenario " + file + " --state-dir");
  ASSERT_EQ(exported.status, 0) << exported.text;
  const auto replay = sluice::testing::answer_of(std::string(SLUICE_COMMAND) + " replay " + file);
  ASSERT_EQ(replay.status, 0) << replay.text;
  EXPECT_EQ(replay.text, call("replay", "-o /dev/stdout").text);
  EXPECT_NE(replay.text.find(R"("event":"finished","job":"10")"), std::string::npos);
}

TEST_F(RecordOnDisk, APartExportedAsAScenarioBeginsWithTheJobThatRan) {
  const std::string file = folder_.path("part.yaml");
  const auto exported =
      call("record export --scenario " + file + " --from 2026-01-01T00:00:09.5Z --state-dir");
  ASSERT_EQ(exported.status, 0) << exported.text;
  const auto replay = sluice::testing::answer_of(std::string(SLUICE_COMMAND) + " replay " + file);
  ASSERT_EQ(replay.status, 0) << replay.text;
  EXPECT_TRUE(replay.text.starts_with(R"({"t":0.0,"event":"admitted","job":"1","cost":10,)"))
      << replay.text;
  EXPECT_NE(replay.text.find(R"({"t":1.0,"event":"finished","job":"1",)"), std::string::npos)
      << replay.text;
  EXPECT_EQ(replay.text.find(R"("event":"submitted","job":"1"})"), std::string::npos);
}

TEST_F(RecordOnDisk, WithoutAVariantItsRemarksArePrintedToo) {
  testing::SampleRecord sample;
  sample.add(0s, record::Configured{2000, Bytes{4ULL << 30}, {kOneAtATime}})
      .add(0s, record::Level{})
      .add(5s, testing::started(1))
      .add(15s, record::JobFinished{JobId{1}, "ok", "finish", "", true, 10s, 10s, Bytes{1}});
  const std::string other = folder_.path("other");
  write(sample, other);
  for (const char* options : {"", " --cpus 2"}) {
    const auto answer =
        sluice::testing::answer_of(std::string(SLUICE_COMMAND) + " whatif " + other + options);
    EXPECT_EQ(answer.status, 0);
    EXPECT_NE(answer.text.find("jobs whose submission is not on record: 1, "), std::string::npos)
        << answer.text;
  }
}

TEST_F(RecordOnDisk, ATimeThatItLacksIsNamedWithoutTheVariant) {
  const auto outside = call("whatif", "--cpus 2 --to 2025-12-31T12:00:00Z");
  EXPECT_EQ(outside.status, 2);
  EXPECT_TRUE(outside.text.starts_with("sluice whatif: the record in " + folder_.path("/record") +
                                       " has no entries for that time: it covers "))
      << outside.text;
  const auto jobless = call("whatif", "--cpus 2 --to 2026-01-01T00:00:00Z");
  EXPECT_EQ(jobless.status, 2);
  EXPECT_TRUE(
      jobless.text.ends_with("/record: the record has no jobs of that time: choose --from "
                             "and --to within its span, which sluice record list shows\n"))
      << jobless.text;
  const auto exported = call("record export --scenario " + folder_.path("no.yaml") +
                             " --to 2025-12-31T12:00:00Z --state-dir");
  EXPECT_EQ(exported.status, 2);
  EXPECT_NE(exported.text.find(" has no entries for that time: "), std::string::npos)
      << exported.text;
  EXPECT_FALSE(std::filesystem::exists(folder_.path("no.yaml")));
}

TEST_F(RecordOnDisk, BadInputIsNamed) {
  const auto has = [](const sluice::testing::Answer& answer, const std::string& part) {
    EXPECT_EQ(answer.status, 2) << answer.text;
    EXPECT_TRUE(answer.text.starts_with("sluice whatif: ")) << answer.text;
    EXPECT_NE(answer.text.find(part), std::string::npos) << answer.text;
  };
  has(call("whatif", "--set window.lw=rfc"), "unknown key `lw`; did you mean `law`?");
  has(call("whatif", "--set nosuch.x=1"), "whatif: --set nosuch.x=1: unknown key `nosuch`; ");
  has(call("whatif", "--set window.law=knee,foo"),
      "whatif: --set window.law=foo: window.law must ");
  has(call("whatif", "--cpus two"), "--cpus: `two` is not a number above 0");
  has(call("whatif", "--config " + folder_.path("none.yaml")), "none.yaml: cannot be read: ");
  has(call("whatif", "--from sometime"), "--from: `sometime` is not a time such as ");
  has(call("whatif", "--to 2026-01-01T00:00:00Z --from 2025-01-01T00:00:00Z"),
      "record: the record has no jobs of that time: choose --from and --to within its span, which "
      "sluice record list shows\n");
  has(call("whatif", "--from 2026-02-30T12:00:00Z"), "--from: `2026-02-30T12:00:00Z` does not ");
  has(call("whatif", "--from 2m --to 2h"), "sluice whatif: --from 2m is after --to 2h: ");
  has(call("whatif", "--plot waits.pdf"), "--plot: ");
  std::filesystem::remove_all(folder_.path("record"));
  has(call("whatif"), "no record: ");
}

}  // namespace
}  // namespace sluice::cli
