#include "governor/rules.h"

#include <algorithm>
#include <charconv>

namespace sluice {
namespace {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size() && !text.empty();
  return whole ? std::optional(number) : std::nullopt;
}

/// ">12" and "<12" compare the governor's number; anything else is a pattern for the caller's name.
bool matches_id(std::string_view pattern, const JobRequest& job, JobId number) {
  const bool compares = pattern.starts_with('>') || pattern.starts_with('<');
  if (!compares) return matches_pattern(pattern, job.id);
  const auto bound = parse_number(pattern.substr(1));
  if (!bound) return false;
  return pattern.front() == '>' ? number.value > *bound : number.value < *bound;
}

bool matches(const RuleOptions& rule, const JobRequest& job, JobId number) {
  if (rule.id && !matches_id(*rule.id, job, number)) return false;
  if (rule.key && !matches_pattern(*rule.key, job.key)) return false;
  if (rule.queue && !matches_pattern(*rule.queue, job.queue)) return false;
  return !rule.reason ||
         std::any_of(job.reasons.begin(), job.reasons.end(), [&](const std::string& reason) {
           return matches_pattern(*rule.reason, reason);
         });
}

std::optional<RateLimit> rate_limit_of(std::string_view reason) {
  constexpr std::string_view prefix = "rate-limit:";
  if (!reason.starts_with(prefix)) return std::nullopt;
  const std::string_view label = reason.substr(prefix.size());
  const std::size_t colon = label.find(':');
  if (colon == label.npos) return std::nullopt;
  const auto n = parse_number(label.substr(0, colon));
  constexpr std::uint64_t most = 1'000'000'000;
  if (!n || *n == 0 || *n > most) return std::nullopt;
  return RateLimit{std::string(label), static_cast<int>(*n)};
}

}  // namespace

std::optional<std::size_t> applying_rule(std::span<const RuleOptions> rules, const JobRequest& job,
                                         JobId number) {
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    if (rules[rule].action == RuleOptions::Action::pass_on) continue;
    if (matches(rules[rule], job, number)) return rule;
  }
  return std::nullopt;
}

bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t at = 0, in = 0;
  std::optional<std::size_t> star;  // The last `*` seen, and where the text it stands for ends.
  std::size_t end_of_star = 0;
  while (in < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      end_of_star = in;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[in])) {
      ++at;
      ++in;
    } else if (star) {
      at = *star + 1;
      in = ++end_of_star;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

std::vector<RateLimit> rate_limits_of(std::span<const std::string> reasons) {
  std::vector<RateLimit> limits;
  for (const std::string& reason : reasons) {
    if (auto limit = rate_limit_of(reason)) limits.push_back(*std::move(limit));
  }
  std::sort(limits.begin(), limits.end());
  limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
  return limits;
}

}  // namespace sluice
