#include "client/user_daemons.h"

#include <cerrno>
#include <filesystem>
#include <ranges>

#include "base/folder.h"
#include "base/socket_places.h"
#include "base/suggest.h"
#include "base/user_folder.h"

namespace sluice {
namespace {
namespace fs = std::filesystem;

FurtherDaemon::State daemon_state(const std::string& socket) {
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
    found.push_back({place, socket, daemon_state(socket)});
  }
  return found;
}

std::vector<FurtherDaemon> further_daemons_that_serve() {
  std::vector<FurtherDaemon> found = further_daemons();
  std::erase_if(found, [](const auto& each) { return each.state != FurtherDaemon::State::serves; });
  return found;
}

std::vector<std::string> further_sockets() {
  std::vector<std::string> sockets;
  for (const FurtherDaemon& each : further_daemons_that_serve()) sockets.push_back(each.socket);
  return sockets;
}

bool is_further_socket(const std::string& socket) {
  const std::string folder = user_folder() + "/";
  return socket.starts_with(folder + kAlonePrefix) || socket.starts_with(folder + kGroupPrefix);
}

std::string about(const FurtherDaemon& daemon) {
  const bool is_group = daemon.place == daemon.socket;
  return std::string("a daemon for ") + (is_group ? "the memory limit of a cgroup" : "one build") +
         " serves at " + daemon.socket;
}

std::string about_further_daemons() {
  const std::vector<FurtherDaemon> daemons = further_daemons_that_serve();
  const auto sentence = [](const FurtherDaemon& each) { return about(each); };
  const std::string text = join_words(daemons | std::views::transform(sentence), "; ");
  return text.empty() ? "" : text + ": name it by --socket or SLUICE_SOCKET";
}

}  // namespace sluice
