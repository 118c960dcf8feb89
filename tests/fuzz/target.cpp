// The target of a request, the Host header, and the addresses in a configuration.
#include "base/target.h"

#include "metrics/host_port.h"
#include "service/protocol/submit.h"
#include "support/fuzz.h"

namespace sluice::fuzz {
namespace {

void check(const Target& target) {
  require(!target.path.empty(), "a path has a segment");
  for (const std::string& segment : target.path) {
    if (segment.find('\0') != std::string::npos) continue;
    const auto again = parse_target("/" + percent_encode(segment));
    require(again && again->path == std::vector{segment}, "what is encoded is decoded");
  }
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  if (const auto target = parse_target(text)) check(*target);
  is_address(host_name(text));
  parse_wait(text);
  if (const auto place = parse_host_port(text)) {
    require(!place->host.empty() && !place->port.empty(), "neither part is empty");
  }
}
