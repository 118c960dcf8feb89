#include "governor/books/rules.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <system_error>

namespace sluice {
namespace {

/// A text of digits only; numbers out of range give the largest value.
template <typename Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number number = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (end != last || error == std::errc::invalid_argument) return std::nullopt;
  return error == std::errc{} ? number : std::numeric_limits<Number>::max();
}

bool matches_id(std::string_view predicate, std::string_view id, JobId number) {
  if (!predicate.starts_with('>') && !predicate.starts_with('<')) {
    return matches_pattern(predicate, id);
  }
  const auto bound = parse_whole<std::uint64_t>(predicate.substr(1));
  if (!bound) return false;
  return predicate.front() == '>' ? number.value > *bound : number.value < *bound;
}

bool matches(const RuleOptions& rule, const JobRequest& job, JobId number) {
  const auto has_reason = [&](std::string_view pattern) {
    return std::any_of(job.reasons.begin(), job.reasons.end(),
                       [&](std::string_view reason) { return matches_pattern(pattern, reason); });
  };
  return (!rule.id || matches_id(*rule.id, job.id, number)) &&
         (!rule.key || matches_pattern(*rule.key, job.key)) &&
         (!rule.queue || matches_pattern(*rule.queue, job.queue)) &&
         (!rule.reason || has_reason(*rule.reason));
}

std::optional<RateLimit> rate_limit_of(std::string_view reason) {
  constexpr std::string_view kPrefix = "rate-limit:";
  if (!reason.starts_with(kPrefix)) return std::nullopt;
  const std::string_view label = reason.substr(kPrefix.size());
  const std::size_t colon = label.find(':');
  if (colon == label.npos) return std::nullopt;
  const auto n = parse_whole<int>(label.substr(0, colon));
  if (!n || *n <= 0) return std::nullopt;
  return RateLimit{std::string(label), *n};
}

}  // namespace

std::optional<std::size_t> applying_rule(std::span<const RuleOptions> rules, const JobRequest& job,
                                         JobId number) {
  for (std::size_t index = 0; index < rules.size(); ++index) {
    const RuleOptions& rule = rules[index];
    if (rule.action != RuleOptions::Action::pass_on && matches(rule, job, number)) return index;
  }
  return std::nullopt;
}

bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t in_pattern = 0, in_text = 0;
  std::size_t after_star = pattern.npos, star_ends = 0;  // Of the last `*`: what it matched so far.
  while (in_text < text.size()) {
    const bool there = in_pattern < pattern.size();
    if (there && pattern[in_pattern] == '*') {
      after_star = ++in_pattern;
      star_ends = in_text;
    } else if (there && (pattern[in_pattern] == '?' || pattern[in_pattern] == text[in_text])) {
      ++in_pattern;
      ++in_text;
    } else if (after_star != pattern.npos) {
      in_pattern = after_star;
      in_text = ++star_ends;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == pattern.npos;
}

std::vector<RateLimit> rate_limits_of(std::span<const std::string> reasons) {
  std::vector<RateLimit> limits;
  for (const std::string& reason : reasons) {
    if (auto limit = rate_limit_of(reason)) limits.push_back(std::move(*limit));
  }
  std::sort(limits.begin(), limits.end());
  limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
  return limits;
}

}  // namespace sluice
