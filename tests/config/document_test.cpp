#include "config/document.h"

#include <gtest/gtest.h>

#include "config_tests/parse.h"

namespace sluice {
namespace {

using Errors = std::vector<std::string>;

TEST(Document, NothingMeansAllDefaults) {
  for (const std::string text : {"", "\n", "# only a comment\n", "---\n", "---\n...\n", "{}", "~",
                                 "\xEF\xBB\xBF", " \t\n", "window:\nsensors: {}\ncost: ~\n"}) {
    EXPECT_TRUE(config_of(text).given.empty()) << text;
  }
}

TEST(Document, IsNothingUnlessItHasAValueOrNamesSomethingOrSaysSo) {
  using Content = Config::Content;
  for (const std::string text : {"", "# only a comment\n", "~", "window:\n", "queues: {}\n"}) {
    EXPECT_EQ(config_of(text).content, Content::nothing) << text;
    EXPECT_FALSE(config_of(text).has_settings) << text;
  }
  for (const std::string text : {"window: {step: 7}\n", "queues: {default: {}}\n",
                                 "resources: {db: {}}\n", "keys: {lint: {}}\n"}) {
    EXPECT_EQ(config_of(text).content, Content::document) << text;
    EXPECT_TRUE(config_of(text).has_settings) << text;
  }
  EXPECT_EQ(config_of("{}").content, Content::document) << "the defaults";
  EXPECT_FALSE(config_of("{}").has_settings);
}

TEST(Document, TakesByteOrderMarkAndWindowsLineEnds) {
  const Config config = config_of("\xEF\xBB\xBFwindow:\r\n  step: 7\r\n\r\ncost:\r\n  base: 3\r\n");
  EXPECT_EQ(config.governing.window.step, PointsSpec{7});
  EXPECT_EQ(config.given.at("window.step"), (ConfigPosition{2, 9}));
  EXPECT_EQ(config.given.at("cost.base"), (ConfigPosition{5, 9}));
  EXPECT_EQ(errors_of("\xEF\xBB\xBFwindw: 1"),
            Errors{"f:1:1: unknown key `windw`; did you mean `window`?"});
}

TEST(Document, TabsMaySeparateButNotIndent) {
  EXPECT_EQ(config_of("cost:\t{base:\t3,\tper_node: 4}\t# x\n\t\n").governing.cost.base, Points{3});
  EXPECT_EQ(errors_of("cost:\n\tbase: 3\n"),
            Errors{"f:2:6: not YAML: illegal map value; this line is indented with a tab: use "
                   "spaces"});
}

TEST(Document, HasOneDocument) {
  EXPECT_TRUE(errors_of("---\ncost: {base: 3}\n...\n# end\n").empty());
  EXPECT_TRUE(errors_of("%YAML 1.2\n---\ncost: {base: 3}\n").empty());
  const std::string only = "only one document is allowed";
  EXPECT_EQ(errors_of("cost: {base: 3}\n---\nwindow: {}\n"), Errors{"f:2:1: " + only});
  EXPECT_EQ(errors_of("cost: {base: 3}\n---\n"), Errors{"f:2:1: " + only});
  EXPECT_EQ(errors_of("{cost: {base: 3}} window\n"), Errors{"f:1:19: " + only});
  EXPECT_EQ(errors_of("# x\n%nothing else\n"), Errors{"f:2:1: not YAML: no document found"});
}

TEST(Document, MustBeAMap) {
  const std::string must = "the file must be a map of keys such as `window:`; is ";
  EXPECT_EQ(errors_of("window\n"), Errors{"f:1:1: " + must + "`window`"});
  EXPECT_EQ(errors_of("\n- window\n"), Errors{"f:2:1: " + must + "a list"});
  EXPECT_EQ(errors_of("[]"), Errors{"f:1:1: " + must + "an empty list"});
}

TEST(Document, MustBeUtf8WithoutControlCharacters) {
  const std::pair<std::string, std::string> cases[] = {
      {"a: \xff", "f:1:4: byte 0xFF is not UTF-8"},
      {"ä: 1\nb: x\xc3", "f:2:5: byte 0xC3 is not UTF-8"},
      {"ä\x80", "f:1:3: byte 0x80 is not UTF-8"},
      {"\xc0\xaf", "f:1:1: byte 0xC0 is not UTF-8"},
      {"\xe0\x80\xaf", "f:1:1: byte 0xE0 is not UTF-8"},
      {"\xed\xa0\x80", "f:1:1: byte 0xED is not UTF-8"},
      {"\xf4\x90\x80\x80", "f:1:1: byte 0xF4 is not UTF-8"},
      {"\xf0\x8f\xbf\xbf", "f:1:1: byte 0xF0 is not UTF-8"},
      {"\xfe\xff\x01\x02", "f:1:1: byte 0xFE is not UTF-8"},
      {std::string("c\0o\0", 4), "f:1:2: control character 0x00 is not allowed"},
      {"a: \x1b[31m", "f:1:4: control character 0x1B is not allowed"},
      {"a: \x04", "f:1:4: control character 0x04 is not allowed"},
      {"a: \x7f", "f:1:4: control character 0x7F is not allowed"},
      {"a: 1\rb: 2\n", "f:1:5: a carriage return needs a line feed after it"},
      {"a: 1\r", "f:1:5: a carriage return needs a line feed after it"}};
  for (const auto& [text, error] : cases) EXPECT_EQ(errors_of(text), Errors{error});
  EXPECT_TRUE(errors_of("# ä € 𝄞 \xf4\x8f\xbf\xbf\n").empty());
}

TEST(Document, SaysWhereTheSyntaxBreaks) {
  const std::string hint = "; check the indentation, and the commas inside { }";
  const std::pair<std::string, std::string> cases[] = {
      {"window: {step: 1",
       "f:1:9: not YAML: end of map flow not found; this { or [ is not closed, or a comma is "
       "missing in it"},
      {"window:\n  step: 1\n   round: 2s\n", "f:3:9: not YAML: illegal map value" + hint},
      {"window: {step: 1 round: 2s}",
       "f:1:9: not YAML: end of map flow not found; this { or [ is not closed, or a comma "
       "is missing in it"},
      {"cost: {base: 1}\nsensors: {disk: {paths: [/a, /b\ncost: {}\n",
       "f:2:25: not YAML: end of sequence flow not found; this { or [ is not closed, or a comma is "
       "missing in it"},
      {"cost:\n  base: 3\n per_node: 4\n", "f:3:2: not YAML: end of map not found" + hint},
      {"a: @x", "f:1:4: not YAML: unknown token"},
      {"a: *x", "f:1:4: not YAML: the referenced anchor is not defined"},
      {"a: 1\n]", "f:2:1: not YAML: illegal flow end"},
      {"a: \"\\ud800\"", "f:1:11: not YAML: invalid unicode: 55296"}};
  for (const auto& [text, error] : cases) EXPECT_EQ(errors_of(text), Errors{error}) << text;
}

TEST(Document, AQuoteIsClosed) {
  // Otherwise it would swallow the rest of the file, and the configuration in it.
  for (const std::string quote : {"\"", "'"}) {
    for (const std::string rest :
         {"", "\n", "/x", "/x\n", "/x\ncost: {base: 3}\n", "/x # c\n \n"}) {
      const std::vector<std::string> errors = errors_of("state_dir: " + quote + rest);
      ASSERT_EQ(errors.size(), 1u) << quote << rest;
      EXPECT_TRUE(
          errors[0].ends_with("not YAML: illegal EOF in scalar; a quote before this is not closed"))
          << errors[0];
    }
    EXPECT_EQ(errors_of("state_dir: " + quote + "/x \\\n\n").size(), 1u);
    EXPECT_EQ(config_of("state_dir: " + quote + "/x" + quote).governing.state_dir, "/x");
    EXPECT_EQ(config_of("state_dir: " + quote + "/x" + quote + "\n \n").governing.state_dir, "/x");
  }
}

TEST(Document, FollowsAnchorsAndAliases) {
  const Config config = config_of(
      "sensors:\n  load: &strict {limit: 1, resume: 50%}\n  cpu_pressure: *strict\n"
      "cost: {base: &n 3, per_node: *n}\n");
  EXPECT_EQ(config.governing.sensors.cpu_pressure.limit, 1);
  EXPECT_EQ(config.governing.sensors.cpu_pressure.resume, 0.5);
  EXPECT_EQ(config.governing.cost.per_node, Points{3});
  EXPECT_EQ(errors_of("cost: &a {base: *a}"),
            Errors{"f:1:17: an alias must not be used inside its own anchor"});
  EXPECT_EQ(errors_of("sensors: {load: &a {lmit: 1}, memory: *a}"),
            Errors{"f:1:21: unknown key `lmit`; did you mean `limit`?"})
      << "an error in an aliased value is said once";
}

TEST(Document, RefusesWhatHasNoMeaningHere) {
  EXPECT_EQ(errors_of("cost: {<<: {base: 1}}"),
            Errors{"f:1:8: merge keys (`<<`) are not supported"});
  EXPECT_EQ(errors_of("cost: {base: !!int 1}"),
            Errors{"f:1:14: tags such as `tag:yaml.org,2002:int` have no meaning here"});
  EXPECT_EQ(errors_of("cost: !mine {base: 1}"),
            Errors{"f:1:7: tags such as `!mine` have no meaning here"});
  EXPECT_EQ(errors_of("? [cost]\n: 1\n"), Errors{"f:1:3: a key must be a word"});
  EXPECT_EQ(errors_of("? ~\n: 1\n"), Errors{"f:1:3: a key must be a word"});
}

TEST(Document, AKeyStandsOnce) {
  EXPECT_EQ(errors_of("cost:\n  base: 1\nwindow: {step: 1, step: 2}\ncost: {base: 3}\n"),
            (Errors{"f:3:19: key `step` is given twice, first in line 3",
                    "f:4:1: key `cost` is given twice, first in line 1"}));
}

}  // namespace
}  // namespace sluice
