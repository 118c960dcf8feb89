#pragma once

#include <string>
#include <string_view>
#include <variant>

namespace sluice {

/// An HTTP endpoint.
struct Endpoint {
  enum class Kind { unix_socket, plain, tls };
  Kind kind = Kind::plain;
  std::string host;    ///< A name or an address, IPv6 without brackets; or the path of a socket.
  std::string port;    ///< Decimal; empty for a socket.
  std::string prefix;  ///< Prepended to every target: "" or "/prometheus".

  bool operator==(const Endpoint&) const = default;
};

/// Parses "HOST:PORT", "http://HOST[:PORT][/PREFIX]", "https://..." or the absolute path of a
/// socket ("/run/x.sock", "unix:/run/x.sock"). A URL without a port gets 80 or 443. On error, the
/// expected form. Pure.
std::variant<Endpoint, std::string> parse_endpoint(std::string_view text);

/// "host:port" or the path, for people.
std::string to_string(const Endpoint& place);

}  // namespace sluice
