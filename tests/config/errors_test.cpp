// The exact text and position of every kind of error.
#include <gtest/gtest.h>

#include "config_tests/parse.h"

namespace sluice {
namespace {

using Errors = std::vector<std::string>;

struct FileCase {
  std::string text;
  std::string error;
};

void expect_errors(const std::vector<FileCase>& cases) {
  for (const FileCase& c : cases) EXPECT_EQ(errors_of(c.text), Errors{c.error}) << c.text;
}

TEST(ConfigErrors, SuggestWhatAMisspeltKeyMeantAtEveryLevel) {
  expect_errors({
      {"windw: {}", "f:1:1: unknown key `windw`; did you mean `window`?"},
      {"statedir: /x", "f:1:1: unknown key `statedir`; did you mean `state_dir`?"},
      {"window:\n  intial: 3\n", "f:2:3: unknown key `intial`; did you mean `initial`?"},
      {"sensors: {laod: {limit: 1}}",
       "f:1:11: unknown sensor `laod`; did you mean `load`? A sensor of your own needs `kind: "
       "file` or `kind: command`"},
      {"sensors: {licences: 3}",
       "f:1:11: unknown sensor `licences`; a sensor of your own needs `kind: file` or `kind: "
       "command`"},
      {"sensors: {load: {limt: 1}}", "f:1:18: unknown key `limt`; did you mean `limit`?"},
      {"sensors: {x: {kind: file, path: /x, limit: 1, evry: 1s}}",
       "f:1:47: unknown key `evry`; did you mean `every`?"},
      {"metrics: {statd: {}}", "f:1:11: unknown key `statd`; did you mean `statsd`?"},
      {"metrics: {statsd: {adress: x}}", "f:1:20: unknown key `adress`; did you mean `address`?"},
      {"service: {colour: 1}",
       "f:1:11: unknown key `colour`; known here: socket, group, allow_uids, allow_gids, listen, "
       "token_file, drain_on_stop, max_pending, record"},
      {"window.law: rfc",
       "f:1:1: unknown key `window.law`; known here: window, sensors, contention, queues, "
       "resources, keys, rules, cost, memory, service, metrics, state_dir, work_sources, "
       "build, autoscale"},
      {"sensors: {load: {kind: file}}",
       "f:1:18: unknown key `kind`; known here: limit, presence, resume, on_error, max_age, acts"},
  });
}

TEST(ConfigErrors, SayThatAKeyIsNotAvailableYet) {
  expect_errors({
      {"sensors: {pause: off}",
       "f:1:11: `pause` cannot be configured: it is the operator's switch, see `sluice pause`"},
  });
}

TEST(ConfigErrors, NameTheValueThatIsWrong) {
  expect_errors({
      {"build: {programs: {gen: hevy}}",
       "f:1:25: build.programs.gen must be one of heavy, unknown, free; is `hevy`; did you mean "
       "`heavy`?"},
      {"build: {programs: {bin/gen: heavy}}",
       "f:1:29: build.programs.bin/gen must be a file name without a folder, such as cc1plus; is "
       "`heavy`"},
      {"build: {timers: [./runner]}",
       "f:1:18: build.timers[0] must be a file name without a folder, such as cc1plus; is "
       "`./runner`"},
      {"build: {timed_hold: 10}",
       "f:1:21: build.timed_hold must be a duration such as 30s, 10min or 500ms; is `10`; add the "
       "unit: ns, us, ms, s, min (or m), h or d"},
      {"service: {token_file: token}",
       "f:1:23: service.token_file must be an absolute path such as /run/sluice; is `token`"},
      {"service: {allow_uids: [zuul, zuul]}",
       "f:1:23: service.allow_uids must have each of them once; is a list; `zuul` is there "
       "twice"},
      {"service: {group: two words}",
       "f:1:18: service.group must not have control characters, blanks or commas; is `two "
       "words`"},
      {"window: {interval: 30}",
       "f:1:20: window.interval must be a duration such as 30s, 10min or 500ms; is `30`; add the "
       "unit: ns, us, ms, s, min (or m), h or d"},
      {"window: {interval: 1ms}",
       "f:1:20: window.interval must be at least 10ms and at most 1h; is `1ms`"},
      {"window: {law: adaptiv}",
       "f:1:15: window.law must be one of adaptive, knee, rfc; is `adaptiv`; did you mean "
       "`adaptive`?"},
      {"window: {initial: ten}",
       "f:1:19: window.initial must be points such as 40 or 10/cpu; is `ten`"},
      {"window: {increase_above: 0}",
       "f:1:26: window.increase_above must be above 0% and at most 100%; is `0`"},
      {"window: {hard: 0.9}", "f:1:16: window.hard must be at least 1 and at most 100; is `0.9`"},
      {"sensors: {memory: {limit: 5}}",
       "f:1:27: sensors.memory.limit must be at least 0% and below 100%; is `5`; did you mean "
       "`5%`?"},
      {"sensors: {memory: {limit: 512MiB}}",
       "f:1:27: sensors.memory.limit must be a ratio such as 5% or 0.05; is `512MiB`"},
      {"sensors: {load: {on_error: hodl}}",
       "f:1:28: sensors.load.on_error must be one of hold, red, green, ignore; is `hodl`; did you "
       "mean `hold`?"},
      {"sensors: {x: {kind: file, path: /x, limit: 0}}",
       "f:1:44: sensors.x.limit must be above 0; is `0`"},
      {"sensors: {x: {kind: file, path: /x, limit: many}}",
       "f:1:44: sensors.x.limit must be a number such as 40, or a size such as 1.5GiB; is `many`"},
      {"cost: {model: guess}", "f:1:15: cost.model must be one of history, formula; is `guess`"},
      {"memory: {reserve: 100%}",
       "f:1:19: memory.reserve must be at least 0% and below 100%; is `100%`"},
      {"memory: {prior: 0MiB}",
       "f:1:17: memory.prior must be at least 1B and at most 1024TiB; is `0MiB`"},
      {"memory: {z: -1}", "f:1:13: memory.z must be at least 0 and at most 10; is `-1`"},
      {"memory: {brake: soft}", "f:1:17: memory.brake must be one of suspend, off; is `soft`"},
      {"memory: {retries: 1.5}", "f:1:19: memory.retries must be a whole number; is `1.5`"},
      {"cost: {base: 1.5}", "f:1:14: cost.base must be a whole number; is `1.5`"},
      {"cost: {minimum: 0}",
       "f:1:17: cost.minimum must be at least 1 and at most 16777215; is `0`"},
      {"service: {listen: 9797}",
       "f:1:19: service.listen must be HOST:PORT such as 127.0.0.1:9797 or [::1]:9797, or off; is "
       "`9797`"},
      {"service: {socket: sluice.sock}",
       "f:1:19: service.socket must be an absolute path such as /run/sluice; is `sluice.sock`"},
      {"metrics: {statsd: {address: \"h:0\"}}",
       "f:1:29: metrics.statsd.address must be HOST:PORT such as 127.0.0.1:9797 or [::1]:9797, or "
       "off; is `h:0`; the port is a number from 1 to 65535"},
      {"metrics: {statsd: {prefix: \"a\\x07\"}}",
       "f:1:28: metrics.statsd.prefix must be text without control characters; is `a?`"},
  });
}

TEST(ConfigErrors, NameTheWrongKindOfNode) {
  expect_errors({
      {"window: 5", "f:1:9: window must be a map of keys; is `5`"},
      {"window: [law]", "f:1:9: window must be a map of keys; is a list"},
      {"sensors: off", "f:1:10: sensors must be a map of keys; is `off`"},
      {"sensors: {load: 5}", "f:1:17: sensors.load must be on, off or a map of keys; is `5`"},
      {"sensors: {load: automatc}",
       "f:1:17: sensors.load must be on, off or a map of keys; is `automatc`"},
      {"sensors: {load: [off]}",
       "f:1:17: sensors.load must be on, off or a map of keys; is a list"},
      {"window:\n  round:\n  step: 3\n",
       "f:2:3: window.round must be a duration such as 30s; is empty"},
      {"window: {round: {s: 5}}", "f:1:17: window.round must be a duration such as 30s; is a map"},
      {"window: {initial: [5]}", "f:1:19: window.initial must be points such as 40; is a list"},
      {"service: {listen: [h]}",
       "f:1:19: service.listen must be an address such as \"[::1]:9797\"; is a list"},
      {"sensors: {disk: {paths: /x}}",
       "f:1:25: sensors.disk.paths must be a list of absolute paths such as [/, /var/lib]; is "
       "`/x`"},
      {"sensors: {disk: {paths: []}}",
       "f:1:25: sensors.disk.paths must be a list of absolute paths such as [/, /var/lib]; is an "
       "empty list"},
      {"sensors: {disk: {paths: [x]}}",
       "f:1:25: sensors.disk.paths must be an absolute path such as /run/sluice; is a list"},
      {"sensors: {disk: {limits: {a: 5%}}}",
       "f:1:30: sensors.disk.limits.a must be named by an absolute path such as /var/lib/sluice; "
       "is "
       "`5%`"},
      {"sensors: {disk: {limits: {/a: 5}}}",
       "f:1:31: sensors.disk.limits./a must be above 0% and below 100%; is `5`; did you mean "
       "`5%`?"},
      {"sensors: {disk: {paths: {a: b}}}",
       "f:1:25: sensors.disk.paths must be a list of paths such as [/var/lib/sluice]; is a map"},
  });
}

TEST(ConfigErrors, KnowWhatASensorOfYourOwnNeeds) {
  expect_errors({
      {"sensors: {x: {kind: fil}}",
       "f:1:21: sensors.x.kind must be one of file, command; is `fil`; did you mean `file`?"},
      {"sensors: {x: {kind: }}", "f:1:15: sensors.x.kind must be one of file, command; is empty"},
      {"sensors: {x: {kind: file, limit: 3}}",
       "f:1:11: sensors.x needs `path`, as it is of kind file"},
      {"sensors: {x: {kind: command}}",
       "f:1:11: sensors.x needs `command`, as it is of kind command"},
      {"sensors: {x: {kind: command, command: echo 1}}",
       "f:1:39: sensors.x.command must be a list of a program and its arguments such as "
       "[/usr/bin/test, -e]; is `echo 1`"},
      {"sensors: {x: {kind: command, command: [\"\", a]}}",
       "f:1:39: sensors.x.command must name a program first; is a list"},
      {"sensors: {x: {kind: command, command: [a], path: /x}}",
       "f:1:44: unknown key `path`; known here: kind, command, limit, every, timeout, presence, "
       "resume, on_error, max_age, acts"},
      {"sensors: {my-x: {kind: file, path: /x, limit: 1}}",
       "f:1:11: sensor name `my-x` must be of a-z, 0-9 and _, and at most 64 letters"},
      {"sensors: {x: {kind: file, path: /x, limit: ~}}",
       "f:1:37: sensors.x.limit must be a number or size such as 40; is empty"},
  });
}

TEST(ConfigErrors, AreAllSaidAtOnceInTheOrderOfTheFile) {
  EXPECT_EQ(errors_of("metrics: {statsd: {every: 1}}\n"
                      "window:\n"
                      "  minimum: 50\n"
                      "  intial: 3\n"
                      "  maximum: 40\n"
                      "  step: 0\n"
                      "  step: 1\n"
                      "work_sources: {}\n"
                      "sensors:\n"
                      "  mine: {kind: file}\n"
                      "  load: {limit: -1, resume: 2}\n"),
            (Errors{
                "f:1:27: metrics.statsd.every must be a duration such as 30s, 10min or 500ms; is "
                "`1`; add the unit: ns, us, ms, s, min (or m), h or d",
                "f:3:12: window.minimum (50) must not be above window.maximum (40)",
                "f:4:3: unknown key `intial`; did you mean `initial`?",
                "f:6:9: window.step must be at least 1 and at most 16777215 points; is `0`",
                "f:7:3: key `step` is given twice, first in line 6",
                "f:8:15: work_sources must be a list of maps; is a map",
                "f:10:3: sensors.mine needs `path`, as it is of kind file",
                "f:10:3: sensors.mine needs `limit`, as it is of kind file",
                "f:11:17: sensors.load.limit must be above 0 and at most 10000; is `-1`",
                "f:11:29: sensors.load.resume must be above 0% and at most 100%; is `2`; did you "
                "mean `2%`?",
            }));
}

TEST(ConfigErrors, PrintWithoutAPlaceWhereThereIsNone) {
  EXPECT_EQ(to_string({"a.yaml", 3, 5, "x"}), "a.yaml:3:5: x");
  EXPECT_EQ(to_string({"a.yaml", 0, 0, "x"}), "a.yaml: x");
}

}  // namespace
}  // namespace sluice
