// `sluice why --at`, `record export` and `history --errors` for a time that the wall clock passed
// twice.
#include "cli/record/occurrence.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "../../record/record_folder.h"
#include "cli/record/moment.h"
#include "cli/record/surroundings.h"
#include "sample_record.h"
#include "shell.h"

namespace sluice::cli::testing {
namespace {
namespace json = boost::json;
using sluice::testing::Answer;
using sluice::testing::answer_of;

record::JobFinished finished(std::uint64_t job) {
  return {JobId{job}, "ok", "finish", "", true, 76s, 95s, Bytes{1 << 28}};
}

record::WindowChanged cut() { return {Points{40}, Points{20}, "red", {"load"}, {""}, 0, 0, 0}; }

/// After 600 s the clock is set back by 300 s: job 1 runs in the first of both passages, job 3 in
/// the second, and job 2 in both.
void write_clock_set_back(const std::string& state) {
  std::filesystem::create_directory(state);
  auto folder = record::RecordFolder::open_to_write(state + "/record");
  record::SegmentWriter writer(std::move(std::get<record::RecordFolder>(folder)), {},
                               {"1.2.3", "boot"});
  writer.append({{TimePoint(100s), submitted(1, "first")},
                 {TimePoint(101s), started(1)},
                 {TimePoint(102s), submitted(2, "both")},
                 {TimePoint(103s), started(2)},
                 {TimePoint(300s), cut()},
                 {TimePoint(500s), finished(1)},
                 {TimePoint(540s), cut()},
                 {TimePoint(600s), record::Level{Points{40}, Points{10}, 1, 0, {}, {}}}},
                record::testing::clocks(600s));
  writer.append({{TimePoint(650s), submitted(3, "second")},
                 {TimePoint(651s), started(3)},
                 {TimePoint(660s), cut()},
                 {TimePoint(900s), cut()},
                 {TimePoint(950s), finished(2)}},
                {TimePoint(1000s), wall(700s)});
}

class OccurrenceCommand : public ::testing::Test {
 protected:
  OccurrenceCommand() { write_clock_set_back(state_); }

  static std::string time(Duration since_boot) {
    const auto at =
        std::chrono::duration_cast<std::chrono::seconds>(wall(since_boot).time_since_epoch());
    return "@" + std::to_string(at.count());
  }
  Answer call(const std::string& words) const {
    return answer_of(std::string(SLUICE_COMMAND) + " " + words + " --state-dir " + state_ +
                     " 2>/dev/null");
  }
  Answer why_at(Duration since_boot, const std::string& options) const {
    return call("why --at " + time(since_boot) + " " + options);
  }
  /// The ids of the jobs that ran, in their order.
  std::string ran_at(Duration since_boot, const std::string& options) const {
    const json::value shown = json::parse(why_at(since_boot, "--json " + options).text);
    std::string ids = std::to_string(shown.at("occurrence").to_number<int>()) + "/" +
                      std::to_string(shown.at("occurrences").to_number<int>());
    for (const json::value& each : shown.at("running").as_array()) {
      ids += " " + std::string(each.at("id").as_string());
    }
    return ids;
  }

  record::testing::Folder folder_;
  const std::string state_ = folder_.path("state");
};

TEST_F(OccurrenceCommand, AJobThatEndedBeforeTheClockWasSetBackDoesNotRun) {
  EXPECT_EQ(ran_at(450s, ""), "2/2 both second");
  EXPECT_EQ(ran_at(450s, "--occurrence 2"), "2/2 both second");
}

TEST_F(OccurrenceCommand, TheFirstOneCanBeChosen) {
  EXPECT_EQ(ran_at(450s, "--occurrence 1"), "1/2 first both");
}

TEST_F(OccurrenceCommand, ATimeThatOccurredOnceHasOne) {
  EXPECT_EQ(ran_at(200s, ""), "1/1 first both");
  EXPECT_EQ(ran_at(650s, ""), "1/1 second") << "both ended when the clock showed 650 s";
  EXPECT_EQ(ran_at(1h, ""), "1/1 second") << "after the end of the record";
}

TEST_F(OccurrenceCommand, PeopleAreToldOfBoth) {
  const std::string head = local_time(wall(450s)) +
                           " occurred twice: the clock was set back by 5 min 00 s at " +
                           local_time(wall(600s)) + ". ";
  EXPECT_EQ(
      why_at(450s, "").text.find(head + "The last is shown; --occurrence 1 shows the other.\n"), 0U)
      << why_at(450s, "").text;
  EXPECT_EQ(why_at(450s, "--occurrence 1")
                .text.find(head + "Number 1 is shown; without --occurrence, the last.\n"),
            0U);
  EXPECT_EQ(why_at(200s, "").text.find("occurred"), std::string::npos);
  EXPECT_NE(why_at(450s, "").text.find("  second  g++"), std::string::npos);
}

TEST_F(OccurrenceCommand, OneThatThereWasNotIsRefused) {
  EXPECT_EQ(why_at(450s, "--occurrence 3").status, 2);
  EXPECT_EQ(why_at(200s, "--occurrence 2").status, 2);
  EXPECT_EQ(why_at(50s, "").status, 2) << "before the record";
}

TEST_F(OccurrenceCommand, AJobThatEndedLaterThanTheEndOfAPartBeforeTheClockWasSetBackHasEnded) {
  const json::value trace = json::parse(call("record export --to " + time(450s)).text);
  std::string running;
  std::size_t slices = 0;
  for (const json::value& each : trace.at("traceEvents").as_array()) {
    if (each.at("ph") != "X") continue;
    ++slices;
    const bool runs = each.at("args").at("detail") == "still runs";
    if (runs) running += std::string(each.at("name").as_string()) + ", ";
  }
  EXPECT_EQ(running, "both g++, second g++, ");
  EXPECT_GT(slices, 2U) << "the first job is there, too";
  const json::value errors = json::parse(call("history --errors --json --to " + time(450s)).text);
  EXPECT_EQ(errors.at("cold").at("runs").to_number<int>(), 1) << "the first job";
}

TEST_F(OccurrenceCommand, TheChangesAroundAreThoseBesideItInTheRecord) {
  const auto at = [](const json::value& time) {
    return std::string(time.as_string()).substr(11, 8);
  };
  const auto around = [&](const std::string& options) {
    const json::value record = json::parse(why_at(450s, "--json " + options).text).at("record");
    std::string cuts;
    for (const json::value& each : record.at("cuts").as_array()) cuts += " " + at(each.at("at"));
    return at(record.at("previous_change")) + " " + at(record.at("next_change")) + cuts;
  };
  const std::string cuts = " 00:05:00 00:09:00 00:06:00 00:10:00";
  EXPECT_EQ(around("--occurrence 1"), "00:05:00 00:09:00" + cuts);
  EXPECT_EQ(around("--occurrence 2"), "00:06:00 00:10:00" + cuts);
}

TEST_F(OccurrenceCommand, TheChangesLeadThroughTheRecordInItsOrder) {
  // From a moment by the answer's next or previous change, to the end.
  const auto walk = [&](std::string at, std::string options, const std::string& which) {
    std::string path;
    for (int steps = 0; steps < 10; ++steps) {
      const Answer answer = call("why --json --at " + at + options);
      EXPECT_EQ(answer.status, 0) << at << options;
      const json::value record = json::parse(answer.text).at("record");
      const json::value& change = record.at(which + "_change");
      if (change.is_null()) break;
      at = std::string(change.as_string());
      const auto occurrence = record.at(which + "_occurrence").to_number<int>();
      options = " --occurrence " + std::to_string(occurrence);
      path += " " + at.substr(11, 8) + "/" + std::to_string(occurrence);
    }
    return path;
  };
  EXPECT_EQ(walk(time(200s), "", "next"), " 00:05:00/1 00:09:00/1 00:06:00/2 00:10:00/2");
  EXPECT_EQ(walk(time(600s), "", "previous"), " 00:06:00/2 00:09:00/1 00:05:00/1");
  const json::value cuts = json::parse(why_at(450s, "--json").text).at("record").at("cuts");
  std::string occurrences;
  for (const json::value& each : cuts.as_array()) {
    occurrences += std::to_string(each.at("occurrence").to_number<int>());
  }
  EXPECT_EQ(occurrences, "1122");
}

TEST_F(OccurrenceCommand, TheTimeAtWhichTheClockWasSetBackOccurredThen) {
  EXPECT_EQ(ran_at(600s, "--occurrence 1"), "1/2 both") << "the last entry before it";
  EXPECT_EQ(ran_at(600s, ""), "2/2 both second");
}

TEST(MomentOfARecord, BetweenTwoDaemonsIsAfterTheLastEntryOfTheFirst) {
  const record::testing::Folder folder;
  const std::string state = folder.path("state");
  std::filesystem::create_directory(state);
  for (const Duration began : {Duration(10s), Duration(2h)}) {
    auto opened = record::RecordFolder::open_to_write(state + "/record");
    record::SegmentWriter writer(std::move(std::get<record::RecordFolder>(opened)), {},
                                 {"1.2.3", "boot"});
    writer.append({{TimePoint(began), cut()}, {TimePoint(began + 1s), cut()}},
                  record::testing::clocks(began + 1s));
  }
  const auto at = std::chrono::duration_cast<std::chrono::seconds>(wall(1h).time_since_epoch());
  const Answer why = answer_of(std::string(SLUICE_COMMAND) + " why --json --at @" +
                               std::to_string(at.count()) + " --state-dir " + state);
  ASSERT_EQ(why.status, 0) << why.text;
  const std::string last(json::parse(why.text).at("last_entry").as_string());
  EXPECT_EQ(last.substr(11, 8), "00:00:11");
}

/// How often the moment of 100 s occurred in entries with these wall times, 100 ms apart.
std::size_t occurrences_in(const std::vector<Duration>& walls) {
  Occurrences found(wall(100s), 1);
  const record::Entry level = record::Level{};
  TimePoint at(0s);
  for (const Duration each : walls) found.add({at += 100ms, wall(each), level});
  found.finish(wall(24h));
  return found.count();
}

TEST(Occurrences, AreCountedInTheOrderOfTheRecord) {
  EXPECT_EQ(occurrences_in({99s, 100s, 101s}), 1U);
  EXPECT_EQ(occurrences_in({101s, 102s}), 0U) << "the record begins later";
  EXPECT_EQ(occurrences_in({99s, 101s, 50s, 120s, 90s, 130s}), 3U);
  EXPECT_EQ(occurrences_in({99s, 101s, 50s, 60s}), 1U) << "the clock has not come so far again";
  EXPECT_EQ(occurrences_in({99s, 101s, 50s, 95s}), 2U) << "an idle host has nothing to record";
  EXPECT_EQ(occurrences_in({99s, 100500ms, 99900ms, 102s}), 1U) << "slewed, not set back";
  EXPECT_EQ(occurrences_in({99s, 100s, 50s, 60s}), 1U) << "set back just then";
  EXPECT_EQ(occurrences_in({99s, 100s, 50s, 120s}), 2U);
}

/// The change of the window before the moment of 100 s in its second passage.
std::string previous_of_second_passage(const std::vector<std::pair<Duration, record::Entry>>& all) {
  Occurrences found(wall(100s), 2);
  Surroundings around(wall(100s));
  TimePoint at(0s);
  for (const auto& [shown, entry] : all) {
    const record::Dated dated{at += 100ms, wall(shown), entry};
    around.add(dated, found.add(dated) ? Side::before : Side::after);
  }
  if (!around.previous()) return "none";
  return local_time(around.previous()->at).substr(14) + "/" +
         std::to_string(around.previous()->occurrence);
}

TEST(Occurrences, AChangeAtTheSameTimeInAnEarlierPassageIsBeforeTheMoment) {
  const record::Entry change = cut(), level = record::Level{};
  using All = std::vector<std::pair<Duration, record::Entry>>;
  const All at_both{{90s, level}, {100s, change}, {110s, level},
                    {50s, level}, {100s, change}, {110s, level}};
  EXPECT_EQ(previous_of_second_passage(at_both), "01:40/1");
  const All between{{90s, level}, {100s, change}, {110s, change},
                    {50s, level}, {100s, change}, {120s, level}};
  EXPECT_EQ(previous_of_second_passage(between), "01:50/1");
  const All alone{{90s, level}, {110s, level}, {50s, level}, {100s, change}, {120s, level}};
  EXPECT_EQ(previous_of_second_passage(alone), "none") << "it is the moment's own";
}

TEST(Occurrences, OverARebootTheWallClockAloneCounts) {
  Occurrences found(wall(100s), 1);
  const record::Entry level = record::Level{}, boot = record::SegmentStart{"1.2.3", "boot-2"};
  found.add({TimePoint(500s), wall(90s), level});
  found.add({TimePoint(520s), wall(110s), level});
  found.add({TimePoint(1s), wall(95s), boot});
  found.add({TimePoint(2s), wall(96s), level});
  found.add({TimePoint(12s), wall(106s), level});
  found.finish(wall(24h));
  EXPECT_EQ(found.count(), 2U) << "though the monotonic clock began again";
}

}  // namespace
}  // namespace sluice::cli::testing
