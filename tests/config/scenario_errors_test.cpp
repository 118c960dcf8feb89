// The exact text and position of errors in a scenario.
#include <gtest/gtest.h>

#include "config_tests/parse_scenario.h"

namespace sluice {
namespace {

using Errors = std::vector<std::string>;

struct ScenarioCase {
  std::string text;
  std::string error;
};

void expect_scenario_errors(const std::vector<ScenarioCase>& cases) {
  for (const ScenarioCase& c : cases) EXPECT_EQ(scenario_errors(c.text), Errors{c.error}) << c.text;
}

std::string with_job(const std::string& fields) {
  return "until: 1h\njobs:\n- {id: a, runs: 1s, " + fields + "}\n";
}

std::string with_event(const std::string& fields) {
  return "until: 1h\njobs: [{id: a, runs: 1s}]\nevents:\n- {" + fields + "}\n";
}

/// Expects one error that starts with `front`; the library's sentence follows.
void expect_scenario_error_front(const std::string& text, const std::string& front) {
  const Errors errors = scenario_errors(text);
  ASSERT_EQ(errors.size(), 1u) << text;
  EXPECT_TRUE(errors[0].starts_with(front)) << errors[0] << "\ninstead of\n" << front;
}

TEST(ScenarioErrors, OfTheWhole) {
  expect_scenario_errors({
      {"", "f: a scenario must be a map of keys such as `until:`; is empty"},
      {"[]", "f:1:1: a scenario must be a map of keys such as `until:`; is an empty list"},
      {"until: 60",
       "f:1:8: until must be a duration such as 30s, 10min or 500ms; is `60`; add the unit: ns, "
       "us, ms, s, min (or m), h or d"},
      {"until: -1s", "f:1:8: until must not be negative; is `-1s`"},
      {"until: [1s]", "f:1:8: until must be a duration such as 1h; is a list"},
      {"until: 1h\njob: []", "f:2:1: unknown key `job`; did you mean `jobs`?"},
      {"until: 1h\nuntil: 2h", "f:2:1: key `until` is given twice, first in line 1"},
      {"until: 1h\nautoscale: {min: 1}",
       "f:2:1: `autoscale` belongs in an autoscaler scenario: `sluice replay --autoscale FILE`"},
      {"until: 1h\nobservations: []",
       "f:2:1: `observations` belongs in an autoscaler scenario: `sluice replay --autoscale FILE`"},
      {"until: {",
       "f:1:8: not YAML: end of map flow not found; this { or [ is not closed, or a "
       "comma is missing in it"},
      {"until: 1h\njobs: 3", "f:2:7: jobs must be a list, or {file: PATH}; is `3`"},
      {"until: 1h\nsensors: {}", "f:2:10: sensors must be a list; is a map"},
      {"until: 1h\nevents: pause", "f:2:9: events must be a list; is `pause`"},
      {"until: 1h\njobs: {fil: x, file: y}",
       "f:2:8: jobs: unknown key `fil`; did you mean `file`?"},
      {"until: 1h\njobs: {}", "f:2:7: jobs: jobs needs `file`"},
  });
}

TEST(ScenarioErrors, OfMachineAndConfiguration) {
  expect_scenario_errors({
      {"until: 1h\nmachine: {cpus: 0}",
       "f:2:17: machine: cpus must be above 0 and at most 10000; is `0`"},
      {"until: 1h\nmachine: {memory: 5}",
       "f:2:19: machine: memory must be a size such as 512MiB, 1.5GiB or 4096B, or unlimited; is "
       "`5`; add the unit: B, KiB, MiB, GiB, TiB, kB, MB, GB or TB"},
      {"until: 1h\nmachine: {cpu: 1}", "f:2:11: machine: unknown key `cpu`; did you mean `cpus`?"},
      {"until: 1h\nconfig: {window: {intial: 5}}",
       "f:2:19: unknown key `intial`; did you mean `initial`?"},
      {"until: 1h\nmachine: {cpus: 2}\nconfig: {window: {initial: 30, maximum: 10/cpu}}",
       "f:3:28: window.initial (30) must not be above window.maximum (10/cpu, so 20 with 2 CPUs)"},
      {"until: 1h\nevents:\n- {do: reload, config: {contention: {mode: hodl}}}",
       "f:3:44: contention.mode must be one of off, order, hold; is `hodl`; did you mean `hold`?"},
  });
}

TEST(ScenarioErrors, OfAModelledHost) {
  expect_scenario_errors({
      {"machine: {model: hots}",
       "f:1:18: machine: model must be host; is `hots`; did you mean `host`?"},
      {"cpu: [{at: 0s, waiting: 1}]", "f:1:7: cpu[0]: a point needs `busy`"},
      {"cpu: [{busy: 2}]", "f:1:14: cpu[0]: busy must be at least 0 and at most 1; is `2`"},
      {"{machine: {model: host}, cpu: [{busy: 1}]}",
       "f:1:31: cpu: `machine: {model: host}` measures its own CPUs; leave out one"},
      {"machine: {quota: 1.5}", "f:1:11: machine: quota needs `model: host`"},
      {"machine: {neighbours: [{threads: 1}]}", "f:1:11: machine: neighbours needs `model: host`"},
      {"machine: {model: host, steal: 1}",
       "f:1:31: machine: steal must be at least 0 and below 1; is `1`"},
      {"machine: {model: host, neighbours: [{threads: 1}, {thread: 1}]}",
       "f:1:52: machine.neighbours[1]: unknown key `thread`; did you mean `threads`?"},
      {"machine: {model: host, neighbours: 3}",
       "f:1:36: machine.neighbours must be a list; is `3`"},
  });
}

TEST(ScenarioErrors, OfPhases) {
  const std::string front = "until: 1h\njobs:\n- {id: a, phases: ";
  expect_scenario_errors({
      {front + "[{runs: 1s}, {core: 1}]}",
       "f:3:33: jobs[0]: phases[1]: unknown key `core`; did you mean `cores`?"},
      {front + "[{cores: -1}]}",
       "f:3:28: jobs[0]: phases[0]: cores must be at least 0 and at most 10000; is `-1`"},
      {front + "[]}", "f:3:19: jobs[0]: phases must be a list of maps; is an empty list"},
      {front + "[3]}", "f:3:20: jobs[0]: phases[0]: a phase must be a map of keys; is `3`"},
      {with_job("phases: [{runs: 1s}]"),
       "f:3:11: jobs[0]: runs: belongs into the phases of a job with `phases`"},
  });
}

TEST(ScenarioErrors, OfABatch) {
  expect_scenario_errors({
      {with_job("batch_waiting: 16"),
       "f:3:3: jobs[0]: batch: is needed by batch_waiting and batch_unfinished"},
      {with_job("batch: b"), "f:3:28: jobs[0]: batch: needs batch_waiting or batch_unfinished"},
      {with_job("batch: b, batch_unfinished: 1, follows: z"),
       "f:3:61: jobs[0]: follows: not for a job of a batch"},
      {with_job("batch: b, batch_waiting: 0"),
       "f:3:46: jobs[0]: batch_waiting must be at least 1 and at most 1000000; is `0`"},
  });
}

TEST(ScenarioErrors, OfSensorPoints) {
  const std::string front = "until: 1h\nsensors:\n- ";
  expect_scenario_errors({
      {front + "{name: load}", "f:3:3: sensors[0]: a sensor's point needs `pressure`"},
      {front + "{pressure: 1}", "f:3:3: sensors[0]: a sensor's point needs `name`"},
      {front + "{name: load, pressure: -0.1}",
       "f:3:26: sensors[0]: pressure must be at least 0 and at most 100; is `-0.1`"},
      {front + "{name: load, pressure: nan}",
       "f:3:26: sensors[0]: pressure must be a number such as 2.5; is `nan`"},
      {front + "{name: Load, pressure: 1}",
       "f:3:10: sensors[0]: name must be of a-z, 0-9 and _, and at most 64 letters; is `Load`"},
      {front + "{name: pause, pressure: 1}",
       "f:3:10: sensors[0]: name must be a sensor; is `pause`; `pause` is an event"},
      {front + "load", "f:3:3: sensors[0]: a sensor's point must be a map of keys; is `load`"},
  });
}

TEST(ScenarioErrors, OfAJobsFields) {
  expect_scenario_errors({
      {"until: 1h\njobs: [{runs: 1s}]", "f:2:8: jobs[0]: a job needs `id`"},
      {"until: 1h\njobs: [{id: a}]", "f:2:8: jobs[0]: a job needs `runs`"},
      {"until: 1h\njobs: [a]", "f:2:8: jobs[0]: a job must be a map of keys; is `a`"},
      {with_job("prioritty: 1"),
       "f:3:21: jobs[0]: unknown key `prioritty`; did you mean `priority`?"},
      {with_job("at: 1.0000000001s"),
       "f:3:25: jobs[0]: at must be whole nanoseconds: at most nine decimals of a second; is "
       "`1.0000000001s`"},
      {with_job("priority: high"), "f:3:31: jobs[0]: priority must be a whole number; is `high`"},
      {with_job("priority: {}"),
       "f:3:31: jobs[0]: priority must be a whole number such as 5; is a map"},
      {with_job("cost: 0"),
       "f:3:27: jobs[0]: cost must be at least 1 and at most 16777215; is `0`"},
      {with_job("nice: 20"), "f:3:27: jobs[0]: nice must be at least -20 and at most 19; is `20`"},
      {with_job("inventory: -1"),
       "f:3:32: jobs[0]: inventory must be at least 0 and at most 1000000; is `-1`"},
      {with_job("outcome: okay"),
       "f:3:30: jobs[0]: outcome must be one of ok, failed, oom, cancelled, unknown; is `okay`"},
      {with_job("global_lock: maybe"),
       "f:3:34: jobs[0]: global_lock must be true or false; is `maybe`"},
      {with_job("memory: lots"),
       "f:3:29: jobs[0]: memory must be a size such as 512MiB, 1.5GiB or "
       "4096B; is `lots`"},
      {with_job("on_failure: stop"),
       "f:3:33: jobs[0]: on_failure must be one of cancel, run, hold; is `stop`"},
      {with_job("reasons: x"),
       "f:3:30: jobs[0]: reasons must be a list of texts such as [a, b]; is "
       "`x`"},
      {with_job("reasons: [[x]]"), "f:3:31: jobs[0]: reasons[0] must be one value; is a list"},
      {with_job("params: {a: [x]}"), "f:3:33: jobs[0]: params.a must be a text; is a list"},
      {with_job("locks: all-shared"),
       "f:3:28: jobs[0]: locks must be a map of locks such as {node: \"exclusive:n1\"}; is "
       "`all-shared`"},
  });
}

TEST(ScenarioErrors, OfNamesThatAreNotThere) {
  expect_scenario_errors({
      {with_job("queue: defualt"),
       "f:3:28: jobs[0]: queue: unknown queue `defualt`; did you mean `default`?"},
      {with_job("resources: {db: 1}"),
       "f:3:37: jobs[0]: resources.db: unknown resource manager `db`; "
       "declare it under `resources:`"},
      {with_job("locks: {nodes: none}"),
       "f:3:36: jobs[0]: locks.nodes: unknown level `nodes`; did you mean `node`?"},
      {with_job("after: [b]"), "f:3:28: jobs[0]: after: unknown job `b`; there is a"},
  });
  expect_scenario_error_front(with_job("locks: {node: \"exclusiv:x\"}"),
                              "f:3:35: jobs[0]: locks.node is not a lock declaration: ");
}

TEST(ScenarioErrors, OfBoundsAndNegativeNumbers) {
  const std::string resources = "config: {resources: {db: {}}}\n";
  EXPECT_EQ(scenario_errors(resources + with_job("resources: {db: -1}")),
            Errors{"f:4:37: jobs[0]: resources.db must be at least 0; is `-1`"});
  for (const std::string field : {"key", "reasons", "params", "after", "locks"}) {
    const bool after = field == "after";
    const std::size_t most = field == "key" ? 256 : 255;
    const std::string longest(most, 'n'), too_long(most + 1, 'n');
    const auto value = [&](const std::string& name) {
      if (field == "reasons" || after) return "[" + name + "]";
      if (field == "params") return "{" + name + ": x}";
      return field == "locks" ? "{node: \"shared:" + name + "\"}" : name;
    };
    EXPECT_EQ(scenario_errors(with_job(field + ": " + value(longest))).size(), after ? 1u : 0u);
    const Errors errors = scenario_errors(with_job(field + ": " + value(too_long)));
    ASSERT_EQ(errors.size(), 1u) << field;
    EXPECT_NE(errors[0].find("jobs[0]: " + field), std::string::npos) << errors[0];
    EXPECT_NE(errors[0].find(std::to_string(most)), std::string::npos) << errors[0];
    EXPECT_LT(errors[0].size(), 700u) << "a message is for people";
  }
}

TEST(ScenarioErrors, OfTooManyNamesInOneLock) {
  std::string names = "n0";
  for (int i = 1; i < 100'000; ++i) names += ",n" + std::to_string(i);
  const Errors errors = scenario_errors(with_job("locks: {node: \"exclusive:" + names + "\"}"));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_TRUE(errors[0].starts_with("f:3:35: jobs[0]: locks.node ")) << errors[0];
  EXPECT_LT(errors[0].size(), 300u);
  std::string half = "m0";
  for (int i = 1; i < 501; ++i) half += ",m" + std::to_string(i);
  EXPECT_EQ(scenario_errors(with_job("locks: {node: \"shared:" + half +
                                     "\", instance: \"shared:" + half + "\"}")),
            Errors{"f:3:28: jobs[0]: locks must have at most 1000 names across all levels; is a "
                   "map; it has 1002"});
}

TEST(ScenarioErrors, OfIdsAndDependencies) {
  const std::string front = "until: 1h\njobs:\n- {id: a, runs: 1s";
  expect_scenario_errors({
      {front + "}\n- {id: b, runs: 1s}\n- {id: a, runs: 1s}",
       "f:5:8: jobs[2]: id `a` is given twice, first in line 3"},
      {front + ", after: [a]}", "f:3:28: jobs[0]: after must not name the job itself"},
      {front + ", after: [b]}\n- {id: b, runs: 1s, after: [c]}\n- {id: c, runs: 1s, after: [a]}",
       "f:3:28: jobs[0]: after must not lead back to the job itself: `a`, `b`, `c`, `a`"},
      {front + "}\n- {id: first-job, runs: 1s, after: [frist-job]}",
       "f:4:36: jobs[1]: after: unknown job `frist-job`; did you mean `first-job`?"},
  });
  EXPECT_TRUE(scenario_errors(front + ", after: [b]}\n- {at: 1m, id: b, runs: 1s}").empty())
      << "a job may come later in the file and later in time";
}

TEST(ScenarioErrors, OfTimesOfMoreThanTenThousandDays) {
  const std::string most = " must be at most 10000d; is `10001d`";
  expect_scenario_errors({
      {"until: 10001d", "f:1:8: until" + most},
      {"jobs: [{at: 10001d, id: a, runs: 1s}]", "f:1:13: jobs[0]: at" + most},
      {"jobs: [{id: a, runs: 10001d}]", "f:1:22: jobs[0]: runs" + most},
      {with_job("gap: 10001d"), "f:3:26: jobs[0]: gap" + most},
      {with_event("do: pause, at: 10001d"), "f:4:19: events[0]: at" + most},
  });
  EXPECT_TRUE(scenario_errors("jobs: [{at: 10000d, id: a, runs: 10000d}]").empty());
}

TEST(ScenarioErrors, OfEvents) {
  expect_scenario_errors({
      {with_event("at: 1s"), "f:4:3: events[0]: an event needs `do`"},
      {with_event("do: stop"),
       "f:4:8: events[0]: do must be one of pause, resume, drain, cancel, set, pause_queue, "
       "resume_queue, reload; is `stop`"},
      {with_event("do: pausequeue"),
       "f:4:8: events[0]: do must be one of pause, resume, drain, cancel, set, pause_queue, "
       "resume_queue, reload; is `pausequeue`; did you mean `pause_queue`?"},
      {with_event("do: pause, job: a"), "f:4:15: events[0]: job has no meaning with `do: pause`"},
      {with_event("do: cancel"), "f:4:3: events[0]: an event with `do: cancel` needs `job`"},
      {with_event("do: cancel, job: b"), "f:4:3: an event's job: unknown job `b`"},
      {with_event("do: pause_queue"),
       "f:4:3: events[0]: an event with `do: pause_queue` needs `queue`"},
      {with_event("do: pause_queue, queue: x"),
       "f:4:28: events[0]: queue: unknown queue `x`; there is default"},
      {with_event("do: reload"), "f:4:3: events[0]: an event with `do: reload` needs `config`"},
      {with_event("do: reload, config: 5"), "f:4:24: config must be a map of keys; is `5`"},
      {with_event("do: set, job: a"),
       "f:4:3: events[0]: an event with `do: set` needs something to set: queue, priority, "
       "position, frozen, nice, locks, global_lock"},
      {with_event("do: set, job: a, position: middle"),
       "f:4:31: events[0]: position must be front, back, {before: ID} or {after: ID}; is `middle`"},
      {with_event("do: set, job: a, position: {before: b}"),
       "f:4:3: an event's position: unknown job `b`"},
      {with_event("do: set, job: a, position: {befor: b}"),
       "f:4:31: events[0]: position must be front, back, {before: ID} or {after: ID}; is a map"},
      {with_event("do: set, job: a, locks: {nod: none}"),
       "f:4:34: events[0]: locks.nod: unknown level `nod`; did you mean `node`?"},
      {with_event("do: set, job: a, queue: x"),
       "f:4:28: events[0]: queue: unknown queue `x`; there is default"},
  });
}

TEST(ScenarioErrors, AreAllSaidAtOnceInTheOrderOfTheFile) {
  EXPECT_EQ(
      scenario_errors("config:\n  window: {law: rcf}\n"
                      "jobs:\n- {id: a, at: 1, after: [x]}\n- {id: a, runs: 1s, queue: q}\n"
                      "events: [{do: cancel}]\n"),
      (Errors{
          "f:2:17: window.law must be one of adaptive, knee, rfc; is `rcf`; did you mean `rfc`?",
          "f:4:3: jobs[0]: a job needs `runs`",
          "f:4:15: jobs[0]: at must be a duration such as 30s, 10min or 500ms; is `1`; add "
          "the unit: ns, us, ms, s, min (or m), h or d",
          "f:4:25: jobs[0]: after: unknown job `x`; there is a",
          "f:5:8: jobs[1]: id `a` is given twice, first in line 4",
          "f:5:28: jobs[1]: queue: unknown queue `q`; there is default",
          "f:6:10: events[0]: an event with `do: cancel` needs `job`",
      }));
}

TEST(ScenarioErrors, OfALineOfJsonAreTheSame) {
  YamlNode text, job;
  text.kind = YamlNode::Kind::scalar;
  text.text = "high";
  text.at = job.at = {17, 0};
  job.kind = YamlNode::Kind::map;
  job.entries = {{"priority", {17, 0}, text}};
  std::vector<FieldError> errors;
  EXPECT_EQ(read_scenario_job(job, errors).line, 17);
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_EQ(errors[0].field, "priority");
  EXPECT_EQ(errors[0].message, "priority must be a whole number; is `high`");
  EXPECT_EQ(errors[0].at, (ConfigPosition{17, 0}));
  EXPECT_EQ(to_string(ConfigError{"jobs.jsonl", 17, 0, errors[1].message}),
            "jobs.jsonl:17: a job needs `runs`");
}

TEST(ScenarioErrors, SayThatManyJobsBelongIntoAFile) {
  const std::string text = "until: 1h\n#" + std::string(kMostScenarioBytes, 'x');
  EXPECT_EQ(scenario_errors(text), Errors{"f: the file is larger than 8388608 bytes; put many jobs "
                                          "in a file of their own: `jobs: {file: jobs.jsonl}`"});
}

}  // namespace
}  // namespace sluice
