#include "client/user_daemons.h"

#include <sys/socket.h>

#include <cerrno>
#include <filesystem>
#include <string_view>

#include "base/descriptors.h"
#include "base/socket_places.h"
#include "base/user_folder.h"

namespace sluice {
namespace {
namespace fs = std::filesystem;

/// Whether a socket of this user's is not just left of a daemon that was killed.
bool is_served(const std::string& socket) {
  const auto address = unix_address(socket);
  const Descriptor trying(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!address || !trying) return true;
  const auto* const place = reinterpret_cast<const sockaddr*>(&*address);
  const bool is_refused = connect(trying.get(), place, sizeof *address) != 0;
  // Any other error, such as that of a full queue, comes from a daemon that lives.
  return !is_refused || (errno != ECONNREFUSED && errno != ENOENT);
}

}  // namespace

std::vector<FurtherDaemon> further_daemons() {
  std::vector<FurtherDaemon> found;
  const fs::path usual = trusted_user_daemon_socket();
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(usual.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string(), place = entry.path().string();
    const bool is_alone = name.starts_with(kAlonePrefix);
    if (!is_alone && !(name.starts_with(kGroupPrefix) && name.ends_with(kSocketSuffix))) continue;
    const std::string socket = is_alone ? place + "/" + usual.filename().string() : place;
    found.push_back({place, socket, is_served(socket)});
  }
  return found;
}

std::string about_further_daemons() {
  std::string text;
  for (const FurtherDaemon& each : further_daemons()) {
    if (!each.serves) continue;
    const std::string use =
        each.place == each.socket ? "the memory limit of a cgroup" : "one build";
    text += (text.empty() ? "" : "; ") + ("a daemon for " + use) + " serves at " + each.socket;
  }
  return text.empty() ? "" : text + ": name it by --socket or SLUICE_SOCKET";
}

}  // namespace sluice
