#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sluice/job.h"

namespace sluice {

// The stored form of a job, for the next daemon. All functions are pure.

/// The request as the body of a submit; `after` has numbers.
std::string request_text(const JobRequest& request);
/// Parses that text, or returns the problem.
std::variant<JobRequest, std::string> parse_request(std::string_view text);

/// {"ports": ["p1", "p2"]}; empty if there are none.
std::string items_text(const std::vector<HeldItems>& items);
std::variant<std::vector<HeldItems>, std::string> parse_items(std::string_view text);

}  // namespace sluice
