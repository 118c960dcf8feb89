#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/options.h"
#include "sluice/status.h"

namespace sluice {

/// Largest datagram in bytes: what an Ethernet frame carries beside IPv6, UDP and a tunnel's
/// headers, so that none is fragmented.
inline constexpr std::size_t kMostStatsdBytes = 1432;

/// One flush as datagrams of at most `kMostStatsdBytes`, to be sent in order. Gauges are those of
/// `now`; counters are what was added since `previous` (an empty `Status` before the first flush),
/// 0 included, so that every counter exists from the start. A line that is too long for a
/// datagram, and a value that is not finite, is left out. `host` names this machine.
/// `docs/metrics.md` lists the names. Pure; thread-safe.
std::vector<std::string> statsd_datagrams(const Status& now, const Status& previous,
                                          const StatsdOptions& options, std::string_view host);

}  // namespace sluice
