#pragma once

#include "service/http.h"

namespace sluice {

/// Who connected to this socket, as the kernel noted it then; over TCP nobody knows.
Peer peer_of(int descriptor, Transport transport);

}  // namespace sluice
