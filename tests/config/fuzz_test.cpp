// Damaged files: whatever the result, nothing crashes or throws.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "config/effective.h"
#include "config/scenario.h"
#include "config_tests/parse.h"
#include "config_tests/yaml_writer.h"
#include "repetitions.h"

namespace sluice {
namespace {

const std::string kSeeds[] = {
    "window: {law: rfc, initial: 10/cpu, minimum: 10, interval: 1s, round: 15s}\n"
    "sensors: {load: {limit: 2.5}, disk: {paths: [/var/lib/sluice], limit: 5%}, io_pressure: "
    "off}\n",
    "sensors:\n  licences: {kind: file, path: /run/licences, limit: 40}\n  ready:\n    kind: "
    "command\n    command: [/usr/bin/test, -e, \"/run/x y\"]\n    on_error: ignore\n",
    "cost: &c {base: 5, per_node: 5}\nservice: {socket: null, listen: \"127.0.0.1:9797\"}\n"
    "metrics:\n  statsd: {address: '[::1]:8125', names: zuul, prefix: \"a\\u00e4\"}\nstate_dir: "
    "/var/lib/sluice\n---\n# end\n",
    "contention: {mode: hold, levels: [instance, node], base: 0.5, tick: 1s, aging_ticks: off, "
    "table: {shared: [0.3, 0, 0, 0, 0, 3, 0.3, 1.5, 3]}}\nqueues: {default: {}, nightly: "
    "{resources: [db], paused: false, backfill: 0}}\n"
    "resources:\n  db: {kind: quantity, total: 4, shortage: skip}\n  ports: {kind: discrete, "
    "items: [p1, p2]}\n  solo: {kind: highlander}\n"
    "keys:\n  deploy: {queue: nightly, priority: 5, resources: {db: 2}, locks: {instance: "
    "\"exclusive:{vm}\", node: unknown-shared}}\n"
    "rules: [{match: {key: \"lint-*\"}, do: rate_limit, n: 2}, {match: {id: '>12'}, do: pause}]\n"};

const std::string kPieces[] = {"{",    "}",     "[",
                               "]",    ":",     ": ",
                               ",",    "\n",    "\n  ",
                               "- ",   "\t",    "\"",
                               "'",    "#",     "&a ",
                               "*a",   "!!str", "%",
                               "|\n",  ">",     "~",
                               "? ",   "--",    "\r\n",
                               "\0",   "\xff",  "ä",
                               "<<",   "1e999", "off",
                               "/cpu", "0x1",   "99999999999999999999",
                               "nan",  "-",     ".",
                               "\\"};

std::string mutate(std::string text, std::mt19937_64& random) {
  const auto changes = 1 + random() % 4;
  for (std::uint64_t i = 0; i < changes; ++i) {
    const std::size_t place = random() % (text.size() + 1);
    const std::size_t length = std::min<std::size_t>(random() % 12, text.size() - place);
    switch (random() % 5) {
      case 0:
        text.erase(place, length);
        break;
      case 1:
        text.insert(place, kPieces[random() % std::size(kPieces)]);
        break;
      case 2:
        text.insert(place, text.substr(random() % (text.size() + 1), length));
        break;
      case 3:
        text.insert(place, 1, static_cast<char>(random()));
        break;
      default:
        if (place < text.size()) text[place] = static_cast<char>(random() % 128);
        break;
    }
  }
  return text;
}

TEST(Fuzz, DamagedFilesGiveAConfigurationOrErrorsWithPlaces) {
  std::mt19937_64 random(20180116);
  int valid = 0, wrong = 0;
  for (int i = 0; i < repetitions(8000); ++i) {
    const std::string text = mutate(kSeeds[random() % std::size(kSeeds)], random);
    ConfigResult result = parse_config(text, "f", 2);
    if (const auto* config = std::get_if<Config>(&result)) {
      ++valid;
      const std::string again = write_yaml(effective_values(*config));
      EXPECT_TRUE(errors_of(again).empty()) << text << "\n" << again;
      continue;
    }
    ++wrong;
    const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
    for (const ConfigError& error : std::get<std::vector<ConfigError>>(result)) {
      EXPECT_TRUE(error.line >= 1 && error.line <= lines + 1 && error.column >= 1) << text;
      EXPECT_EQ(error.message.find('\n'), std::string::npos) << error.message;
    }
  }
  EXPECT_GT(valid, repetitions(200));
  EXPECT_GT(wrong, repetitions(2000));
}

const std::string kScenario =
    "config: {queues: {default: {}, q: {resources: [db]}}, resources: {db: {}}, rules: [{do: "
    "rate_limit, n: 2}]}\nmachine: {cpus: 2, memory: unlimited}\nuntil: 1h\n"
    "sensors: [{at: 0s, name: load, pressure: 0.2}]\njobs:\n"
    "  - {at: 0.5s, id: a, key: b, queue: q, priority: 5, runs: 300s, locks: {node: "
    "\"exclusive:i1,i2 shared:x\"}, resources: {db: 1}, memory: 5MiB, after: [c], reasons: [r], "
    "params: {p: v}}\n  - {id: c, runs: 1s, outcome: failed, on_failure: run}\n"
    "events: [{at: 10m, do: pause}, {do: set, job: a, position: {before: c}}, {at: 1m, do: "
    "reload, config: {window: {law: rfc}}}]\n";

TEST(Fuzz, DamagedScenariosGiveAScenarioOrErrorsWithPlaces) {
  std::mt19937_64 random(42);
  int valid = 0, wrong = 0;
  for (int i = 0; i < repetitions(4000); ++i) {
    const std::string text = mutate(kScenario, random);
    const ScenarioResult result = parse_scenario(text, "f");
    if (const auto* scenario = std::get_if<Scenario>(&result)) {
      ++valid;
      EXPECT_TRUE(scenario->until.value_or(Duration{0}) >= Duration{0} &&
                  find_cycles(scenario->jobs).empty())
          << text;
      continue;
    }
    ++wrong;
    const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
    for (const ConfigError& error : std::get<std::vector<ConfigError>>(result)) {
      EXPECT_TRUE(error.line >= 1 && error.line <= lines + 1 && error.column >= 1) << text;
      EXPECT_EQ(error.message.find('\n'), std::string::npos) << error.message;
    }
  }
  EXPECT_GT(valid, repetitions(40));
  EXPECT_GT(wrong, repetitions(1000));
}

TEST(Fuzz, GarbageIsNoConfiguration) {
  std::mt19937_64 random(1);
  for (int i = 0; i < repetitions(3000); ++i) {
    std::string text(random() % 200, '\0');
    for (char& byte : text) byte = static_cast<char>(i % 2 == 0 ? random() : 32 + random() % 95);
    EXPECT_NO_THROW(parse_config(text, "f", 2));
    EXPECT_NO_THROW(parse_scenario(text, "f"));
  }
}

}  // namespace
}  // namespace sluice
