#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <fstream>

#include "cli/autoscale/options.h"
#include "cli/autoscale/plan.h"
#include "cli/autoscale/plot.h"
#include "cli/autoscale/stats.h"
#include "cli/autoscale/text.h"

namespace sluice::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Wall = std::chrono::system_clock::time_point;

const Wall kTime{std::chrono::sys_days(std::chrono::year(2026) / 3 / 1) + milliseconds(43200123)};

ExecutorObservation seen(const std::string& id, std::int64_t usage) {
  ExecutorObservation executor;
  executor.id = id;
  ExecutorReport& report = executor.report.emplace();
  report.window = Points{20};
  report.usage = Points{usage};
  report.running = usage > 0 ? 2 : 0;
  report.load = 1.5;
  return executor;
}

ReconcileResult busy_result() {
  ReconcileResult result;
  result.fleet.executors = {seen("node001", 18), seen("node002", 20)};
  result.observation.queued = {{5, seconds(125), false, Points{5}}, {5, {}, true, Points{5}}};
  ScaleNumbers& numbers = result.decision.numbers;
  numbers = {.executors = 3, .draining = 0, .booting = 1, .max = 5, .slots = 60};
  numbers.usage = Points{38};
  numbers.queued = 5;
  numbers.waited = seconds(125);
  numbers.desired = 4;
  numbers.need = 1;
  numbers.pending = Points{5};
  numbers.mean = 20;
  result.decision.add = 1;
  result.decision.reason = ScaleReason::demand;
  result.added = {"node003"};
  result.desired = 4;
  return result;
}

AutoscaleArguments parsed(std::vector<std::string> words) {
  AutoscaleArguments arguments;
  CLI::App app;
  describe_autoscale(app, arguments);
  std::reverse(words.begin(), words.end());
  app.parse(words);
  return arguments;
}

std::string refusal_of_call(const std::vector<std::string>& words) {
  try {
    autoscale_plan(parsed(words));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(AutoscaleOptionsTest, BareNumbersAreInStarClustersUnits) {
  const AutoscaleOptions rules =
      autoscale_plan(
          parsed({"-m", "20", "-n", "3",  "-a", "2",   "-i",      "30",          "-w", "300",
                  "-k", "40", "-s", "90", "-l", "120", "--rules", "starcluster", "-e", "a:1"}))
          .settings.rules;
  EXPECT_EQ(rules.max, 20);
  EXPECT_EQ(rules.min, 3);
  EXPECT_EQ(rules.add, 2);
  EXPECT_EQ(rules.interval, seconds(30));
  EXPECT_EQ(rules.wait, seconds(300));
  EXPECT_EQ(rules.kill_after, minutes(40));
  EXPECT_EQ(rules.stabilise, seconds(90));
  EXPECT_EQ(rules.lookback, minutes(120));
  EXPECT_EQ(rules.rules, ScaleRules::starcluster);
}

TEST(AutoscaleOptionsTest, UnitsAreTaken) {
  const AutoscaleOptions rules =
      autoscale_plan(parsed({"--max", "5", "--interval", "1min", "--wait", "1.5h", "--kill-after",
                             "30s", "--billing", "0", "-K", "--executor", "a:1"}))
          .settings.rules;
  EXPECT_EQ(rules.interval, minutes(1));
  EXPECT_EQ(rules.wait, minutes(90));
  EXPECT_EQ(rules.kill_after, seconds(30));
  EXPECT_EQ(rules.billing, Duration{0});
  EXPECT_EQ(rules.least(), 0);
}

TEST(AutoscaleOptionsTest, TheConfigurationSaysWhatTheCommandLineDoesNot) {
  const std::string path = ::testing::TempDir() + "autoscale_test.yaml";
  std::ofstream(path) << "autoscale: {rules: starcluster, max: 9, add: 3, wait: 5min}\n";
  const AutoscaleOptions rules =
      autoscale_plan(parsed({"--config", path, "-a", "2", "-e", "a:1"})).settings.rules;
  EXPECT_EQ(rules.rules, ScaleRules::starcluster);
  EXPECT_EQ(rules.max, 9);
  EXPECT_EQ(rules.add, 2);
  EXPECT_EQ(rules.wait, minutes(5));
}

TEST(AutoscaleOptionsTest, EveryRefusalNamesItsOption) {
  struct Case {
    std::vector<std::string> words;
    const char* start;
  };
  const std::vector<Case> cases = {
      {{"-e", "a:1"}, "--max is required"},
      {{"-m", "0", "-e", "a:1"}, "--max must be from 1"},
      {{"-m", "5", "-n", "9", "-e", "a:1"}, "--min must not be above max"},
      {{"-m", "5", "-n", "-1", "-e", "a:1"}, "--min must be from 0"},
      {{"-m", "5", "-a", "0", "-e", "a:1"}, "--add must be from 1"},
      {{"-m", "5", "-i", "301", "-e", "a:1"}, "--interval must be from"},
      {{"-m", "5", "-w", "-1", "-e", "a:1"}, "--wait"},
      {{"-m", "5", "-k", "60", "-e", "a:1"}, "--kill-after must be below billing"},
      {{"-m", "5", "-k", "soon", "-e", "a:1"}, "--kill-after: `soon` must be a duration"},
      {{"-m", "5", "-s", "1e9", "-e", "a:1"}, "--stabilise: must be from 0"},
      {{"-m", "5", "-l", "0", "-e", "a:1"}, "--lookback must be from 1min"},
      {{"-m", "5"}, "--executor: say where"},
      {{"-m", "5", "-e", "a"}, "--executor: `a` must be HOST:PORT"},
      {{"-m", "5", "-e", "a:1", "-e", "a:1"}, "--executor: a:1 is named twice"},
      {{"-m", "5", "-e", "a:1", "--dns", "b:1"}, "--executor: one of"},
      {{"-m", "5", "--dns", "/x"}, "--dns: must be NAME:PORT"},
      {{"-m", "5", "-e", "a:1", "--gearman", "https://q:4730"}, "--gearman: must be HOST:PORT"},
      {{"-m", "5", "--prometheus", "https://p:9090"}, "--prometheus: https is not supported"},
      {{"-m", "5", "--list-command", " "}, "--list-command: names no command"},
      {{"-m", "5", "--prometheus", "x"}, "--prometheus: `x` must be"},
      {{"-m", "5", "--pods", "9797"}, "--pods: needs --workload"},
      {{"-m", "5", "-e", "a:1", "--gearman", "x"}, "--gearman: `x` must be"},
      {{"-m", "5", "-e", "a:1", "--timeout", "0"}, "--timeout: must be above 0"},
      {{"-m", "5", "-e", "a:1", "--token-file", "/nowhere"}, "--token-file: /nowhere"},
      {{"-m", "5", "-e", "a:1", "--scaler", "exec"}, "--add-command: is required"},
      {{"-m", "5", "-e", "a:1", "--scaler", "exec", "--add-command", "x {name}", "--remove-command",
        "y"},
       "--remove-command: is required"},
      {{"-m", "5", "--scaler", "kubernetes"}, "--workload: is required"},
      {{"-m", "5", "--scaler", "kubernetes", "--workload", "job/x"}, "--workload: must be"},
      {{"-m", "5", "--scaler", "kubernetes", "--workload", "deployment/x", "-e", "a:1"},
       "--pods: --scaler kubernetes"}};
  for (const Case& each : cases) {
    const std::string said = refusal_of_call(each.words);
    EXPECT_TRUE(said.starts_with(each.start)) << each.start << " and not: " << said;
  }
}

TEST(AutoscaleOptionsTest, AWorkloadAloneIsFoundByItsPods) {
  const AutoscalePlan plan =
      autoscale_plan(parsed({"-m", "5", "--scaler", "kubernetes", "--workload", "statefulset/ex"}));
  ASSERT_TRUE(std::holds_alternative<PodExecutors>(plan.places));
  EXPECT_EQ(std::get<PodExecutors>(plan.places).port, "9797");
  EXPECT_EQ(plan.api->options().kind, WorkloadKind::stateful_set);
  EXPECT_EQ(plan.settings.ordered, FleetSettings::Ordered::told);
}

TEST(AutoscaleStatsTest, HaveStarClustersEightColumns) {
  FleetAverages::Means means;
  means.duration = 90.5;
  const auto row = stats_row(busy_result(), means, kTime);
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(stats_head() + stats_line(*row),
            "time,hosts,running_jobs,queued_jobs,slots,avg_duration,avg_wait,avg_load\n"
            "2026-03-01T12:00:00.123Z,3,4,1,60,90.50,,1.50\n");
}

TEST(AutoscaleStatsTest, AreReadAsTheyWereWritten) {
  StatsRow row;
  row.time = kTime;
  row.hosts = 3;
  row.queued_jobs = 17;
  row.avg_wait = 1.25;
  const std::string csv = stats_head() + stats_line(row) + "nonsense\n\n2026-99-01T1:1:1.1Z,1\n" +
                          stats_line(row) + "2026-03-01T12:0";
  EXPECT_EQ(stats_rows(csv), (std::vector<StatsRow>{row, row}));
}

TEST(AutoscaleStatsTest, ThereIsNoRowOfAFleetThatWasNotSeen) {
  ReconcileResult result;
  result.fleet.blind = "Prometheus is gone";
  EXPECT_FALSE(stats_row(result, {}, kTime).has_value());
}

TEST(AutoscalePlotTest, ThinsOutTheOlderHalfAndKeepsTheNewest) {
  std::vector<StatsRow> rows(1000);
  for (int i = 0; i < 1000; ++i) rows[static_cast<std::size_t>(i)].hosts = i;
  thin_out(rows, 400);
  EXPECT_LE(rows.size(), 400U);
  EXPECT_EQ(rows.front().hosts, 0);
  EXPECT_EQ(rows.back().hosts, 999);
  EXPECT_EQ(rows[rows.size() - 2].hosts, 998);
}

TEST(AutoscalePlotTest, DrawsSixPictures) {
  StatsRow row;
  row.time = kTime;
  const std::string script = stats_plot({row, row}, "/tmp/it's", "svg");
  for (const char* name :
       {"queued", "running", "num_hosts", "avg_duration", "avg_wait", "avg_load"}) {
    EXPECT_NE(script.find("'/tmp/it''s/" + std::string(name) + ".svg'"), std::string::npos) << name;
  }
}

TEST(AutoscalePlotTest, SaysWhereNothingIsKnown) {
  StatsRow row;
  row.time = kTime;
  const auto unknown = [](const StatsRow& each) {
    const std::string script = stats_plot({each, each}, "/tmp", "png");
    int labels = 0;
    for (std::size_t at = 0; (at = script.find("not known", at)) != std::string::npos; ++at) {
      ++labels;
    }
    return labels;
  };
  EXPECT_EQ(unknown(row), 3) << "duration, wait and load";
  row.avg_load = 0.0;
  EXPECT_EQ(unknown(row), 2) << "an idle host has a load";
}

TEST(AutoscaleTextTest, SaysWhatWasSeenDecidedAndWhy) {
  ReconcileResult result = busy_result();
  result.unseen = 1;
  result.fleet.executors[1].report.reset();
  result.fleet.executors[1].problem = "no answer in time";
  result.notes = {"the scaler did not add: no quota\x1b[2J"};
  result.drained = {"node\x1b[2J"};
  const auto lines = autoscale_lines(result, {TimePoint{}, kTime}, Style{});
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(
      autoscale_head(Style{}),
      "UTC       run boot drain unseen  points in use  running  queued  oldest wait  decision");
  EXPECT_TRUE(
      lines[0].starts_with("12:00:00    1    1     0      1       38 of 60        2       1   2 "
                           "min 05 s  add node003; "
                           "drain node?[2J: the demand needs 4: "))
      << lines[0];
  EXPECT_EQ(lines[1], "          ! the scaler did not add: no quota?[2J");
  EXPECT_EQ(lines[2], "          ? node002 is not seen: no answer in time");
}

TEST(AutoscaleTextTest, NewPodsHaveANumberAndNoNames) {
  ReconcileResult result = busy_result();
  result.added.clear();
  result.added_pods = 2;
  const auto text_of = [&] { return autoscale_lines(result, {TimePoint{}, kTime}, Style{})[0]; };
  EXPECT_NE(text_of().find("  add 2 pods: the demand"), std::string::npos) << text_of();
  EXPECT_NE(autoscale_json(result, {TimePoint{}, kTime}).find(R"("added":[],"added_pods":2)"),
            std::string::npos);
  result.added_pods = 1;
  EXPECT_NE(text_of().find("  add 1 pod: the demand"), std::string::npos) << text_of();
}

Style of_width(std::size_t width) {
  Style style;
  style.width = width;
  return style;
}

TEST(AutoscaleTextTest, AtEightyColumnsTheDecisionStandsBelowTheNumbers) {
  const auto lines = autoscale_lines(busy_result(), {TimePoint{}, kTime}, of_width(80));
  EXPECT_EQ(autoscale_head(of_width(80)),
            "UTC       run boot drain unseen  points in use  running  queued  oldest wait");
  EXPECT_EQ(
      lines,
      (std::vector<std::string>{
          "12:00:00    2    1     0      0       38 of 60        4       1   2 min 05 s",
          "          add node003: the demand needs 4: 38 points in use and 5 requested, at…"}));
}

TEST(AutoscaleTextTest, AtSixtyColumnsTheNumbersStandCloser) {
  EXPECT_EQ(autoscale_head(of_width(60)),
            "UTC      run boot drain unseen points in use running  queued");
  EXPECT_EQ(autoscale_lines(busy_result(), {TimePoint{}, kTime}, of_width(60))[0],
            "12:00:00   2    1     0      0      38 of 60       4       1");
}

TEST(AutoscaleTextTest, NothingIsWiderThanTheTerminal) {
  ReconcileResult result = busy_result();
  result.notes = {std::string(300, 'x')};
  result.fleet.executors[1].problem = std::string(300, 'y');
  result.decision.numbers.waited = std::chrono::hours(1000);
  result.decision.numbers.usage = Points{1'000'000'000};
  for (std::size_t width = 10; width <= 250; ++width) {
    EXPECT_LE(columns_of(autoscale_head(of_width(width))), width);
    for (const auto& line : autoscale_lines(result, {TimePoint{}, kTime}, of_width(width))) {
      EXPECT_LE(columns_of(line), width) << line;
    }
  }
}

TEST(AutoscaleTextTest, ABlindReconciliationSaysSo) {
  ReconcileResult result;
  result.fleet.blind = "Prometheus at p:9090: no answer in time";
  const auto lines = autoscale_lines(result, {TimePoint{}, kTime}, Style{});
  EXPECT_NE(lines[0].find("nothing is done: Prometheus at p:9090"), std::string::npos);
  const std::string json = autoscale_json(result, {TimePoint{}, kTime});
  EXPECT_NE(json.find(R"("blind":"Prometheus at p:9090: no answer in time","executors":null)"),
            std::string::npos)
      << json;
  EXPECT_EQ(autoscale_reason(result), "blind");
}

}  // namespace
}  // namespace sluice::cli
