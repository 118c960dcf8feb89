// The table of options itself: complete, correct, and consistent with the structs.
#include "config/schema.h"

#include <gtest/gtest.h>

#include <set>

#include "config/effective.h"
#include "config_tests/parse.h"
#include "config_tests/yaml_writer.h"

namespace sluice {
namespace {

/// The name of a member of a section; in a list, its index.
std::string member_of(const SchemaSection& section) {
  const bool is_list =
      section.path.starts_with("rules") || section.path.starts_with("work_sources");
  return is_list ? "0" : "x";
}

/// A file with one option, and everything that its section and the option require.
std::string file_with(const SchemaSection& section, const SchemaOption& option,
                      const std::string& value) {
  const std::string name = member_of(section);
  std::vector<EffectiveValue> values{{"resources.db.total", "4", ""},
                                     {"queues.nightly.paused", "true", ""}};
  for (const SchemaOption& other : section.options) {
    if (other.required) values.push_back({path_of(other.text.path, name), other.text.example, ""});
  }
  if (option.text.path == "rules.NAME.n" && value != "null" && value != "~") {
    values.push_back({"rules[0].do", "rate_limit", ""});
  }
  values.push_back({path_of(option.text.path, name), value, ""});
  return write_yaml(values);
}

TEST(Schema, EveryOptionIsDocumented) {
  std::set<std::string> paths;
  for (const SchemaSection& section : config_schema().sections) {
    EXPECT_FALSE(section.doc.empty()) << section.path;
    for (const SchemaOption& option : section.options) {
      const OptionText& text = option.text;
      EXPECT_TRUE(paths.insert(section.kind + text.path).second) << text.path << " is there twice";
      EXPECT_TRUE(text.path.starts_with(section.path)) << text.path;
      EXPECT_GE(text.doc.size(), 20u) << text.path;
      EXPECT_TRUE(text.doc.ends_with('.')) << text.path;
      EXPECT_FALSE(text.example.empty()) << text.path;
      EXPECT_FALSE(option.type.empty()) << text.path;
      EXPECT_EQ(option.required, text.fallback.empty()) << text.path;
    }
  }
  EXPECT_GT(paths.size(), 140u);
}

TEST(Schema, EveryExampleIsValidAndStored) {
  for (const SchemaSection& section : config_schema().sections) {
    for (const SchemaOption& option : section.options) {
      const std::string text = file_with(section, option, option.text.example);
      const Config config = config_of(text);
      const std::string name = member_of(section);
      EXPECT_TRUE(config.given.contains(path_of(option.text.path, name))) << text;
      EXPECT_TRUE(option.show(config, name).has_value()) << text;
    }
  }
}

TEST(Schema, EveryDefaultIsThatOfTheStructs) {
  for (const SchemaSection& section : config_schema().sections) {
    for (const SchemaOption& option : section.options) {
      if (option.required) continue;
      Config config;
      const std::string name = member_of(section);
      if (section.members) section.members->add(config, name);
      const auto shown = option.show(config, name);
      EXPECT_EQ(shown.value_or(option.text.fallback), option.text.fallback) << option.text.path;
    }
  }
}

TEST(Schema, EveryDefaultIsValid) {
  for (const SchemaSection& section : config_schema().sections) {
    for (const SchemaOption& option : section.options) {
      const bool prose = option.settle && option.text.path.starts_with("sensors.starting.");
      if (option.required || prose) continue;
      config_of(file_with(section, option, option.text.fallback), 1);
    }
  }
}

TEST(Schema, NullIsTakenOnlyWhereItIsSaid) {
  for (const SchemaSection& section : config_schema().sections) {
    for (const SchemaOption& option : section.options) {
      if (option.required) continue;
      const bool valid = errors_of(file_with(section, option, "~")).empty();
      EXPECT_EQ(valid, option.null == Null::fallback) << option.text.path;
    }
  }
}

TEST(Schema, UsesTheWordsOfTheLibrary) {
  for (const Acts acts : {Acts::congestion, Acts::gate}) {
    const std::string word(to_string(acts));
    EXPECT_EQ(config_of("sensors: {load: {acts: " + word + "}}").governing.sensors.load.acts, acts);
  }
  for (const OnError on_error : {OnError::hold, OnError::red, OnError::green, OnError::ignore}) {
    const std::string word(to_string(on_error));
    EXPECT_EQ(
        config_of("sensors: {load: {on_error: " + word + "}}").governing.sensors.load.on_error,
        on_error);
  }
}

}  // namespace
}  // namespace sluice
