#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// A request's target taken apart and percent-decoded.
struct Target {
  std::vector<std::string> path;  ///< "/v1/jobs/a%20b" is {"v1", "jobs", "a b"}; "/" is {""}.
  std::map<std::string, std::string> query;
};

/// None for what is no target: not a path, a broken or a nul escape. The absolute form
/// ("http://host/path") is taken for its path. Pure.
std::optional<Target> parse_target(std::string_view text);

/// "outcome=ok" for "outcome"; a character outside the unreserved ones is escaped. Pure.
std::string percent_encode(std::string_view text);

/// The host of a Host header, without port and brackets, in lower case: "[::1]:80" is "::1".
std::string host_name(std::string_view header);

/// Whether it is the text of an IPv4 or IPv6 address.
bool is_address(const std::string& host);

}  // namespace sluice
