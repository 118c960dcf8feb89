#include "config/reference.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "config/schema.h"
#include "config_tests/parse.h"

namespace sluice {
namespace {

std::string contents_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream) << path;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

/// With a space for each line end and the following indent.
std::string on_one_line(const std::string& text) {
  return std::regex_replace(text, std::regex("\\n *"), " ");
}

TEST(Reference, IsWhatTheDocsHold) {
  const bool same = contents_of(SLUICE_SOURCE "/docs/config.md") == config_reference_markdown();
  EXPECT_TRUE(same) << "docs/config.md is not what the schema says; to write it again: "
                       "sluice config reference > docs/config.md";
}

TEST(Reference, HasEveryOptionWithItsReason) {
  const std::string reference = on_one_line(config_reference_markdown());
  for (const SchemaSection& section : config_schema().sections) {
    for (const SchemaOption& option : section.options) {
      const std::size_t front = section.path.empty() ? 0 : section.path.size() + 1;
      const std::string key = option.text.path.substr(front);
      EXPECT_NE(reference.find("| `" + key + "` |"), std::string::npos) << option.text.path;
      EXPECT_NE(reference.find(option.text.doc), std::string::npos) << option.text.path;
    }
  }
}

TEST(Reference, ShowsErrorsAsTheyAre) {
  const std::string reference = config_reference_markdown();
  ConfigResult result = parse_config("window:\n  intial: 3\n  interval: 5\n", "sluice.yaml", 2);
  for (const ConfigError& error : std::get<std::vector<ConfigError>>(result)) {
    EXPECT_NE(reference.find(to_string(error) + "\n"), std::string::npos) << to_string(error);
  }
}

TEST(Reference, ShowsAFileThatIsValid) {
  const std::string reference = config_reference_markdown();
  const std::string fence = "```yaml\n";
  const std::size_t start = reference.find(fence) + fence.size();
  config_of(reference.substr(start, reference.find("```", start) - start));
}

TEST(Example, IsValidOnAnyMachine) {
  const std::string text = contents_of(SLUICE_SOURCE "/examples/sluice.yaml");
  for (const double cpus : {0.5, 1.0, 2.0, 64.0}) {
    EXPECT_GE(config_of(text, cpus).given.size(), 10u);
  }
}

}  // namespace
}  // namespace sluice
