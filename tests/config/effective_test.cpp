#include "config/effective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "config/schema.h"
#include "config/start_only.h"
#include "config_tests/parse.h"
#include "config_tests/yaml_writer.h"
#include "repetitions.h"

namespace sluice {
namespace {

EffectiveValue value_at(const Config& config, const std::string& path) {
  for (EffectiveValue& value : effective_values(config)) {
    if (value.path == path) return value;
  }
  ADD_FAILURE() << "no " << path;
  return {};
}

void expect_same_values(const Config& one, const Config& other, const std::string& text) {
  const auto values = effective_values(one), others = effective_values(other);
  ASSERT_EQ(values.size(), others.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i].path, others[i].path);
    EXPECT_EQ(values[i].value, others[i].value) << values[i].path << "\n" << text;
  }
}

TEST(EffectiveValues, SayWhereTheyComeFrom) {
  const Config config = config_of("window:\n  step: 7\n");
  EXPECT_EQ(value_at(config, "window.step"), (EffectiveValue{"window.step", "7", "f:2:9"}));
  EXPECT_EQ(value_at(config, "window.dwell"), (EffectiveValue{"window.dwell", "1s", "default"}));
  EXPECT_EQ(value_at(config, "window.round"), (EffectiveValue{"window.round", "15s", "default"}));
  EXPECT_EQ(value_at(config_of("window: {law: rfc}"), "window.round").origin,
            "default, unused by rfc");
  EXPECT_EQ(value_at(config, "window.maximum").value, "100/cpu");
  EXPECT_EQ(value_at(config, "sensors.starting.most"),
            (EffectiveValue{"sensors.starting.most", "10", "default for 2 CPUs"}));
}

TEST(EffectiveValues, ShowTheDefaultsOfTheLaw) {
  const Config knee = config_of(""), adaptive = config_of("window: {law: adaptive}"),
               rfc = config_of("window: {law: rfc}");
  const std::string threshold = "window.threshold", minimum = "cost.minimum";
  EXPECT_EQ(value_at(knee, threshold), (EffectiveValue{threshold, "100/cpu", "default"}));
  EXPECT_EQ(value_at(adaptive, threshold),
            (EffectiveValue{threshold, "15/cpu", "default for adaptive"}));
  EXPECT_EQ(value_at(rfc, threshold).origin, "default, unused by rfc");
  EXPECT_EQ(value_at(knee, minimum), (EffectiveValue{minimum, "1", "default"}));
  EXPECT_EQ(value_at(adaptive, minimum), (EffectiveValue{minimum, "5", "default for adaptive"}));
  EXPECT_EQ(value_at(rfc, minimum), (EffectiveValue{minimum, "5", "default for rfc"}));
  const std::string throttled = "sensors.cgroup.throttled";
  EXPECT_EQ(value_at(knee, throttled).origin, "default, unused by knee");
  EXPECT_EQ(value_at(adaptive, throttled), (EffectiveValue{throttled, "50%", "default"}));
}

TEST(EffectiveValues, ShowHowDefaultsGiveWay) {
  const std::string gives_way = "default, adjusted to the given values";
  const Config small = config_of("window: {maximum: 5}", 16);
  EXPECT_EQ(value_at(small, "window.initial"), (EffectiveValue{"window.initial", "5", gives_way}));
  EXPECT_EQ(value_at(small, "window.minimum").value, "5");
  EXPECT_EQ(value_at(small, "window.threshold").value, "5");
  const Config large = config_of("window: {initial: 900/cpu}", 16);
  EXPECT_EQ(value_at(large, "window.maximum").value, "900/cpu");
  EXPECT_EQ(value_at(config_of("sensors: {starting: {floor: 40}}"), "sensors.starting.most").value,
            "40");
  EXPECT_EQ(
      value_at(config_of("sensors: {starting: {most: 1}}", 8), "sensors.starting.floor").value,
      "1");
  const Config own = config_of("sensors: {x: {kind: file, path: /x, limit: 1, every: 1h}}");
  EXPECT_EQ(value_at(own, "sensors.x.max_age").value, "3h");
}

TEST(EffectiveValues, AreAnAlignedTableForPeople) {
  const std::string table = describe(config_of("window: {step: 7}"));
  EXPECT_TRUE(
      table.starts_with("window.law                          knee                      default\n"))
      << table;
  EXPECT_NE(table.find("\nwindow.step                         7                         f:1:16\n"),
            std::string::npos)
      << table;
}

TEST(EffectiveValues, OfDefaultsNeedNoFile) {
  Config config;
  config.cpus = 2;
  EXPECT_EQ(effective_values(config), effective_values(config_of("")));
}

bool is_taken(const std::vector<EffectiveValue>& values, const std::string& front) {
  return std::any_of(values.begin(), values.end(), [&](const EffectiveValue& value) {
    return value.path.starts_with(front + ".") || value.path.starts_with(front + "[");
  });
}

/// Some of a section's options, each with its example or its default; at least one for a member,
/// since nothing else shows that the member exists.
void add_some(std::vector<EffectiveValue>& values, const SchemaSection& section,
              const std::string& name, std::mt19937_64& random) {
  const std::size_t one = random() % section.options.size();
  for (std::size_t i = 0; i < section.options.size(); ++i) {
    const SchemaOption& option = section.options[i];
    const bool member = section.members && i == one;
    if (!option.required && !member && random() % 3 != 0) continue;
    const bool prose = option.settle && option.text.path.starts_with("sensors.starting.");
    const bool example = option.required || prose || random() % 2 == 0;
    values.push_back({path_of(option.text.path, name),
                      example ? option.text.example : option.text.fallback, ""});
  }
}

/// A mostly valid file with a random choice of options.
std::string random_file(std::mt19937_64& random) {
  std::vector<EffectiveValue> values;
  const std::vector<std::string> names{"licences", "x", "other_1"};
  if (random() % 2 == 0) {
    values = {{"resources.db.total", "4", ""}, {"queues.nightly.paused", "true", ""}};
  }
  for (const SchemaSection& section : config_schema().sections) {
    const bool listed = path_of(section.path, "0") != path_of(section.path, "x") &&
                        path_of(section.path, "0").ends_with("[0]");
    const std::string name = listed ? "0" : names[random() % names.size()];
    if (section.members && (is_taken(values, path_of(section.path, name)) || random() % 2 == 0)) {
      continue;
    }
    add_some(values, section, name, random);
  }
  return write_yaml(values);
}

TEST(EffectiveValues, WrittenToAFileMeanTheSame) {
  std::mt19937_64 random(42);
  int valid = 0;
  for (int i = 0; i < repetitions(200); ++i) {
    const double cpus = 0.5 * static_cast<double>(1 + random() % 40);
    const std::string text = random_file(random);
    const ConfigResult result = parse_config(text, "f", cpus);
    const auto* config = std::get_if<Config>(&result);
    if (config == nullptr) continue;
    ++valid;
    const auto values = effective_values(*config);
    const std::string all = write_yaml(values);
    expect_same_values(*config, config_of(all, cpus), all);
    const Config given = config_of(write_yaml(only_given(values)), cpus);
    expect_same_values(*config, given, text);
    EXPECT_EQ(given.given.size(), config->given.size()) << text;
    for (const auto& [path, place] : config->given) EXPECT_TRUE(given.given.contains(path)) << path;
  }
  EXPECT_GT(valid, repetitions(60));
}

TEST(EffectiveValues, OfTheWindowAreWhatTheGovernorSettles) {
  std::mt19937_64 random(3);
  int compared = 0;
  for (int i = 0; i < repetitions(400); ++i) {
    const double cpus = 0.25 * static_cast<double>(1 + random() % 80);
    std::vector<EffectiveValue> some;
    for (const std::string key : {"initial", "minimum", "maximum", "threshold", "step"}) {
      if (random() % 2 == 0) continue;
      const std::string per = random() % 2 == 0 ? "" : "/cpu";
      some.push_back({"window." + key, std::to_string(1 + random() % 300) + per, ""});
    }
    const ConfigResult result = parse_config(write_yaml(some), "f", cpus);
    const auto* config = std::get_if<Config>(&result);
    if (config == nullptr) continue;
    const WindowParameters meant = settle(config->governing.window, cpus);
    ++compared;
    const Config all = config_of(write_yaml(effective_values(*config)), cpus);
    const WindowParameters shown = settle(all.governing.window, cpus);
    EXPECT_EQ(shown.initial, meant.initial) << write_yaml(some);
    EXPECT_EQ(shown.minimum, meant.minimum) << write_yaml(some);
    EXPECT_EQ(shown.maximum, meant.maximum) << write_yaml(some);
    EXPECT_EQ(shown.threshold, meant.threshold) << write_yaml(some);
    EXPECT_EQ(shown.step, meant.step) << write_yaml(some);
  }
  EXPECT_GT(compared, repetitions(100));
}

TEST(StartOnly, IsWhatTheReferenceSays) {
  const auto says_so = [](const std::string& doc) {
    return doc.find("Read at the start only.") != std::string::npos;
  };
  std::size_t found = 0;
  for (const SchemaSection& section : config_schema().sections) {
    for (const SchemaOption& option : section.options) {
      const bool is_said = says_so(section.doc) || says_so(option.text.doc);
      EXPECT_EQ(is_start_only(option.text.path), is_said) << option.text.path;
      found += is_said ? 1 : 0;
    }
  }
  EXPECT_GT(found, 13u);
}

TEST(StartOnly, ChangedOnesAreToldAlsoIfTheyAreNewOrGone) {
  const Config none = config_of("");
  const Config some = config_of(
      "state_dir: /state\nwindow: {initial: 7}\n"
      "work_sources: [{kind: gearman, servers: [\"h:1\"]}]\n");
  EXPECT_EQ(changed_start_only(none, none), std::vector<std::string>{});
  const auto added = changed_start_only(none, some);
  EXPECT_EQ(std::ranges::count(added, "state_dir"), 1);
  EXPECT_EQ(std::ranges::count(added, "work_sources[0].servers"), 1);
  EXPECT_EQ(std::ranges::count(added, "window.initial"), 0);
  EXPECT_EQ(changed_start_only(some, none).size(), added.size());
}

}  // namespace
}  // namespace sluice
