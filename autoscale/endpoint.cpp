#include "autoscale/endpoint.h"

#include <algorithm>
#include <optional>

#include "metrics/host_port.h"

namespace sluice {
namespace {

constexpr std::size_t kMostText = 2048;

bool may_stand_in_address(unsigned char c) { return c > ' ' && c < 0x7f && c != '"'; }

std::string must_be(std::string_view text) {
  return "`" + std::string(text.substr(0, 200)) +
         "` must be HOST:PORT, http://HOST:PORT or the path of a socket";
}

/// Parses "HOST:PORT" or "[IPV6]:PORT"; the port may be missing if there is a default.
std::optional<HostPort> parse_authority(const std::string& text, const std::string& other_port) {
  const std::size_t last = text.find_last_of(":]");
  const bool has_port = last != text.npos && text[last] == ':';
  return parse_host_port(has_port ? text : text + ":" + other_port);
}

}  // namespace

std::variant<Endpoint, std::string> parse_endpoint(std::string_view text) {
  const bool printable = std::all_of(text.begin(), text.end(), may_stand_in_address);
  if (text.empty() || text.size() > kMostText || !printable) return must_be(text);
  Endpoint place;
  std::string_view rest = text;
  if (rest.starts_with("unix:")) rest.remove_prefix(5);
  if (rest.starts_with('/')) {
    place.kind = Endpoint::Kind::unix_socket;
    place.host = rest;
    return place;
  }
  if (rest.size() != text.size()) return must_be(text);
  std::string other_port;
  if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    other_port = "80";
  } else if (rest.starts_with("https://")) {
    place.kind = Endpoint::Kind::tls;
    rest.remove_prefix(8);
    other_port = "443";
  }
  const std::size_t slash = rest.find('/');
  if (slash != std::string_view::npos) {
    if (other_port.empty()) return must_be(text);
    place.prefix = rest.substr(slash);
    while (place.prefix.ends_with('/')) place.prefix.pop_back();
    rest = rest.substr(0, slash);
  }
  const auto authority = parse_authority(std::string(rest), other_port);
  if (!authority) return must_be(text);
  place.host = authority->host;
  place.port = authority->port;
  return place;
}

std::string to_string(const Endpoint& place) {
  if (place.kind == Endpoint::Kind::unix_socket) return place.host;
  const bool bracketed = place.host.find(':') != std::string::npos;
  return (bracketed ? "[" + place.host + "]" : place.host) + ":" + place.port;
}

}  // namespace sluice
