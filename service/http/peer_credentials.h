#pragma once

#include "service/http/http.h"

namespace sluice {

/// Who connected to this socket, as the kernel noted it then; over TCP nobody knows.
Peer peer_of(int descriptor, Transport transport);

/// The network namespace that a socket is of: of one that was accepted, its peer's. None: the
/// kernel does not tell (before Linux 5.14).
std::optional<std::uint64_t> network_of(int descriptor);

/// That of this process.
std::optional<std::uint64_t> own_network();

}  // namespace sluice
