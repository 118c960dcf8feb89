#pragma once

#include <sys/un.h>

#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// Where a daemon listens: what the command line says, else $SLUICE_SOCKET, else the
/// configuration, else /run/sluice/sluice.sock as root and $XDG_RUNTIME_DIR/sluice.sock
/// otherwise. Empty strings say nothing. Empty: nowhere, as there is no runtime folder.
struct ServerPlace {
  std::string path;
  bool is_default = false;
};
ServerPlace server_place(const std::string& option, const std::string& configured);

/// Where a client looks, in this order; one entry where it was told.
std::vector<std::string> client_places(const std::string& option);

/// The path as an address; none if it does not fit in.
std::optional<sockaddr_un> unix_address(const std::string& path);

}  // namespace sluice
