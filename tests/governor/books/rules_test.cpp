#include "governor/books/rules.h"

#include <gtest/gtest.h>

#include <climits>
#include <random>
#include <string>
#include <vector>

namespace sluice {
namespace {

using Action = RuleOptions::Action;
using Applying = std::optional<std::size_t>;

RuleOptions rule(Action action, std::optional<std::string> id = {}) {
  RuleOptions options;
  options.action = action;
  options.id = std::move(id);
  options.n = action == Action::rate_limit ? 2 : 0;
  return options;
}

/// The rule that applies to each of the jobs 1 to `count`, which are named "1", "2" and so on.
std::vector<Applying> applying(const std::vector<RuleOptions>& rules, std::uint64_t count) {
  std::vector<Applying> all;
  for (std::uint64_t number = 1; number <= count; ++number) {
    JobRequest job;
    job.id = std::to_string(number);
    all.push_back(applying_rule(rules, job, JobId{number}));
  }
  return all;
}

struct RuleCase {
  std::string shows;
  std::vector<RuleOptions> rules;
  std::vector<Applying> applying;  ///< By job.
};

TEST(Rules, TheFirstThatMatchesAppliesAsVectorV11Shows) {
  const Applying none;
  const RuleCase cases[] = {
      {"reject one job", {rule(Action::reject, "1")}, {0}},
      {"reject comes first", {rule(Action::reject, "1"), rule(Action::accept, "1")}, {0}},
      {"accept comes first", {rule(Action::accept, "1"), rule(Action::reject, "1")}, {0}},
      {"pause", {rule(Action::pause, "1")}, {0}},
      {"reject those after a number", {rule(Action::reject, ">1")}, {none, 0}},
      {"reject those before a number", {rule(Action::reject, "<2")}, {0, none}},
      {"no predicate matches all", {rule(Action::reject)}, {0, 0}},
      {"continue has no effect", {rule(Action::pass_on), rule(Action::rate_limit)}, {1, 1, 1}},
      {"continue and a limit for some",
       {rule(Action::pass_on, ">1"), rule(Action::rate_limit, ">1")},
       {none, 1, 1, 1}},
      {"no rule", {}, {none}},
      {"only continue", {rule(Action::pass_on)}, {none}},
  };
  for (const RuleCase& each : cases) {
    EXPECT_EQ(applying(each.rules, each.applying.size()), each.applying) << each.shows;
  }
}

TEST(Rules, APredicateThatCannotBeComparedIsFalse) {
  for (const char* id : {">x", ">", "<", "<-1", "> 1", ">1x", "><1"}) {
    EXPECT_EQ(applying({rule(Action::reject, id)}, 1).at(0), std::nullopt) << id;
  }
  EXPECT_EQ(applying({rule(Action::reject, "<99999999999999999999999")}, 1).at(0), 0u);
  EXPECT_EQ(applying({rule(Action::reject, ">99999999999999999999999")}, 1).at(0), std::nullopt);
}

TEST(Rules, ComparisonsAreOfTheGovernorsNumberAndPatternsOfTheCallersName) {
  JobRequest job;
  job.id = "7";
  const std::vector<RuleOptions> rules{rule(Action::reject, ">3"), rule(Action::accept, "7")};
  EXPECT_EQ(applying_rule(rules, job, JobId{3}), 1u);
  EXPECT_EQ(applying_rule(rules, job, JobId{4}), 0u);
}

TEST(Rules, AllPredicatesMustMatchAndAnyReasonWill) {
  RuleOptions options;
  options.action = Action::pause;
  options.id = "build-*";
  options.key = "lint-*";
  options.queue = "night?y";
  options.reason = "by *";
  JobRequest job;
  job.id = "build-7";
  job.key = "lint-cpp";
  job.queue = "nightly";
  job.reasons = {"weekly", "by hand"};
  const auto applies = [&](const JobRequest& each) {
    return applying_rule(std::vector{options}, each, JobId{1}).has_value();
  };
  EXPECT_TRUE(applies(job));
  for (std::string JobRequest::*field : {&JobRequest::id, &JobRequest::key, &JobRequest::queue}) {
    JobRequest other = job;
    other.*field = "else";
    EXPECT_FALSE(applies(other));
  }
  job.reasons = {"weekly"};
  EXPECT_FALSE(applies(job));
  job.reasons.clear();
  EXPECT_FALSE(applies(job));
}

TEST(Rules, PatternsMatch) {
  struct Row {
    const char *pattern, *text;
    bool matches;
  };
  const Row rows[] = {
      {"", "", true},         {"", "a", false},         {"*", "", true},
      {"*", "abc", true},     {"?", "", false},         {"?", "a", true},
      {"?", "ab", false},     {"abc", "abc", true},     {"abc", "ab", false},
      {"ab", "abc", false},   {"a*", "a", true},        {"a*c", "abbc", true},
      {"a*c", "abcb", false}, {"a*b*c", "aXbYc", true}, {"a*b*c", "acb", false},
      {"*ab", "aab", true},   {"*a?b", "aaab", true},   {"**", "", true},
      {"?*", "", false},      {"*?", "x", true},        {"[a]", "a", false},
      {"a*a", "a", false},    {"*.cpp", "a.cpp", true}, {"lint-*", "lint", false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(matches_pattern(row.pattern, row.text), row.matches)
        << row.pattern << " on " << row.text;
  }
}

/// By exhaustive search.
bool plainly_matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    return plainly_matches(pattern.substr(1), text) ||
           (!text.empty() && plainly_matches(pattern, text.substr(1)));
  }
  return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) &&
         plainly_matches(pattern.substr(1), text.substr(1));
}

TEST(Rules, PatternsMatchAsTryingEveryWayDoes) {
  std::mt19937 random(7);
  const auto draw = [&](std::string_view letters) {
    std::string text(random() % 9, ' ');
    for (char& letter : text) letter = letters[random() % letters.size()];
    return text;
  };
  for (int i = 0; i < 100'000; ++i) {
    const std::string pattern = draw("ab*?"), text = draw("ab");
    ASSERT_EQ(matches_pattern(pattern, text), plainly_matches(pattern, text))
        << pattern << " on " << text;
  }
}

TEST(Rules, AHostilePatternEndsSoon) {
  std::string pattern;
  for (int i = 0; i < 500; ++i) pattern += "*a";
  EXPECT_FALSE(matches_pattern(pattern + "b", std::string(1000, 'a')));
}

struct Reason {
  std::string text, label;
  int n;  ///< 0 for no limit.
};

TEST(Rules, ReasonsNameBucketsAsVectorV10Shows) {
  const Reason reasons[] = {
      {"rate-limit:2:hello", "2:hello", 2},
      {"rate-limit:20:my label", "20:my label", 20},
      {"rate-limit:1:a:b: c", "1:a:b: c", 1},
      {"rate-limit:99999999999:a", "99999999999:a", INT_MAX},
      {" rate-limit:2:hello", "", 0},
      {"rate-limit:0:hello", "", 0},
      {"rate-limit:-1:hello", "", 0},
      {"rate-limit:two:hello", "", 0},
      {"rate-limit: 2:hello", "", 0},
      {"rate-limit:2x:hello", "", 0},
      {"rate-limit::hello", "", 0},
      {"rate-limit:2", "", 0},
      {"rate-limits:2:hello", "", 0},
      {"Rate-Limit:2:hello", "", 0},
      {"", "", 0},
  };
  for (const Reason& reason : reasons) {
    const auto limits = rate_limits_of(std::vector{reason.text});
    const auto expected =
        reason.n > 0 ? std::vector<RateLimit>{{reason.label, reason.n}} : std::vector<RateLimit>{};
    EXPECT_EQ(limits, expected) << reason.text;
  }
}

TEST(Rules, EachBucketComesOnceAndAnotherNumberIsAnother) {
  const std::vector<std::string> reasons{"rate-limit:3:b", "because", "rate-limit:2:b",
                                         "rate-limit:3:b", "rate-limit:1:c"};
  EXPECT_EQ(rate_limits_of(reasons), (std::vector<RateLimit>{{"1:c", 1}, {"2:b", 2}, {"3:b", 3}}));
}

}  // namespace
}  // namespace sluice
