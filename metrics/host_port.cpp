#include "metrics/host_port.h"

#include <cstdint>

#include "base/parse.h"

namespace sluice {
namespace {

bool is_port(std::string_view text) { return parse_as<std::uint16_t>(text).value_or(0) != 0; }

}  // namespace

std::optional<HostPort> parse_host_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  const bool ambiguous = !bracketed && host.find_first_of(":[]") != std::string_view::npos;
  if (host.empty() || ambiguous || !is_port(port)) return std::nullopt;
  return HostPort{std::string(host), std::string(port)};
}

}  // namespace sluice
