// What `sluice config reference OPTION` says.
#include "config/option_help.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sluice {
namespace {

TEST(OptionHelp, OfOneOptionHasItsDefaultAndItsReason) {
  const auto options = option_help("window.initial");
  ASSERT_EQ(options.size(), 1u);
  EXPECT_EQ(options[0].fallback, "`15/cpu`");
  EXPECT_EQ(to_text(options).find("window.initial\n  points"), 0u) << to_text(options);
  EXPECT_NE(to_text(options).find("  Example: `"), std::string::npos);
}

TEST(OptionHelp, OfASectionHasAllItsOptions) {
  const auto options = option_help("window");
  EXPECT_GT(options.size(), 5u);
  for (const OptionHelp& each : options) EXPECT_TRUE(each.path.starts_with("window."));
  EXPECT_GT(option_help("").size(), 150u);
}

TEST(OptionHelp, TakesAnyNameForName) {
  EXPECT_EQ(option_help("queues.nightly.paused").size(), 1u);
  EXPECT_EQ(option_help("rules[0].do").size(), 1u);
  EXPECT_GT(option_help("resources.db.kind").size(), 1u);
  for (const char* name : {"window.initia", "windo", "queues..paused", "window.", "a.b.c.d"}) {
    EXPECT_TRUE(option_help(name).empty()) << name;
  }
}

TEST(OptionHelp, FitsATerminal) {
  const std::string text = to_text(option_help(""));
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    EXPECT_LE(end - begin, 100u) << text.substr(begin, end - begin);
  }
}

TEST(ConfigNames, AreSectionsAndOptionsEachOnce) {
  std::vector<std::string> names;
  for (const ConfigName& each : config_names()) names.push_back(each.name);
  for (const char* name :
       {"window", "window.initial", "queues.NAME.paused", "sensors.memory.limit"}) {
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
  }
}

}  // namespace
}  // namespace sluice
