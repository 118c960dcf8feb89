// The table of options itself: complete, true, and in agreement with the structs.
#include "config/schema.h"

#include <gtest/gtest.h>

#include <set>

#include "config_tests/parse.h"
#include "config_tests/yaml_writer.h"

namespace sluice {
namespace {

std::string replace_name(std::string path) {
  if (const std::size_t place = path.find("NAME"); place != path.npos) path.replace(place, 4, "x");
  return path;
}

/// A file with one option, and what its section needs.
std::string file_with(const SchemaSection& section, const SchemaOption& option,
                      const std::string& value) {
  std::vector<EffectiveValue> values;
  for (const SchemaOption& other : section.options) {
    if (other.required) values.push_back({replace_name(other.text.path), other.text.example, ""});
  }
  values.push_back({replace_name(option.text.path), value, ""});
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
  EXPECT_GT(paths.size(), 90u);
}

TEST(Schema, EveryExampleIsValidAndStored) {
  for (const SchemaSection& section : config_schema().sections) {
    for (const SchemaOption& option : section.options) {
      const std::string text = file_with(section, option, option.text.example);
      const Config config = config_of(text);
      EXPECT_TRUE(config.given.contains(replace_name(option.text.path))) << text;
      EXPECT_TRUE(option.show(config, "x").has_value()) << text;
    }
  }
}

TEST(Schema, EveryDefaultIsThatOfTheStructs) {
  for (const SchemaSection& section : config_schema().sections) {
    for (const SchemaOption& option : section.options) {
      if (option.required) continue;
      Config config;
      if (section.kind == "file") config.governing.sensors.files["x"];
      if (section.kind == "command") config.governing.sensors.commands["x"];
      const auto shown = option.show(config, "x");
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
