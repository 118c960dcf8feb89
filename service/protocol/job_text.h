#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "service/protocol/client_batch.h"
#include "sluice/job.h"

namespace sluice {

// The stored form of a job, for the next daemon. All functions are pure.

/// What a client has submitted.
struct StoredRequest {
  JobRequest request;
  ClientBatch batch;
};

/// The request as the body of a submit; `after` has numbers. Keys that begin with `token_prefix`
/// are those of jobs that take turns: the text has `takes_turns` only where that is not so.
std::string request_text(const JobRequest& request, std::string_view token_prefix,
                         const ClientBatch& batch = {});
/// Parses that text, or returns the problem. `token_prefix`: as above.
std::variant<StoredRequest, std::string> parse_request(std::string_view text,
                                                       std::string_view token_prefix);

/// {"ports": ["p1", "p2"]}; empty if there are none.
std::string items_text(const std::vector<HeldItems>& items);
std::variant<std::vector<HeldItems>, std::string> parse_items(std::string_view text);

}  // namespace sluice
