#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <optional>
#include <string>
#include <vector>

#include "base/descriptors.h"

namespace sluice {

/// The system's daemon.
inline constexpr const char* kSystemSocket = "/run/sluice/sluice.sock";

/// Where a daemon listens: the command line's socket, else $SLUICE_SOCKET, else the
/// configuration's, else /run/sluice/sluice.sock as root and $XDG_RUNTIME_DIR/sluice.sock
/// otherwise. Empty strings count as unset. An empty `path`: nowhere, because there is no runtime
/// folder.
struct ServerPlace {
  std::string path;
  bool is_default = false;
};
ServerPlace server_place(const std::string& option, const std::string& configured);

/// Whether the user named the daemon's socket, by the option or $SLUICE_SOCKET.
bool is_socket_named(const std::string& option);

/// The sockets that a client tries, in order; just one if the user named it. The last is that of
/// the daemon that Sluice starts for this user, if its folder is there (`base/user_folder.h`).
std::vector<std::string> client_places(const std::string& option);

/// The path as an address; nullopt if it is too long or empty.
std::optional<sockaddr_un> unix_address(const std::string& path);

/// A connection to a socket, which does not block. None, with errno, if that fails: EAGAIN if the
/// listener's queue is full, ENAMETOOLONG if the path is no address.
Descriptor connect_at_once(const std::string& path);

/// Connects to a socket for a moment, without waiting: 0 if a process listens there, also with a
/// full queue, else the error; ENAMETOOLONG if the path is no address.
int try_socket(const std::string& path);

/// The process and user at the other end of a Unix connection when it was made, as seen from here:
/// the process is 0 if it is in another pid namespace. nullopt if the kernel does not say.
std::optional<ucred> credentials_of_peer(int socket);

}  // namespace sluice
