#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "service/http/server.h"

namespace sluice {

/// Who may have how many of the descriptors that this process may open, so that no kind takes all
/// and root can always connect.
struct DescriptorShares {
  HttpLimits http;            ///< As it was, or with fewer connections.
  std::size_t processes = 0;  ///< That may be watched.
};

/// 64 are left to files, sensors and work sources. Connections get what `http` says, but at most
/// half of the rest; watched processes get all else. Pure.
DescriptorShares share_descriptors(std::uint64_t limit, HttpLimits http);

/// What is to be said of shares that had to be smaller than `wanted`; none: they are not. Pure.
std::optional<std::string> shortage(std::uint64_t limit, const DescriptorShares& shares,
                                    const HttpLimits& wanted);

}  // namespace sluice
