// Replays whose scenario says how busy the CPUs are.
#include "cli/replay/scripted_use.h"

#include <gtest/gtest.h>

#include <string>

#include "cli/replay/chart.h"
#include "cli/replay/summary.h"
#include "replay_helpers.h"

namespace sluice::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Two CPUs under `law: knee`, as busy as given; jobs that nobody declares anything about.
ReplayBuilder cpus_of(std::vector<CpuPoint> points) {
  ReplayBuilder builder;
  builder.scenario.cpus = 2;
  builder.scenario.cpu = std::move(points);
  builder.scenario.config.governing.window = WindowOptions{};
  builder.scenario.config.governing.window.law = Law::knee;
  return builder;
}

void add_sleepers(ReplayBuilder& builder, int jobs) {
  for (int i = 0; i < jobs; ++i) {
    ScenarioJob& job = builder.job(0, "s" + std::to_string(i), 0);
    job.request.cost.reset();
    job.phases = {{.runs = seconds(60)}};
  }
}

std::size_t admitted_within(const std::string& text, double most) {
  std::size_t found = 0;
  std::size_t at = 0;
  while ((at = text.find("{\"t\":", at)) != text.npos) {
    const double t = std::stod(text.substr(at + 5));
    const std::string line = text.substr(at, text.find('\n', at) - at);
    if (t <= most && line.find("\"event\":\"admitted\"") != line.npos) ++found;
    ++at;
  }
  return found;
}

TEST(ScriptedUse, IdleCpusOpenTheWindowAndBusyOnesHoldIt) {
  ReplayBuilder idle = cpus_of({{seconds(0), 0.1, 0}});
  ReplayBuilder busy = cpus_of({{seconds(0), 1, 0.2}});
  add_sleepers(idle, 100);
  add_sleepers(busy, 100);
  const std::size_t on_idle = admitted_within(replay(idle).text, 30);
  const std::size_t on_busy = admitted_within(replay(busy).text, 30);
  EXPECT_GE(on_idle, 16u) << "as many as may begin to need a core: eight a CPU";
  EXPECT_LE(on_busy, 3u);
}

TEST(ScriptedUse, JobsThatWaitForLongMakeTheWindowYield) {
  ReplayBuilder builder = cpus_of({{seconds(0), 0.1, 0}, {seconds(20), 1, 2.5}});
  add_sleepers(builder, 100);
  const std::string text = replay(builder).text;
  EXPECT_NE(lines_with(text, {"\"cause\":\"yield\"", "\"busy\":1,\"waiting\":2.5"}), "") << text;
}

TEST(ScriptedUse, AJobIsChargedWhatItsPhasesUse) {
  ReplayBuilder builder = cpus_of({{seconds(0), 0.5, 0}});
  ScenarioJob& wide = builder.job(0, "wide", 0);
  wide.request.cost.reset();
  wide.phases = {{.runs = seconds(5)}, {.runs = seconds(20), .cores = 2}};
  builder.job(10, "next", 1).request.cost.reset();
  const std::string text = replay(builder).text;
  // Two cores and one: above 1.25 x 2 CPUs.
  EXPECT_NE(lines_with(text, {"\"t\":10.0", "refused", "\"binding\":\"cpu\""}), "") << text;
  EXPECT_NE(lines_with(text, {"\"t\":25.0", "admitted", "next"}), "") << text;
}

TEST(ScriptedUse, MemoryIsThatOfThePhases) {
  ReplayBuilder builder = cpus_of({{seconds(0), 0.5, 0}});
  builder.scenario.memory = Bytes{std::uint64_t{1} << 30};
  ScenarioJob& large = builder.job(0, "large", 0);
  large.request.cost.reset();
  large.phases = {{.runs = seconds(20), .memory = Bytes{900ULL << 20}}};
  ScenarioJob& next = builder.job(5, "next", 1);
  next.request.cost.reset();
  next.request.memory = Bytes{300ULL << 20};
  const std::string text = replay(builder).text;
  EXPECT_NE(lines_with(text, {"\"t\":5.0", "refused", "\"code\":\"memory\""}), "") << text;
}

TEST(ScriptedUse, UseOfAJobIsTheIntegralOfItsPhases) {
  const std::vector<ScenarioPhase> phases{{.runs = seconds(2), .memory = Bytes{100}},
                                          {.runs = seconds(4),
                                           .cores = 1.5,
                                           .waiting = 0.5,
                                           .memory = Bytes{200},
                                           .growth = Bytes{400}},
                                          {.runs = seconds(1), .memory = Bytes{50}}};
  const JobUsage halfway = use_of(phases, seconds(4));
  EXPECT_EQ(halfway.wall, seconds(4));
  EXPECT_EQ(halfway.cpu, seconds(3));
  EXPECT_EQ(halfway.cpu_delay, seconds(1));
  EXPECT_EQ(halfway.memory, Bytes{400});
  const JobUsage whole = use_of(phases, seconds(100));
  EXPECT_EQ(whole.wall, seconds(7));
  EXPECT_EQ(whole.cpu, seconds(6));
  EXPECT_EQ(whole.memory, Bytes{50});
  EXPECT_EQ(whole.peak_memory, Bytes{600});
  EXPECT_EQ(use_of(phases, milliseconds(0)).cpu, Duration{0});
}

TEST(ScriptedUse, ADiskNeedsTheModelAndTheModelFindsOutWhoWaits) {
  ReplayBuilder scripted = cpus_of({{seconds(0), 0.5, 0}});
  scripted.job(0, "a", 0).phases = {{.runs = seconds(1), .disk = Bytes{1}}};
  const auto no_disk = replay(scripted).error;
  ASSERT_TRUE(no_disk);
  EXPECT_EQ(to_string(*no_disk),
            "s.yaml:1: job `a`: phases[0]: disk: needs `machine: {model: host}`");
  ReplayBuilder modelled = cpus_of({});
  modelled.scenario.host.emplace();
  modelled.job(0, "a", 0).phases = {{.runs = seconds(1), .waiting = 1}};
  const auto no_waiting = replay(modelled).error;
  ASSERT_TRUE(no_waiting);
  EXPECT_EQ(to_string(*no_waiting),
            "s.yaml:1: job `a`: phases[0]: waiting: `machine: {model: host}` finds that out by "
            "itself");
}

TEST(ScriptedUse, ChartAndSummaryShowTheCpus) {
  ReplayBuilder builder = cpus_of({{seconds(0), 0.25, 0}, {seconds(2), 0.75, 0.5}});
  add_sleepers(builder, 1);
  builder.until(4);
  EXPECT_EQ(level_names(builder.scenario), (std::vector<std::string>{"cpu_busy", "cpu_waiting"}));
  ReplaySummary summary;
  std::vector<double> last;
  ReplaySink sink;
  sink.on_instant = [&](const ReplayInstant& instant) {
    summary.add_instant(instant);
    last = chart_row(instant).levels;
  };
  ASSERT_FALSE(run_replay(builder.scenario, jobs_from(builder.scenario.jobs), "s.yaml", sink));
  summary.end(seconds(4));
  EXPECT_EQ(last, (std::vector<double>{0.75, 0.5}));
  EXPECT_NE(summary.text().find("tasks wait for each, at most 0.5"), std::string::npos)
      << summary.text();
  EXPECT_NE(summary.json().find("\"most_waiting_tasks\":5E-1"), std::string::npos)
      << summary.json();
}

}  // namespace
}  // namespace sluice::cli
