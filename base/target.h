#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// A request target, split and percent-decoded.
struct Target {
  std::vector<std::string> path;  ///< "/v1/jobs/a%20b" is {"v1", "jobs", "a b"}; "/" is {""}.
  std::map<std::string, std::string> query;
  std::string repeated;  ///< The first parameter that is given twice; empty if none is.
};

/// nullopt if it is not a target: not a path, or with a malformed or NUL escape. The absolute form
/// ("http://host/path") counts as its path. Pure.
std::optional<Target> parse_target(std::string_view text);

/// Escapes every character that is not unreserved. Pure.
std::string percent_encode(std::string_view text);

/// The host of a Host header, without port and brackets, in lower case: "[::1]:80" is "::1".
std::string host_name(std::string_view header);

/// Whether the text is an IPv4 or IPv6 address.
bool is_address(const std::string& host);

}  // namespace sluice
