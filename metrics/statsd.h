#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/options.h"
#include "sluice/status.h"

namespace sluice {

/// Largest datagram in bytes: what an Ethernet frame has left after the headers of IPv6, UDP and a
/// tunnel, so datagrams are never fragmented.
inline constexpr std::size_t kMostStatsdBytes = 1432;

/// One flush as datagrams of at most `kMostStatsdBytes`, to send in order. Gauges are those of
/// `now`; counters are the increase since `previous` (an empty `Status` before the first flush), 0
/// included, so every counter exists from the start. Omits lines too long for a datagram and values
/// that are not finite. `host` names this machine. `docs/metrics.md` lists the names. Pure;
/// thread-safe.
std::vector<std::string> statsd_datagrams(const Status& now, const Status& previous,
                                          const StatsdOptions& options, std::string_view host);

}  // namespace sluice
