#include "cli/replay/summary.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "cli/replay/chart.h"
#include "cli/replay/plot.h"
#include "replay_helpers.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

/// Two units of db. Job a runs from 0 to 30 with one unit, b from 0 to 20 with one; c waits for db
/// until 20 and runs until 40; d, of higher priority and without db, waits for the whole window
/// from 10 to 40.
ReplayBuilder example_replay() {
  ReplayBuilder builder(20);
  QueueingOptions& queueing = builder.scenario.config.governing.queueing;
  queueing.resources["db"].total = 2;
  queueing.queues["default"].backfill = 8;
  const auto need = [](ScenarioJob& job) { job.request.resources = {{"db", 1}}; };
  need(builder.job(0, "a", 30, 5));
  need(builder.job(0, "b", 20, 5));
  need(builder.job(0, "c", 20, 5));
  builder.job(10, "d", 10, 20).request.priority = 5;
  return builder;
}

ReplaySummary summary_of(ReplayBuilder builder, int end) {
  ReplaySummary summary;
  ReplaySink sink;
  sink.on_record = [&](const ReplayRecord& record) { summary.add_record(record); };
  sink.on_instant = [&](const ReplayInstant& instant) { summary.add_instant(instant); };
  const JobSource jobs = jobs_from(builder.scenario.jobs);
  EXPECT_FALSE(run_replay(builder.scenario, jobs, "", sink));
  summary.end(std::chrono::seconds(end));
  return summary;
}

TEST(ReplaySummary, CountsWhatCanBeCountedByHand) {
  const json::value summary = json::parse(summary_of(example_replay(), 100).json());
  EXPECT_EQ(summary.at("submitted").as_int64(), 4);
  EXPECT_EQ(summary.at("finished").at("ok").as_int64(), 4);
  EXPECT_EQ(summary.at("finished_per_hour").as_double(), 4 * 36);
  // a and b start at once, c after 20 s, d once c has ended at 40 s.
  const json::array& waits = summary.at("waits").as_array();
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].at("priority").as_int64(), 0);
  EXPECT_EQ(waits[0].at("p50_seconds").as_double(), 0);
  EXPECT_EQ(waits[0].at("p90_seconds").as_double(), 20);
  EXPECT_EQ(waits[1].at("max_seconds").as_double(), 30);
  EXPECT_EQ(summary.at("longest_wait").at("job").as_string(), "d");
  const json::array& blocked = summary.at("blocked").as_array();
  ASSERT_EQ(blocked.size(), 2u);
  EXPECT_EQ(blocked[0].at("code").as_string(), "resource");
  EXPECT_EQ(blocked[0].at("binding").as_string(), "db");
  EXPECT_EQ(blocked[0].at("seconds").as_double(), 20);
  EXPECT_EQ(blocked[1].at("code").as_string(), "window");
  EXPECT_EQ(blocked[1].at("seconds").as_double(), 30);
  // db: 2 of 2 until 30 s, 1 until 40 s. Points: 10 for 30 s, 5 for 10 s, 20 for 10 s.
  EXPECT_DOUBLE_EQ(summary.at("managers").at("db").at("ratio").as_double(), 70.0 / 200);
  EXPECT_DOUBLE_EQ(summary.at("window").at("mean_used").as_double(), 550.0 / 100);
  EXPECT_EQ(summary.at("window").at("peak_used").as_double(), 20);
}

TEST(ReplaySummary, WhoNeverRanHasWaitedUntilTheEnd) {
  ReplayBuilder builder;
  builder.job(0, "a", 1000, 20);
  builder.job(10, "b", 1, 20);
  builder.until(100);
  const ReplaySummary summary = summary_of(builder, 100);
  const json::value of = json::parse(summary.json());
  EXPECT_EQ(of.at("waiting").as_int64(), 1);
  EXPECT_EQ(of.at("running").as_int64(), 1);
  EXPECT_EQ(of.at("longest_wait").at("seconds").as_double(), 90);
  EXPECT_FALSE(of.at("longest_wait").at("admitted").as_bool());
  EXPECT_EQ(of.at("blocked").as_array()[0].at("seconds").as_double(), 90);
  EXPECT_NE(summary.text().find("b waited 1 min 30 s and never ran"), std::string::npos)
      << summary.text();
}

TEST(ReplaySummary, ReadsAsATable) {
  EXPECT_EQ(summary_of(example_replay(), 100).text(),
            R"(jobs        4 jobs submitted, 4 ended ok
time        1 min 40 s, 144.0 jobs finished per hour
waits       queue            priority     jobs           p50           p90           p99           max
            default                 0        3         0.0 s        20.0 s        20.0 s        20.0 s
            default                 5        1        30.0 s        30.0 s        30.0 s        30.0 s
longest     d waited 30.0 s (queue default, priority 5)
blocked     resource db                               20.0 s    40.0% of all waiting
            window                                    30.0 s    60.0% of all waiting
used        window              27.5%: 5.5 of 20.0 points on average, at most 20.0
            db                  35.0%: 0.7 of 2.0 on average, at most 2.0
)");
}

ReplayInstant instant(int at, std::int64_t usage, std::span<const double> pressures) {
  return {std::chrono::seconds(at), Points{40}, Points{usage}, 2, 3, pressures, {}};
}

TEST(ReplayChart, RowsAreInstantsThatDiffer) {
  ReplayChart chart;
  const std::vector<double> low{0.25};
  chart.add_instant(instant(0, 10, low));
  chart.add_instant(instant(1, 10, low));
  chart.add_instant(instant(2, 20, low));
  chart.end(std::chrono::seconds(5));
  std::string csv = csv_head({"load", "a,b"});
  for (const ChartRow& row : chart.rows()) append_csv(csv, row);
  EXPECT_EQ(csv,
            "t,window,usage,running,pending,load,\"a,b\"\n"
            "0.0,40,10,2,3,0.25\n2.0,40,20,2,3,0.25\n5.0,40,20,2,3,0.25\n");
}

TEST(ReplayChart, ALongReplayKeepsItsPeaks) {
  ReplayChart chart(64);
  const std::vector<double> none;
  for (int i = 0; i < 100'000; ++i) chart.add_instant(instant(i, i == 77'777 ? 999 : i % 7, none));
  EXPECT_LE(chart.rows().size(), 64u);
  EXPECT_GE(chart.rows().size(), 16u);
  const auto peak =
      std::max_element(chart.rows().begin(), chart.rows().end(),
                       [](const ChartRow& a, const ChartRow& b) { return a.usage < b.usage; });
  EXPECT_EQ(peak->usage, Points{999});
  EXPECT_NEAR(std::chrono::duration<double>(peak->t).count(), 77'777, 5000);
}

TEST(ReplayPlot, AScriptQuotesWhatItIsGiven) {
  const std::vector<ChartRow> rows{{Duration{0}, Points{20}, Points{10}, 1, 0, {0.5}},
                                   {std::chrono::minutes(20), Points{20}, Points{10}, 1, 0, {0.5}}};
  const std::string script = plot_script(rows, {"it's"}, "a 'title'", "out.svg");
  EXPECT_NE(script.find("set output 'out.svg'"), std::string::npos);
  EXPECT_NE(script.find("title 'a ''title'''"), std::string::npos);
  EXPECT_NE(script.find("title 'it''s'"), std::string::npos);
  EXPECT_NE(script.find("time (minutes)"), std::string::npos);
  EXPECT_NE(script.find("\n1200.0,20,10,1,0,0.5\n"), std::string::npos);
}

ReplayInstant limited(int at, std::optional<Refusal> limiting) {
  ReplayInstant now = instant(at, 10, {});
  now.pending = limiting ? 1 : 0;
  now.limiting = [limiting] { return limiting; };
  return now;
}

Refusal refusal(RefusalCode code, std::string_view binding) {
  Refusal refusal;
  refusal.code = code;
  refusal.binding = binding;
  return refusal;
}

TEST(ReplayChart, RowsNameWhatTheFirstJobInLineWaitsFor) {
  ReplayChart chart;
  chart.add_instant(limited(0, std::nullopt));
  chart.add_instant(limited(1, refusal(RefusalCode::window, "window")));
  chart.add_instant(limited(2, refusal(RefusalCode::window, "window")));
  chart.add_instant(limited(3, refusal(RefusalCode::sensor, "load")));
  chart.add_instant(limited(4, refusal(RefusalCode::memory, "")));
  chart.add_instant(limited(5, std::nullopt));
  std::vector<std::string> limits;
  for (const ChartRow& row : chart.rows()) limits.push_back(row.limit);
  EXPECT_EQ(limits, (std::vector<std::string>{"", "window", "sensor load", "memory", ""}));
}

std::vector<ChartRow> rows_limited_by(const std::vector<std::string>& limits) {
  std::vector<ChartRow> rows;
  for (const std::string& limit : limits) {
    const auto at = std::chrono::seconds(10 * static_cast<int>(rows.size()));
    rows.push_back({at, Points{20}, Points{10}, 1, 1, {0.5}, limit});
  }
  return rows;
}

TEST(ReplayPlot, AStripHasALaneForEachLimitTheLongestFirst) {
  const std::string script = plot_script(
      rows_limited_by({"window", "sensor it's", "sensor it's", "", "window", "sensor it's", ""}),
      {"it's"}, "title", "out.png");
  EXPECT_NE(script.find("$limit0 << END_OF_LIMIT\n10.0,30.0\n50.0,60.0\nEND_OF_LIMIT\n"
                        "$limit1 << END_OF_LIMIT\n0.0,10.0\n40.0,50.0\nEND_OF_LIMIT\n"),
            std::string::npos)
      << script;
  EXPECT_NE(script.find("set y2tics scale 0 ('sensor it''s' 2, 'window' 1)"), std::string::npos);
  const std::size_t lane = script.find("plot $limit0 using");
  ASSERT_NE(lane, std::string::npos);
  EXPECT_LT(lane, script.find("fillcolor '#c0392b'", lane)) << "the colour of the sensor's curve";
  EXPECT_LT(script.find("'window'\n"), lane) << "below the window";
  EXPECT_LT(lane, script.find("'pending'")) << "above the jobs";
}

TEST(ReplayPlot, NoStripWhereNoJobWaited) {
  const std::string script = plot_script(rows_limited_by({"", "", ""}), {"a"}, "t", "out.png");
  EXPECT_EQ(script.find("$limit"), std::string::npos);
  EXPECT_EQ(script.find("limited by"), std::string::npos);
}

TEST(ReplayPlot, FromTheSixthOnLimitsShareALane) {
  const std::string script = plot_script(
      rows_limited_by({"a", "a", "a", "b", "b", "c", "c", "d", "d", "e", "e", "f", "g", ""}), {},
      "t", "out.png");
  EXPECT_NE(script.find("('a' 6, 'b' 5, 'c' 4, 'd' 3, 'e' 2, 'others' 1)"), std::string::npos)
      << script;
  EXPECT_NE(script.find("$limit5 << END_OF_LIMIT\n110.0,130.0\nEND_OF_LIMIT\n"), std::string::npos);
  EXPECT_EQ(script.find("$limit6"), std::string::npos);
}

TEST(ReplayPlot, APictureIsNamedByItsFormat) {
  EXPECT_FALSE(problem_of_picture("a.svg"));
  EXPECT_FALSE(problem_of_picture("b/c.png"));
  EXPECT_TRUE(problem_of_picture("a.pdf"));
  EXPECT_TRUE(problem_of_picture(".png"));
  EXPECT_TRUE(problem_of_picture("a\n.png"));
}

}  // namespace
}  // namespace sluice::cli
