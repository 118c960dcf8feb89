#include "client/peer_trust.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "base/socket_places.h"

namespace sluice {
namespace {

/// Only root can make the folder.
std::optional<uid_t> owner_of_system_folder() {
  const std::string socket = kSystemSocket;
  struct stat facts {};
  if (stat(socket.substr(0, socket.rfind('/')).c_str(), &facts) != 0) return std::nullopt;
  return facts.st_uid;
}

/// "pid:[4026531836]"; empty if it may not be known.
std::string pid_namespace_of(const std::string& process) {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/" + process + "/ns/pid", unknown);
}

}  // namespace

bool sees_same_processes(int socket) {
  const auto peer = credentials_of_peer(socket);
  if (!peer || peer->pid <= 0) return false;
  const std::string there = pid_namespace_of(std::to_string(peer->pid));
  return there.empty() || there == pid_namespace_of("self");
}

bool is_believable(const ServingPeer& peer) {
  return peer.user == 0 || peer.user == peer.asker || peer.user == peer.installed;
}

std::optional<std::string> distrust_of(int socket, const std::string& place) {
  const auto other = credentials_of_peer(socket);
  if (!other) return "cannot determine the owner of the daemon at " + place;
  ServingPeer peer{.user = other->uid, .asker = geteuid(), .installed = std::nullopt};
  if (place == kSystemSocket) peer.installed = owner_of_system_folder();
  if (is_believable(peer)) return std::nullopt;
  return "the daemon at " + place + " belongs to user " + std::to_string(peer.user) +
         ", who is neither root nor you (" + std::to_string(peer.asker) +
         "): if you trust it, name it by --socket or SLUICE_SOCKET";
}

}  // namespace sluice
