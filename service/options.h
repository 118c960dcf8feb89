#pragma once

#include <string>
#include <vector>

namespace sluice {

/// How `sluice serve` is reached.
struct ServiceOptions {
  std::string socket;  ///< Path of the Unix socket; empty: the default place.
  std::string group;   ///< Of the socket, by name or number; empty: the daemon's own.
  /// Who may use the socket besides root and the daemon's own user, by name or number. Both empty:
  /// the members of the socket's group.
  std::vector<std::string> allow_uids, allow_gids;
  std::string listen = "127.0.0.1:9797";  ///< For metrics and health; empty: no TCP port.
  std::string token_file;                 ///< Empty: over TCP nothing can be changed.
};

}  // namespace sluice
