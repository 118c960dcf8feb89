#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sluice/job.h"

namespace sluice {

// How a job is written down for a later life of the daemon. All pure.

/// The request in the words of a submit's body; `after` names numbers.
std::string request_text(const JobRequest& request);
/// Reads that again, or says what is wrong with it.
std::variant<JobRequest, std::string> parse_request(std::string_view text);

/// {"ports": ["p1", "p2"]}; empty for none.
std::string items_text(const std::vector<HeldItems>& items);
std::variant<std::vector<HeldItems>, std::string> parse_items(std::string_view text);

}  // namespace sluice
