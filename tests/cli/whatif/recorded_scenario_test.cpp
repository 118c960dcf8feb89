#include "cli/whatif/recorded_scenario.h"

#include <gtest/gtest.h>

#include "../record/sample_record.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;
using testing::SampleRecord;
using testing::started;
using testing::submitted;
using testing::wall;

record::JobFinished finished(std::uint64_t job, Duration took) {
  record::JobFinished end{JobId{job}, "ok", "finish", "", true, took, took, Bytes{1 << 28}};
  return end;
}

record::Configured configured(const std::string& text = "{}") {
  return {2000, Bytes{4ULL << 30}, {text}};
}

/// A machine with two CPUs, and what `more` adds.
SampleRecord day() {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"}).add(0s, configured());
  sample.add(0s, record::Level{});
  return sample;
}

RecordedWork work_of(const SampleRecord& sample, const Span& span = {}) {
  RecordedWork work;
  sample.tell_part(span, [&](const auto& each, Side side) { work.add(each, side); });
  return work;
}

RecordedScenario scenario_in(const SampleRecord& sample, const ScenarioOverrides& overrides = {},
                             const Span& span = {}) {
  auto result = scenario_of(work_of(sample, span), overrides);
  if (const auto* problem = std::get_if<std::string>(&result)) ADD_FAILURE() << *problem;
  return std::get<RecordedScenario>(std::move(result));
}

std::string problem_in(const SampleRecord& sample, const ScenarioOverrides& overrides = {}) {
  auto result = scenario_of(work_of(sample), overrides);
  const auto* problem = std::get_if<std::string>(&result);
  return problem ? *problem : "";
}

TEST(RecordedScenario, JobsComeWhenTheyCameAndDoWhatTheyDid) {
  record::JobSubmitted job = submitted(7, "build-7");
  job.priority = 3;
  job.program = {"cc1plus"};
  job.memory = Bytes{1 << 20};
  job.own_cost = Points{12};
  job.locks = {{{"node"}, {"exclusive:n1"}}};
  job.resources = {{{"db"}, 2}};
  job.after = {JobId{6}};
  SampleRecord sample = day();
  sample.add(5s, submitted(6, "build-6"))
      .add(10s, job)
      .add(12s, started(6))
      .add(20s, finished(6, 8s))
      .add(25s, started(7))
      .add(40s, finished(7, 15s));
  const RecordedScenario recorded = scenario_in(sample);
  ASSERT_EQ(recorded.scenario.jobs.size(), 2U);
  const ScenarioJob& second = recorded.scenario.jobs[1];
  EXPECT_EQ(second.at, 10s);
  EXPECT_EQ(second.request.id, "build-7");
  EXPECT_EQ(second.request.queue, "gate");
  EXPECT_EQ(second.request.priority, 3);
  EXPECT_EQ(second.request.program, "cc1plus");
  EXPECT_EQ(second.request.user, "1000");
  EXPECT_EQ(second.request.memory, Bytes{1 << 20});
  EXPECT_EQ(second.request.cost, Points{12});
  ASSERT_TRUE(second.request.locks);
  EXPECT_EQ(to_text(second.request.locks->front()), "exclusive:n1");
  EXPECT_EQ(second.request.resources.front(), (ResourceDemand{"db", 2}));
  EXPECT_EQ(second.after, std::vector<std::string>{"build-6"});
  ASSERT_EQ(second.phases.size(), 1U);
  EXPECT_EQ(second.phases[0].runs, 15s);
  EXPECT_DOUBLE_EQ(second.phases[0].cores, 1);
  EXPECT_EQ(recorded.scenario.cpus, 2);
  EXPECT_EQ(recorded.scenario.memory, Bytes{4ULL << 30});
  EXPECT_EQ(recorded.recorded.waits.at("build-7"), 15s);
  EXPECT_EQ(recorded.recorded.makespan, 40s);
}

TEST(RecordedScenario, OfAPartHasWhatRanAndWaitedAtItsBegin) {
  SampleRecord sample = day();
  sample.add(1s, submitted(1, "gone"))
      .add(1s, started(1))
      .add(2s, finished(1, 1s))
      .add(3s, submitted(2, "runs"))
      .add(3s, started(2))
      .add(4s, submitted(3, "waits"))
      .add(10s, record::Level{})
      .add(13s, finished(2, 10s))
      .add(14s, started(3))
      .add(15s, finished(3, 1s));
  const RecordedScenario recorded = scenario_in(sample, {}, {.from = wall(10s)});
  ASSERT_EQ(recorded.scenario.jobs.size(), 2U);
  EXPECT_EQ(recorded.scenario.jobs[0].request.id, "runs");
  EXPECT_EQ(recorded.scenario.jobs[0].at, 0s);
  EXPECT_EQ(recorded.scenario.jobs[0].phases[0].runs, 3s);
  EXPECT_EQ(recorded.scenario.jobs[1].at, 0s);
  ASSERT_EQ(recorded.recorded.waits.size(), 1U);
  EXPECT_EQ(recorded.recorded.waits.at("waits"), 4s) << "from the begin of the part on";
}

TEST(RecordedScenario, APartGoesByTheOrderOfTheRecordThoughTheClockWasSetBack) {
  SampleRecord sample = day();
  sample.add(1s, submitted(1, "ends beyond"))
      .add(1s, started(1))
      .add(25s, finished(1, 24s))
      .add(31s, submitted(2, "comes after"))
      .add(32s, started(2))
      .add(60s, finished(2, 28s));
  std::vector<record::Dated> entries;
  sample.tell([&](const record::Dated& each) { entries.push_back(each); });
  for (record::Dated& each : entries) {
    if (each.at > TimePoint(30s)) each.wall -= 20s;
  }
  RecordPart part({.to = wall(20s)});
  for (const record::Dated& each : entries) part.find(each);
  RecordedWork work;
  for (const record::Dated& each : entries) work.add(each, part.next());
  const auto recorded = std::get<RecordedScenario>(scenario_of(work, {}));
  EXPECT_EQ(recorded.jobs, 2U);
  EXPECT_EQ(recorded.recorded.makespan, 25s) << "the end of the first job is of that time";
  EXPECT_EQ(recorded.recorded.waits.at("comes after"), 1s);
}

TEST(RecordedScenario, TellsOfJobsThatItKnowsLittleAbout) {
  record::JobFinished unmeasured = finished(1, 0s);
  unmeasured.measured = false;
  SampleRecord sample = day();
  sample.add(1s, submitted(1, "unmeasured"))
      .add(2s, started(1))
      .add(5s, unmeasured)
      .add(6s, submitted(2, "unfinished"))
      .add(7s, started(2))
      .add(8s, submitted(3, "left-out"))
      .add(9s, record::Level{});
  const RecordedScenario recorded = scenario_in(sample);
  EXPECT_EQ(recorded.unmeasured, 1U);
  EXPECT_EQ(recorded.unfinished, 1U);
  EXPECT_EQ(recorded.left_out, 1U);
  ASSERT_EQ(recorded.scenario.jobs.size(), 2U);
  EXPECT_EQ(recorded.scenario.jobs[0].phases[0].runs, 3s);
  EXPECT_DOUBLE_EQ(recorded.scenario.jobs[0].phases[0].cores, 0);
  EXPECT_EQ(recorded.scenario.jobs[1].phases[0].runs, 2s);
}

TEST(RecordedScenario, AJobWhoseEndWasLostEndsWhereTheRecordBrokeOff) {
  SampleRecord sample = day();
  sample.add(1s, submitted(1, "lost"))
      .add(2s, started(1))
      .add(5s, record::Level{})
      .add(60s, record::DaemonEvent{"started", {"1.2.3"}, std::vector<JobId>{}})
      .add(100s, record::Level{});
  const RecordedScenario recorded = scenario_in(sample);
  EXPECT_EQ(recorded.lost_ends, 1U);
  EXPECT_EQ(recorded.unfinished, 0U);
  ASSERT_EQ(recorded.scenario.jobs.size(), 1U);
  EXPECT_EQ(recorded.scenario.jobs[0].phases[0].runs, 3s);
}

TEST(RecordedScenario, OperatorsReloadsAndCancellationsAreEvents) {
  SampleRecord sample = day();
  sample.add(1s, submitted(1, "a"))
      .add(2s, record::DaemonEvent{"operated", {"paused"}})
      .add(3s, record::DaemonEvent{"operated", {"queue nightly paused"}})
      .add(4s, configured("window: {law: rfc}"))
      .add(5s, record::JobFinished{JobId{1}, "cancelled", "cancel", "", false, 0s, 0s, {}});
  const auto& events = scenario_in(sample).scenario.events;
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].what, ScenarioEvent::Do::pause);
  EXPECT_EQ(events[0].at, 2s);
  EXPECT_EQ(events[1].what, ScenarioEvent::Do::pause_queue);
  EXPECT_EQ(events[1].queue, "nightly");
  EXPECT_EQ(events[2].what, ScenarioEvent::Do::reload);
  EXPECT_EQ(events[2].config->governing.window.law, Law::rfc);
  EXPECT_EQ(events[3].what, ScenarioEvent::Do::cancel);
  EXPECT_EQ(events[3].job, "a");
}

TEST(RecordedScenario, AnotherConfigurationReplacesTheRecordedOnes) {
  SampleRecord sample = day();
  sample.add(1s, submitted(1, "a"))
      .add(1s, started(1))
      .add(2s, finished(1, 1s))
      .add(4s, configured("window: {law: rfc}"));
  ScenarioOverrides overrides;
  overrides.config = {"window: {law: adaptive}", "new.yaml"};
  overrides.settings = {{"window.initial", "7"}};
  overrides.cpus = 8;
  const Scenario scenario = scenario_in(sample, overrides).scenario;
  EXPECT_TRUE(scenario.events.empty());
  EXPECT_EQ(scenario.config.governing.window.law, Law::adaptive);
  EXPECT_EQ(scenario.config.governing.window.initial->on(8), Points{7});
  EXPECT_EQ(scenario.host->cpus, 8);
}

TEST(RecordedScenario, AJobOfABuildFollowsTheOneThatEndedBeforeIt) {
  const auto of_build = [](std::uint64_t number, const std::string& id) {
    record::JobSubmitted job = submitted(number, id);
    job.queue = {"default/make-17"};
    return job;
  };
  SampleRecord sample = day();
  sample.add(1s, of_build(1, "a"))
      .add(1s, of_build(2, "b"))
      .add(1s, started(1))
      .add(1s, started(2))
      .add(3s, finished(1, 2s))
      .add(3s + 20ms, of_build(3, "c"))
      .add(3s + 20ms, started(3))
      .add(3s + 30ms, of_build(4, "d"))
      .add(4s, finished(2, 3s))
      .add(4s, finished(3, 1s))
      .add(9s, of_build(5, "late"))
      .add(9s, started(5))
      .add(9s, finished(5, 1s));
  const auto jobs = scenario_in(sample).scenario.jobs;
  ASSERT_EQ(jobs.size(), 4U);
  EXPECT_EQ(jobs[2].request.id, "c");
  EXPECT_EQ(jobs[2].follows, "a");
  EXPECT_EQ(jobs[2].gap, 20ms);
  EXPECT_EQ(jobs[2].at, 1s);
  EXPECT_EQ(jobs[3].request.id, "late");
  EXPECT_EQ(jobs[3].follows, "");
}

TEST(RecordedScenario, KeysThatTheDaemonCouldPredictAreLearnedBefore) {
  record::JobStarted unknown = started(2);
  unknown.expected_memory = Bytes{0};
  record::JobSubmitted other = submitted(2, "cold");
  other.key = {"cold"};
  SampleRecord sample = day();
  sample.add(1s, submitted(1, "warm"))
      .add(1s, started(1))
      .add(2s, other)
      .add(2s, unknown)
      .add(3s, finished(1, 2s))
      .add(4s, finished(2, 2s));
  const auto history = scenario_in(sample).scenario.history;
  ASSERT_TRUE(history);
  ASSERT_EQ(history->size(), 1U);
  EXPECT_EQ(history->front().key, "g++");
  EXPECT_EQ(history->front().runs, 2s);
  EXPECT_EQ(history->front().memory, Bytes{1 << 28});
}

TEST(RecordedScenario, OnlySensorsThatDependOnNoJobAreScripted) {
  SampleRecord sample = day();
  sample.add(1s, submitted(1, "a"))
      .add(1s, started(1))
      .add(2s, finished(1, 1s))
      .add(3s, record::Pressures{{{{"load"}, 900}, {{"disk"}, 1100}}});
  const auto sensors = scenario_in(sample).scenario.sensors;
  ASSERT_EQ(sensors.size(), 1U);
  EXPECT_EQ(sensors[0].name, "disk");
  EXPECT_DOUBLE_EQ(sensors[0].pressure, 1.1);
}

TEST(RecordedScenario, ASensorThatIsIgnoredOrOfAnEarlierDaemonNoLongerPresses) {
  SampleRecord sample = day();
  sample.add(1s, submitted(1, "a")).add(1s, started(1)).add(2s, finished(1, 1s));
  sample.add(3s, record::Pressures{{{{"disk"}, 5000}, {{"own"}, 2000}}})
      .add(4s, record::SensorVerdict{{"own"}, false, false, true, {"gone"}})
      .add(5s, record::DaemonEvent{"started", {""}});
  std::string shown;
  for (const SensorPoint& each : scenario_in(sample).scenario.sensors) {
    shown += each.name + " " + std::to_string(static_cast<int>(each.pressure)) + ", ";
  }
  EXPECT_EQ(shown, "disk 5, own 2, own 0, disk 0, ");
  ScenarioOverrides overrides;
  overrides.config = {"window: {law: rfc}", "new.yaml"};
  for (const SensorPoint& each : scenario_in(sample, overrides).scenario.sensors) {
    EXPECT_EQ(each.name, "disk") << "the configuration lacks the other";
  }
}

TEST(RecordedScenario, SaysThatALimitOfAScriptedSensorHasNoEffect) {
  SampleRecord sample = day();
  sample.add(1s, submitted(1, "a"))
      .add(1s, started(1))
      .add(2s, finished(1, 1s))
      .add(3s, record::Pressures{{{{"load"}, 900}, {{"disk"}, 1100}}});
  EXPECT_TRUE(scenario_in(sample).remarks.empty());
  EXPECT_TRUE(scenario_in(sample, {.settings = {{"sensors.disk.limit", "5%"}}}).remarks.empty());
  EXPECT_TRUE(scenario_in(sample, {.settings = {{"sensors.load.limit", "9"}}}).remarks.empty());
  const std::vector<std::string> remarks{
      "sensors.disk.limit has no effect: pressures are recorded as parts of the old limit"};
  EXPECT_EQ(scenario_in(sample, {.settings = {{"sensors.disk.limit", "20%"}}}).remarks, remarks);
  ScenarioOverrides overrides;
  overrides.config = {"sensors: {disk: {limit: 20%}}", "new.yaml"};
  EXPECT_EQ(scenario_in(sample, overrides).remarks, remarks);
}

TEST(RecordedScenario, HashedNamesAreLeftOutWithARemark) {
  record::JobSubmitted job = submitted(1, "#00000000000000aa");
  job.queue = {"#00000000000000bb"};
  job.locks = {{{"#00000000000000cc"}, {"#00000000000000dd"}}};
  job.resources = {{{"#00000000000000ee"}, 2}};
  SampleRecord sample;
  sample.add(0s, configured("#0123456789abcdef"))
      .add(1s, job)
      .add(1s, started(1))
      .add(2s, finished(1, 1s));
  ScenarioOverrides overrides;
  overrides.config = {"queues: {gate: {}}", "new.yaml"};
  const RecordedScenario recorded = scenario_in(sample, overrides);
  ASSERT_EQ(recorded.scenario.jobs.size(), 1U);
  const JobRequest& request = recorded.scenario.jobs[0].request;
  EXPECT_EQ(request.id, "#00000000000000aa");
  EXPECT_EQ(request.queue, "");
  EXPECT_FALSE(request.locks);
  EXPECT_TRUE(request.resources.empty());
  ASSERT_EQ(recorded.remarks.size(), 1U);
  EXPECT_TRUE(recorded.remarks[0].starts_with("the record's names are hashed "));
}

TEST(RecordedScenario, SaysWhatIsMissing) {
  EXPECT_EQ(problem_in(SampleRecord{}), "the record has no entries");
  EXPECT_EQ(problem_in(day()), "the record has no jobs");
  SampleRecord old;
  old.add(0s, submitted(1, "a"));
  EXPECT_EQ(problem_in(old).substr(0, 53), "the record does not say how many CPUs the machine has");
  EXPECT_EQ(problem_in(old, {.cpus = 2}).substr(0, 58),
            "the record does not say which configuration was in force: ");
  SampleRecord hashed;
  hashed.add(0s, configured("#0123456789abcdef")).add(1s, submitted(1, "#0123456789abcdef"));
  EXPECT_EQ(
      problem_in(hashed),
      "the record's configuration is hashed (service.record.names), and there are no calls to "
      "replay: give one to sluice whatif or sluice replay with --config FILE");
}

TEST(RecordedScenario, ErrorsOfAConfigurationNameItsFile) {
  SampleRecord sample = day();
  sample.add(1s, submitted(1, "a"));
  ScenarioOverrides overrides;
  overrides.config = {"window: {lw: rfc}", "new.yaml"};
  const auto result = scenario_of(work_of(sample), overrides);
  const auto& errors = std::get<std::vector<ConfigError>>(result);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].file, "new.yaml");
  EXPECT_EQ(errors[0].line, 1);
}

std::vector<std::string> errors_in(const std::string& config,
                                   const std::vector<ConfigSetting>& settings) {
  SampleRecord sample = day();
  sample.add(0s, configured(config)).add(1s, submitted(1, "a"));
  ScenarioOverrides overrides;
  overrides.settings = settings;
  const auto result = scenario_of(work_of(sample), overrides);
  std::vector<std::string> lines;
  if (const auto* errors = std::get_if<std::vector<ConfigError>>(&result)) {
    for (const ConfigError& each : *errors) lines.push_back(to_string(each));
  }
  return lines;
}

TEST(RecordedScenario, ErrorsOfASettingNameIt) {
  const auto only = [](const std::string& config, const std::vector<ConfigSetting>& settings) {
    const std::vector<std::string> lines = errors_in(config, settings);
    return lines.size() == 1 ? lines[0] : std::to_string(lines.size()) + " errors";
  };
  const std::string window = "window: {minimum: 10, initial: 10, maximum: 10}";
  const std::string unknown = only(window, {{"window.law", "knee"}, {"nosuch.x", "1"}});
  EXPECT_TRUE(unknown.starts_with("--set nosuch.x=1: unknown key `nosuch`")) << unknown;
  EXPECT_EQ(only(window, {{"window.initial", "20"}}),
            "--set window.initial=20: window.initial (20) must not be above window.maximum (10)");
  EXPECT_EQ(
      only(window, {{"window.maximum", "30"}, {"window.initial", "40"}}),
      "--set window.maximum=30 --set window.initial=40: window.initial (40) must not be above "
      "window.maximum (30)");
  const std::string own = only("window: {lw: rfc}", {{"window.initial", "20"}});
  EXPECT_TRUE(own.starts_with("the recorded configuration:1:")) << own;
}

}  // namespace
}  // namespace sluice::cli
