#pragma once

namespace sluice {

/// Makes a forked process one that nothing but its socket reaches: a session of its own, /dev/null
/// for its streams, no other descriptor of the process it was forked from. Every signal must be
/// blocked already. The number that the socket has from here on.
int become_guard(int socket);

}  // namespace sluice
