#include "client/user_daemons.h"

#include <cerrno>
#include <filesystem>
#include <string_view>

#include "base/folder.h"
#include "base/socket_places.h"
#include "base/user_folder.h"

namespace sluice {
namespace {
namespace fs = std::filesystem;

FurtherDaemon::State state_of(const std::string& socket) {
  using enum FurtherDaemon::State;
  const int error = try_socket(socket);
  if (error == 0) return serves;
  return error == ECONNREFUSED || error == ENOENT ? killed : unknown;
}

}  // namespace

std::vector<FurtherDaemon> further_daemons() {
  std::vector<FurtherDaemon> found;
  const fs::path usual = trusted_user_daemon_socket();
  const std::string folder = usual.parent_path().string();
  if (folder.empty()) return found;
  for (const std::string& name : names_in_folder(folder)) {
    const std::string place = folder + "/" + name;
    const bool is_alone = name.starts_with(kAlonePrefix);
    if (!is_alone && !(name.starts_with(kGroupPrefix) && name.ends_with(kSocketSuffix))) continue;
    const std::string socket = is_alone ? place + "/" + usual.filename().string() : place;
    found.push_back({place, socket, state_of(socket)});
  }
  return found;
}

std::string about_further_daemons() {
  std::string text;
  for (const FurtherDaemon& each : further_daemons()) {
    if (each.state != FurtherDaemon::State::serves) continue;
    const std::string use =
        each.place == each.socket ? "the memory limit of a cgroup" : "one build";
    text += (text.empty() ? "" : "; ") + ("a daemon for " + use) + " serves at " + each.socket;
  }
  return text.empty() ? "" : text + ": name it by --socket or SLUICE_SOCKET";
}

}  // namespace sluice
