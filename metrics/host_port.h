#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice {

/// Where a service is; neither part is empty.
struct HostPort {
  std::string host;  ///< A name or an address; without the brackets of an IPv6 address.
  std::string port;  ///< Decimal, 1 to 65535.

  bool operator==(const HostPort&) const = default;
};

/// Parses "HOST:PORT" or "[IPV6]:PORT". None for anything else.
std::optional<HostPort> parse_host_port(std::string_view text);

}  // namespace sluice
