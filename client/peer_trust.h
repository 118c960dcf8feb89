#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace sluice {

/// Whether the daemon at the other end runs in this pid namespace, so that a process has the same
/// number for both.
bool sees_same_processes(int socket);

/// Whose daemon answers at a socket, and who asks.
struct ServingPeer {
  uid_t user = 0;   ///< Of the process that listens.
  uid_t asker = 0;  ///< Of this process.
  /// Owner of the system socket's folder, which only root can make; nullopt at any other place.
  std::optional<uid_t> installed;
};

/// Whether a client may believe a daemon that it found by itself. A daemon's answer ends up in
/// commands: the daemon must be root's, the asker's, or the one that root has installed. Pure.
bool is_believable(const ServingPeer& peer);

/// Why this process must not believe the daemon at the other end of a connection to `place`, a
/// default place, with what to do; nullopt if it may.
std::optional<std::string> distrust_of(int socket, const std::string& place);

}  // namespace sluice
