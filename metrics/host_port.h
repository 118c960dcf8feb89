#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice {

/// The address of a service; neither part is empty.
struct HostPort {
  std::string host;  ///< A name or an address; an IPv6 address has no brackets.
  std::string port;  ///< Decimal, 1 to 65535.

  bool operator==(const HostPort&) const = default;
};

/// Parses "HOST:PORT" or "[IPV6]:PORT"; nullopt for anything else.
std::optional<HostPort> parse_host_port(std::string_view text);

}  // namespace sluice
