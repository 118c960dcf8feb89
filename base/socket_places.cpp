#include "base/socket_places.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "base/user_folder.h"

namespace sluice {
namespace {

std::string user_socket() {
  const std::string folder = environment_text("XDG_RUNTIME_DIR");
  return folder.empty() ? "" : folder + "/sluice.sock";
}

}  // namespace

ServerPlace server_place(const std::string& option, const std::string& configured) {
  if (!option.empty()) return {option, false};
  if (auto told = environment_text("SLUICE_SOCKET"); !told.empty()) return {told, false};
  if (!configured.empty()) return {configured, false};
  return {geteuid() == 0 ? kSystemSocket : user_socket(), true};
}

bool is_socket_named(const std::string& option) {
  return !option.empty() || !environment_text("SLUICE_SOCKET").empty();
}

std::vector<std::string> client_places(const std::string& option) {
  if (!option.empty()) return {option};
  if (auto told = environment_text("SLUICE_SOCKET"); !told.empty()) return {told};
  std::vector<std::string> places{kSystemSocket};
  if (auto own = user_socket(); !own.empty()) places.push_back(own);
  if (auto started = trusted_user_daemon_socket(); !started.empty()) places.push_back(started);
  return places;
}

std::optional<sockaddr_un> unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

Descriptor connect_at_once(const std::string& path) {
  const auto address = unix_address(path);
  if (!address) {
    errno = ENAMETOOLONG;
    return Descriptor();
  }
  Descriptor connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto* const place = reinterpret_cast<const sockaddr*>(&*address);
  if (connection && connect(connection.get(), place, sizeof *address) != 0) connection.reset();
  return connection;
}

int try_socket(const std::string& path) {
  return connect_at_once(path) || errno == EAGAIN ? 0 : errno;
}

std::optional<ucred> credentials_of_peer(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  const int error = getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size);
  return error == 0 ? std::optional(peer) : std::nullopt;
}

}  // namespace sluice
