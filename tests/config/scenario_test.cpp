// Every key of a scenario sets its own field.
#include "config/scenario.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "config_tests/parse_scenario.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;
using Do = ScenarioEvent::Do;

constexpr std::string_view kWhole = R"(
config: { window: {law: rfc, initial: 20}, queues: {default: {}, q: {}}, resources: {ports: {}} }
machine: { cpus: 2.5, memory: 8GiB }
until: 1h
sensors: [ {at: 90s, name: load, pressure: 1.3}, {name: load, pressure: 0.2} ]
jobs:
  - {at: 1.000000001s, id: a, key: build, queue: q, priority: 5, inventory: 2, runs: 300s,
     outcome: oom, locks: {instance: "exclusive:i2,i1", node: "unknown-shared"}, global_lock: true,
     resources: {ports: 1}, memory: 512MiB, after: [b, b, c], on_failure: hold,
     reasons: ["rate-limit:2:lint", x], params: {instance: i1, "a b": ""}, cost: 15, nice: 0}
  - {id: b, runs: 0s}
  - {id: c, runs: 1h, key: "", memory: ~}
events:
  - {at: 11m, do: set, job: b, priority: 9, queue: q, position: {after: c}, frozen: true, nice: 3,
     locks: {node: "shared:n1"}, global_lock: false}
  - {do: pause}
  - {at: 12m, do: pause_queue, queue: q}
  - {at: 13m, do: reload, config: {window: {law: rfc, initial: 30}}}
)";

TEST(Scenario, OfNothingButItsEndIsAnIdleMachine) {
  const Scenario scenario = scenario_of("until: 0s");
  EXPECT_EQ(scenario.until, 0s);
  EXPECT_EQ(scenario.cpus, 1) << "nothing is read of the machine this runs on";
  EXPECT_FALSE(scenario.memory);
  EXPECT_TRUE(scenario.jobs.empty() && scenario.sensors.empty() && scenario.events.empty());
  EXPECT_FALSE(scenario.jobs_file);
  EXPECT_TRUE(scenario.config.given.empty());
}

TEST(Scenario, MayBeWithoutAnEnd) { EXPECT_FALSE(scenario_of("machine: {cpus: 1}").until); }

TEST(Scenario, OfARecordMayLackAQueueThatWasPaused) {
  const std::string pause = "until: 1s\nevents: [{do: pause_queue, queue: gone}]\n";
  EXPECT_TRUE(scenario_of("recorded: true\n" + pause).recorded);
  EXPECT_FALSE(scenario_of("until: 1s").recorded);
  EXPECT_EQ(scenario_errors(pause).size(), 1U);
}

TEST(Scenario, HasAMachine) {
  const Scenario scenario = scenario_of(kWhole);
  EXPECT_EQ(scenario.cpus, 2.5);
  EXPECT_EQ(scenario.config.cpus, 2.5) << "which points per CPU are resolved with";
  EXPECT_EQ(scenario.memory, Bytes{std::uint64_t{8} << 30});
  EXPECT_FALSE(scenario_of("{until: 1s, machine: {memory: unlimited}}").memory);
}

TEST(Scenario, HasAModelledHost) {
  const Scenario scenario = scenario_of(R"(
machine:
  {cpus: 4, memory: 8GiB, model: host, disk: 50MiB, quota: 1.5, steal: 0.25,
   neighbours: [{from: 5s, until: 9s, threads: 2, yields: true, memory: 1GiB}, {}]}
jobs:
  - {id: a, runs: 5s, cores: 2}
  - {id: b, phases: [{disk: 1MiB}, {runs: 3s, cores: 0.5, memory: 2MiB, growth: 3MiB}]}
)");
  ASSERT_TRUE(scenario.host);
  EXPECT_EQ(scenario.host->cpus, 4);
  EXPECT_EQ(scenario.cpus, 1.5) << "which the jobs may use";
  EXPECT_EQ(scenario.host->quota, 1.5);
  EXPECT_EQ(scenario.host->steal, 0.25);
  EXPECT_EQ(scenario.host->disk_per_second, Bytes{std::uint64_t{50} << 20});
  ASSERT_EQ(scenario.host->neighbours.size(), 2u);
  const ScenarioNeighbour& neighbour = scenario.host->neighbours[0];
  EXPECT_EQ(neighbour.from, 5s);
  EXPECT_EQ(neighbour.until, 9s);
  EXPECT_EQ(neighbour.threads, 2);
  EXPECT_TRUE(neighbour.yields);
  EXPECT_EQ(neighbour.memory, Bytes{std::uint64_t{1} << 30});
  EXPECT_FALSE(scenario.host->neighbours[1].until);
  EXPECT_EQ(scenario.jobs[0].cores, 2);
  ASSERT_EQ(scenario.jobs[1].phases.size(), 2u);
  EXPECT_EQ(scenario.jobs[1].phases[0].disk, Bytes{1 << 20});
  const ScenarioPhase& phase = scenario.jobs[1].phases[1];
  EXPECT_EQ(phase.runs, 3s);
  EXPECT_EQ(phase.cores, 0.5);
  EXPECT_EQ(phase.memory, Bytes{2 << 20});
  EXPECT_EQ(phase.growth, Bytes{3 << 20});
}

TEST(Scenario, RunsUnderKneeOnAModelledHostOnly) {
  const auto law_of = [](std::string_view text) {
    return scenario_of(text).config.governing.window.law;
  };
  EXPECT_EQ(law_of("machine: {cpus: 2}"), Law::adaptive);
  EXPECT_EQ(law_of("machine: {cpus: 2, model: host}"), Law::knee);
  EXPECT_EQ(law_of("{machine: {model: host}, config: {window: {law: rfc}}}"), Law::rfc);
}

TEST(Scenario, HasTheConfigurationsOfItsTime) {
  const Scenario scenario = scenario_of(
      "until: 1h\nconfig: {window: {step: 1}}\nevents:\n"
      "  - {at: 20s, do: reload, config: {window: {step: 4}}}\n"
      "  - {at: 10s, do: reload, config: {window: {step: 2}}}\n"
      "  - {at: 10s, do: reload, config: {window: {step: 3}}}\n"
      "  - {at: 15s, do: pause}\n");
  const std::pair<Duration, double> steps[] = {{0s, 1},  {10s - 1ns, 1}, {10s, 3},
                                               {19s, 3}, {20s, 4},       {1h, 4}};
  for (const auto& [at, step] : steps) {
    EXPECT_EQ(config_at(scenario, at).governing.window.step, PointsSpec{step}) << at.count();
  }
}

TEST(Scenario, CpuPointsAreInOrderOfTimeAndMakeKneeTheDefault) {
  const Scenario scenario = scenario_of(
      "{until: 1m, cpu: [{at: 9s, busy: 1, waiting: 2.5}, {busy: 0.5}], jobs: [{id: a, phases: "
      "[{runs: 1s, cores: 2, waiting: 0.5}]}]}");
  ASSERT_EQ(scenario.cpu.size(), 2u);
  EXPECT_EQ(scenario.cpu[0].at, 0s);
  EXPECT_EQ(scenario.cpu[0].busy, 0.5);
  EXPECT_EQ(scenario.cpu[0].waiting, 0);
  EXPECT_EQ(scenario.cpu[1].at, 9s);
  EXPECT_EQ(scenario.cpu[1].waiting, 2.5);
  EXPECT_EQ(scenario.jobs.at(0).phases.at(0).waiting, 0.5);
  EXPECT_EQ(scenario.config.governing.window.law, Law::knee);
  EXPECT_EQ(scenario_of("until: 1m").config.governing.window.law, Law::adaptive);
}

TEST(Scenario, SensorPointsAreInOrderOfTime) {
  const Scenario scenario = scenario_of(kWhole);
  ASSERT_EQ(scenario.sensors.size(), 2u);
  EXPECT_EQ(scenario.sensors[0].at, 0s);
  EXPECT_EQ(scenario.sensors[0].pressure, 0.2);
  EXPECT_EQ(scenario.sensors[1].at, 90s);
  EXPECT_EQ(scenario.sensors[1].name, "load");
  EXPECT_EQ(scenario.sensors[1].line, 5);
}

TEST(Scenario, JobsHaveAllTheirFields) {
  const Scenario scenario = scenario_of(kWhole);
  ASSERT_EQ(scenario.jobs.size(), 3u);
  const ScenarioJob& job = scenario.jobs[2];
  const JobRequest& request = job.request;
  EXPECT_EQ(job.line, 7);
  EXPECT_EQ(job.at, 1s + 1ns);
  EXPECT_EQ(job.runs, 300s);
  EXPECT_EQ(job.outcome, Outcome::oom);
  EXPECT_EQ(job.after, (Texts{"b", "c"})) << "each once";
  EXPECT_TRUE(request.after.empty());
  EXPECT_EQ(request.id, "a");
  EXPECT_EQ(request.key, "build");
  EXPECT_EQ(request.queue, "q");
  EXPECT_EQ(request.priority, 5);
  EXPECT_EQ(request.inventory, 2);
  EXPECT_EQ(request.cost, Points{15});
  EXPECT_EQ(request.nice, 0);
  EXPECT_TRUE(request.global_lock);
  EXPECT_EQ(request.memory, Bytes{std::uint64_t{512} << 20});
  EXPECT_EQ(request.on_failure, OnFailure::hold);
  EXPECT_EQ(request.reasons, (Texts{"rate-limit:2:lint", "x"}));
  EXPECT_EQ(request.resources, (std::vector<ResourceDemand>{{"ports", 1}}));
  EXPECT_EQ(request.params, (std::map<std::string, std::string>{{"instance", "i1"}, {"a b", ""}}));
  ASSERT_TRUE(request.locks && request.locks->size() == 2);
  EXPECT_EQ((*request.locks)[0].level, "instance");
  EXPECT_EQ((*request.locks)[0].exclusive, (Texts{"i1", "i2"}));
  EXPECT_TRUE((*request.locks)[1].unknown_shared);
}

TEST(Scenario, JobsLeaveOpenWhatTheyDoNotSay) {
  const Scenario scenario = scenario_of(kWhole);
  const ScenarioJob& job = scenario.jobs[0];
  EXPECT_EQ(job.request.id, "b");
  EXPECT_EQ(job.at, 0s);
  EXPECT_EQ(job.outcome, Outcome::ok);
  EXPECT_EQ(job.request.key, "");
  EXPECT_EQ(job.request.queue, "");
  EXPECT_EQ(job.request.on_failure, OnFailure::cancel);
  EXPECT_FALSE(job.request.priority || job.request.inventory || job.request.cost ||
               job.request.nice || job.request.memory || job.request.locks ||
               job.request.global_lock);
  const auto none =
      scenario_of("{until: 1s, jobs: [{id: a, runs: 1s, locks: {}}]}").jobs[0].request;
  EXPECT_TRUE(none.locks && none.locks->empty()) << "locks nothing, and says so";
}

TEST(Scenario, JobsMayAlreadyRunOrWait) {
  const auto jobs =
      scenario_of("jobs: [{id: a, runs: 1s, ran: 12s, holds: 15}, {id: b, runs: 1s, waited: 3s}]");
  EXPECT_EQ(jobs.jobs[0].ran, 12s);
  EXPECT_EQ(jobs.jobs[0].holds, Points{15});
  EXPECT_FALSE(jobs.jobs[1].ran || jobs.jobs[1].holds || jobs.jobs[0].waited);
  EXPECT_EQ(jobs.jobs[1].waited, 3s);
}

TEST(Scenario, JobsOfOneInstantKeepTheOrderOfTheFile) {
  const Scenario scenario = scenario_of(
      "{until: 1s, jobs: [{at: 2s, id: a, runs: 1s}, {at: 1s, id: b, runs: 1s}, {at: 2s, id: c, "
      "runs: 1s}, {at: 1s, id: d, runs: 1s}]}");
  std::string order;
  for (const ScenarioJob& job : scenario.jobs) order += job.request.id;
  EXPECT_EQ(order, "bdac");
}

TEST(Scenario, EventsHaveAllTheirFields) {
  const Scenario scenario = scenario_of(kWhole);
  ASSERT_EQ(scenario.events.size(), 4u);
  EXPECT_EQ(scenario.events[0].what, Do::pause);
  EXPECT_EQ(scenario.events[0].at, 0s);
  const ScenarioEvent& set = scenario.events[1];
  EXPECT_EQ(set.what, Do::set);
  EXPECT_EQ(set.place, (ConfigPosition{14, 5}));
  EXPECT_EQ(set.at, 11min);
  EXPECT_EQ(set.job, "b");
  EXPECT_EQ(set.queue, "q");
  EXPECT_EQ(set.priority, 9);
  EXPECT_EQ(set.nice, 3);
  EXPECT_EQ(set.frozen, true);
  EXPECT_EQ(set.global_lock, false);
  EXPECT_EQ(set.position->where, JobChange::Position::Where::after);
  EXPECT_EQ(set.position->of, "c");
  EXPECT_EQ(set.locks->at(0).shared, Texts{"n1"});
  EXPECT_EQ(scenario.events[2].what, Do::pause_queue);
  EXPECT_EQ(scenario.events[2].queue, "q");
  ASSERT_NE(scenario.events[3].config, nullptr);
  EXPECT_EQ(scenario.events[3].config->governing.window.initial, PointsSpec{30});
}

TEST(Scenario, EventsMoveAJobToFourPlaces) {
  using Where = JobChange::Position::Where;
  const std::pair<std::string, Where> places[] = {{"front", Where::front},
                                                  {"back", Where::back},
                                                  {"{before: b}", Where::before},
                                                  {"{after: b}", Where::after}};
  for (const auto& [text, where] : places) {
    const Scenario scenario = scenario_of(
        "{until: 1s, jobs: [{id: a, runs: 1s}, {id: b, runs: 1s}], events: [{do: set, job: a, "
        "position: " +
        text + "}]}");
    EXPECT_EQ(scenario.events[0].position->where, where);
    EXPECT_EQ(scenario.events[0].position->of, text.size() > 5 ? "b" : "");
  }
}

TEST(Scenario, EveryThingToDoIsKnown) {
  const std::pair<std::string, Do> actions[] = {{"pause", Do::pause},
                                                {"resume", Do::resume},
                                                {"drain", Do::drain},
                                                {"cancel, job: a", Do::cancel},
                                                {"set, job: a, frozen: false", Do::set},
                                                {"pause_queue, queue: default", Do::pause_queue},
                                                {"resume_queue, queue: default", Do::resume_queue},
                                                {"reload, config: {}", Do::reload}};
  for (const auto& [text, what] : actions) {
    const Scenario scenario =
        scenario_of("{until: 1s, jobs: [{id: a, runs: 1s}], events: [{do: " + text + "}]}");
    EXPECT_EQ(scenario.events.at(0).what, what);
  }
}

TEST(Scenario, JobsMayStandInAFileBesideIt) {
  const std::string text = "{until: 1s, jobs: {file: jobs.jsonl}, events: [{do: cancel, job: x}]}";
  const Scenario beside = scenario_of(text, "folder/s.yaml");
  ASSERT_TRUE(beside.jobs_file);
  EXPECT_EQ(beside.jobs_file->path, "folder/jobs.jsonl");
  EXPECT_EQ(beside.jobs_file->place, (ConfigPosition{1, 19}));
  EXPECT_EQ(scenario_of(text, "s.yaml").jobs_file->path, "jobs.jsonl");
  EXPECT_EQ(scenario_of("{until: 1s, jobs: {file: /a/b}}", "x/s.yaml").jobs_file->path, "/a/b");
  const auto errors = check_event_jobs(beside, [](std::string_view id) { return id != "x"; });
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(to_string(errors[0]), "folder/s.yaml:1:48: an event's job: unknown job `x`");
  EXPECT_TRUE(check_event_jobs(beside, [](std::string_view) { return true; }).empty());
}

TEST(Scenario, IsReadFromAFile) {
  const std::string path = ::testing::TempDir() + "scenario_test.yaml";
  std::ofstream(path) << kWhole;
  const ScenarioResult result = read_scenario(path);
  EXPECT_TRUE(std::holds_alternative<Scenario>(result));
  const ScenarioResult missing = read_scenario(path + ".not");
  EXPECT_EQ(to_string(std::get<std::vector<ConfigError>>(missing).at(0)),
            path + ".not: cannot be read: No such file or directory");
}

TEST(Scenario, NamesOnlyNeedToBeThereWhenTheyAreUsed) {
  const std::string reload = "events: [{at: 10s, do: reload, config: {queues: {late: {}}}}]";
  EXPECT_TRUE(scenario_errors("{until: 1h, " + reload +
                              ", jobs: [{at: 10s, id: a, runs: 1s, queue: late}]}")
                  .empty());
  EXPECT_EQ(
      scenario_errors("{until: 1h, " + reload + ", jobs: [{at: 9s, id: a, runs: 1s, queue: late}]}")
          .size(),
      1u);
  EXPECT_EQ(scenario_errors("{until: 1h, " + reload +
                            ", jobs: [{at: 10s, id: a, runs: 1s, queue: default}]}")
                .size(),
            1u);
}

/// Whether following `after` from a job leads back to it, by exhaustive search.
bool leads_back(const std::vector<ScenarioJob>& jobs, const std::string& from,
                const std::string& at, std::size_t depth) {
  if (depth > jobs.size()) return false;
  for (const ScenarioJob& job : jobs) {
    if (job.request.id != at) continue;
    for (const std::string& next : job.after) {
      if (next == at) continue;
      if (next == from || leads_back(jobs, from, next, depth + 1)) return true;
    }
  }
  return false;
}

TEST(Circles, AreFoundExactlyWhereThereAreAny) {
  std::mt19937_64 random(7);
  int with = 0, without = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<ScenarioJob> jobs(2 + random() % 5);
    for (std::size_t i = 0; i < jobs.size(); ++i)
      jobs[i].request.id = std::string(1, 'a' + static_cast<char>(i));
    for (ScenarioJob& job : jobs) {
      while (random() % 2 == 0) job.after.push_back(jobs[random() % jobs.size()].request.id);
    }
    bool expected = false;
    for (const ScenarioJob& job : jobs) {
      expected = expected || leads_back(jobs, job.request.id, job.request.id, 0);
    }
    const auto circles = find_cycles(jobs);
    ASSERT_EQ(!circles.empty(), expected);
    for (const std::vector<std::size_t>& circle : circles) {
      for (std::size_t i = 0; i < circle.size(); ++i) {
        const auto& after = jobs[circle[i]].after;
        const std::string& next = jobs[circle[(i + 1) % circle.size()]].request.id;
        EXPECT_NE(std::find(after.begin(), after.end(), next), after.end());
      }
    }
    ++(expected ? with : without);
  }
  EXPECT_GT(with, 50);
  EXPECT_GT(without, 50);
}

TEST(Circles, AreLookedForWithoutRecursion) {
  std::vector<ScenarioJob> jobs(200'000);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].request.id = std::to_string(i);
    jobs[i].after = {std::to_string((i + 1) % jobs.size())};
  }
  EXPECT_EQ(find_cycles(jobs).at(0).size(), jobs.size());
}

}  // namespace
}  // namespace sluice
