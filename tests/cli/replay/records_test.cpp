#include "cli/replay/records.h"

#include <gtest/gtest.h>

#include <array>

namespace sluice::cli {
namespace {

std::string seconds_text(std::int64_t nanoseconds) { return exact_seconds(Duration(nanoseconds)); }

std::string json_of(const ReplayRecord& record) {
  std::string text;
  append_json(text, record);
  return text;
}

ReplayRecord example_record(ReplayEvent event) {
  ReplayRecord record;
  record.t = std::chrono::milliseconds(90500);
  record.event = event;
  record.job = "a";
  return record;
}

TEST(ReplayRecords, TimesAreExactSecondsWithAtMostNineDecimals) {
  EXPECT_EQ(seconds_text(0), "0.0");
  EXPECT_EQ(seconds_text(90'500'000'000), "90.5");
  EXPECT_EQ(seconds_text(1), "0.000000001");
  EXPECT_EQ(seconds_text(86'400'123'456'789), "86400.123456789");
  EXPECT_EQ(seconds_text(3'600'000'000'000), "3600.0");
}

TEST(ReplayRecords, AnAdmissionNamesItemsConflictsAndWeight) {
  ReplayRecord record = example_record(ReplayEvent::admitted);
  const std::array<HeldItems, 1> items{{{"ports", {"p1", "p2"}}}};
  const std::array<std::string_view, 2> conflicts{"b", "c\"d"};
  record.cost = Points{15};
  record.usage = Points{30};
  record.size = Points{40};
  record.items = items;
  record.conflicts = conflicts;
  record.weighs = true;
  record.weight = 7.3;
  EXPECT_EQ(json_of(record),
            R"({"t":90.5,"event":"admitted","job":"a","cost":15,"usage":30,"window":40,)"
            R"("items":{"ports":["p1","p2"]},"conflicts":["b","c\"d"],"weight":7.3})"
            "\n");
  EXPECT_EQ(replay_table_line(record, Style{}),
            "        90.5  admitted      a                 costs 15, usage 30 of 40, weight 7.30, "
            "ports: p1, p2, conflicts with b, c\"d");
}

TEST(ReplayRecords, AChangeOfTheWindowHasTheCpusWhereTheyAreKnown) {
  ReplayRecord record = example_record(ReplayEvent::window);
  record.job = {};
  WindowChange change;
  change.from = Points{30};
  change.to = Points{60};
  change.cause = WindowCause::growth;
  record.change = &change;
  const std::string plain = R"({"t":90.5,"event":"window","size":60,"cause":"growth","from":30)";
  EXPECT_EQ(json_of(record), plain + "}\n");
  change.cpu = CpuStatus{2, 0.33333, 0.18, 0.7, 0};
  change.pending = 41;
  EXPECT_EQ(json_of(record), plain + ",\"busy\":0.333,\"waiting\":0.18,\"pending\":41}\n");
  EXPECT_NE(
      replay_table_line(record, Style{}).find("grown 30 -> 60 points: 33% busy, 41 jobs wait"),
      std::string::npos);
}

TEST(ReplayRecords, ARefusalSaysWhatBindsAndTheOtherJobByName) {
  ReplayRecord record = example_record(ReplayEvent::refused);
  record.refusal.code = RefusalCode::held_for;
  record.refusal.binding = "locks";
  record.other = "old";
  EXPECT_EQ(
      json_of(record),
      "{\"t\":90.5,\"event\":\"refused\",\"job\":\"a\",\"code\":\"held_for\",\"binding\":\"locks\","
      "\"ahead\":\"old\"}\n");
  EXPECT_NE(replay_table_line(record, Style{}).find("kept for job old"), std::string::npos);
}

TEST(ReplayRecords, TheTableIsAsWideAsItsTerminalAndShowsNoControlCharacters) {
  ReplayRecord record = example_record(ReplayEvent::submitted);
  record.job = "evil\x1b[2J";
  record.queue = std::string_view("a queue with a rather long name that does not fit");
  Style style;
  style.width = 60;
  const std::string line = replay_table_line(record, style);
  EXPECT_LE(columns_of(line), 60u);
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  EXPECT_TRUE(replay_table_head(Style{}).starts_with("     seconds  event         job"));
}

}  // namespace
}  // namespace sluice::cli
