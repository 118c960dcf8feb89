#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "service/http/server.h"

namespace sluice {

/// Distribution of the descriptors that this process may open: no use takes all, and root can
/// always connect.
struct DescriptorShares {
  http::Limits http;           ///< As configured, or with fewer connections.
  std::size_t processes = 0;   ///< Most processes that may be watched.
  std::size_t jobservers = 0;  ///< Most jobservers that may be open, each with two descriptors.
};

/// Reserves 64 for files, sensors and work sources, up to 512 for the files of processes that are
/// measured, and an eighth of the rest for jobservers. Connections get what `http` says, but at
/// most half of what is left then; watched processes get everything else. Pure.
DescriptorShares share_descriptors(std::uint64_t limit, http::Limits http);

/// Warning if shares were reduced below `wanted`; else nullopt. Pure.
std::optional<std::string> shortage(std::uint64_t limit, const DescriptorShares& shares,
                                    const http::Limits& wanted);

}  // namespace sluice
