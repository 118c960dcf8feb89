#include "cli/batch/unquoted.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/shell_command.h"
#include "base/text.h"

namespace sluice::cli {
namespace {

/// As GNU parallel 20221122 does, and as older ones did.
std::string with_double_quotes(const std::string& word) {
  return "'" + replaced(word, "'", "'\"'\"'") + "'";
}
std::string with_backslashes(const std::string& word) {
  if (word.empty()) return "''";
  std::string quoted;
  for (const char c : word) quoted += c == '\n' ? "'\n'" : std::string("\\") + c;
  return quoted;
}

const std::vector<std::string> kWords{"",    "a",     "it's", "'",    "''a'", "a\tb", "a\nb",
                                      "a b", "$x",    "a=b",  "\\",   "\"",   "`a`",  "~",
                                      "*",   "a,b:@", "#a",   "\xff", "!(x)", "{a,b}"};

TEST(UnquotedForm, DoesNotDependOnHowWordsAreQuoted) {
  for (const char* around : {"cp {} x", "cp {} >$y", "a \"$(b {} '('c \"d\")\" | e"}) {
    for (const std::string& word : kWords) {
      const std::string ours = replaced(around, "{}", shell_quoted(word));
      EXPECT_EQ(unquoted_form(ours),
                unquoted_form(replaced(around, "{}", with_double_quotes(word))))
          << ours;
      EXPECT_EQ(unquoted_form(ours), unquoted_form(replaced(around, "{}", with_backslashes(word))))
          << ours;
    }
  }
}

TEST(UnquotedForm, IsAnotherOneForEachWord) {
  for (const std::string& one : kWords) {
    for (const std::string& other : kWords) {
      const bool same = unquoted_form("a " + shell_quoted(one) + " c") ==
                        unquoted_form("a " + with_double_quotes(other) + " c");
      EXPECT_EQ(same, one == other) << one << " " << other;
    }
  }
}

TEST(UnquotedForm, IsAnotherOneWhereAShellReadsSomethingElse) {
  const std::vector<std::pair<std::string, std::string>> others{{"echo $x", "echo '$x'"},
                                                                {"echo \"$x\"", "echo $x"},
                                                                {"echo \"$x\"", "echo '$x'"},
                                                                {"echo *", "echo '*'"},
                                                                {"a | b", "a '|' b"},
                                                                {"a b", "'a b'"},
                                                                {"a ''", "a"},
                                                                {"''$x", "$x"},
                                                                {"$x''y", "$xy"},
                                                                {"$x'y'", "$xy"},
                                                                {"\"$x\"y", "\"$xy\""},
                                                                {"\"$\"x", "\"$x\""},
                                                                {"~a", "~'a'"},
                                                                {"a # b", "a '#' b"},
                                                                {"'a", "'a'"},
                                                                {"\"a", "\"a\""},
                                                                {"a\nb", "a'\n'b"},
                                                                {"\"\\a\"", "\"a\""},
                                                                {"\"'a'\"", "\"a\""},
                                                                {"echo `a`", "echo '`a`'"},
                                                                {"a; b", "a ';' b"},
                                                                {"\"$(a b)\"", "\"$(a 'b)\""},
                                                                {"${x'y'}", "${xy}"},
                                                                {"\"`a`\"", "'`a`'"}};
  for (const auto& [one, other] : others) {
    EXPECT_NE(unquoted_form(one), unquoted_form(other)) << one << " and " << other;
  }
}

TEST(UnquotedForm, DoesNotDependOnBlanksBetweenWordsOrOnJoinedLines) {
  EXPECT_EQ(unquoted_form("  a \t b "), unquoted_form("a b"));
  EXPECT_EQ(unquoted_form("a\\\nb"), unquoted_form("ab"));
  EXPECT_EQ(unquoted_form("a\"\"b''"), unquoted_form("ab"));
  EXPECT_EQ(unquoted_form("\"\\$\\`\\\"\\\\\""), unquoted_form("'$`\"\\'"));
}

}  // namespace
}  // namespace sluice::cli
