#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/job.h"
#include "sluice/queueing.h"

namespace sluice {

/// The index of the rule that applies to a completed job: the first in the list that matches and is
/// not `continue`; nullopt if there is none. A predicate that cannot be compared (">x") is false.
/// Pure.
std::optional<std::size_t> applying_rule(std::span<const RuleOptions> rules, const JobRequest& job,
                                         JobId number);

/// Whether `text` matches a pattern in which `*` stands for any bytes and `?` for one byte. Linear
/// in practice: backtracks over at most one `*`.
bool matches_pattern(std::string_view pattern, std::string_view text);

/// A bucket that at most `n` running jobs may be in.
struct RateLimit {
  std::string label;  ///< "N:label": the same label with another N is another bucket.
  int n = 0;          ///< >= 1

  auto operator<=>(const RateLimit&) const = default;
};

/// The buckets named by a job's reasons, deduplicated and sorted: "rate-limit:N:label" with N > 0
/// and nothing in front. Other reasons name none. Source: Ganeti's ad-hoc rate limiting.
std::vector<RateLimit> rate_limits_of(std::span<const std::string> reasons);

}  // namespace sluice
