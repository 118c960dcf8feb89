#include "autoscale/endpoint.h"

#include <algorithm>
#include <charconv>

namespace sluice {
namespace {

constexpr std::size_t kMostText = 2048;

bool may_stand_in_address(unsigned char c) { return c > ' ' && c < 0x7f && c != '"'; }

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, port);
  return parsed.ec == std::errc{} && parsed.ptr == end && port >= 1 && port <= 65535;
}

std::string must_be(std::string_view text) {
  return "`" + std::string(text.substr(0, 200)) +
         "` must be HOST:PORT, http://HOST:PORT or the path of a socket";
}

/// Splits "HOST:PORT" or "[IPV6]:PORT"; the port may be missing if there is a default.
bool split_authority(std::string_view text, std::string_view other_port, Endpoint& place) {
  std::size_t colon = text.rfind(':');
  const std::size_t bracket = text.rfind(']');
  if (colon != std::string_view::npos && bracket != std::string_view::npos && colon < bracket) {
    colon = std::string_view::npos;
  }
  std::string_view host = text.substr(0, colon);
  const std::string_view port =
      colon == std::string_view::npos ? other_port : text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return false;
  }
  if (host.empty() || !is_port(port)) return false;
  place.host = host;
  place.port = port;
  return true;
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
  std::string_view other_port;
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
  if (!split_authority(rest, other_port, place)) return must_be(text);
  return place;
}

std::string to_string(const Endpoint& place) {
  if (place.kind == Endpoint::Kind::unix_socket) return place.host;
  const bool bracketed = place.host.find(':') != std::string::npos;
  return (bracketed ? "[" + place.host + "]" : place.host) + ":" + place.port;
}

}  // namespace sluice
