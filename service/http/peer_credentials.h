#pragma once

#include "service/http/http.h"

namespace sluice::http {

/// The peer of this socket, as the kernel recorded it when it connected; unknown over TCP.
Peer peer_of(int descriptor, Transport transport);

/// The network namespace of a socket; for an accepted one, its peer's. nullopt if the kernel does
/// not tell (before Linux 5.14).
std::optional<std::uint64_t> network_of(int descriptor);

/// The network namespace of this process.
std::optional<std::uint64_t> own_network();

}  // namespace sluice::http
