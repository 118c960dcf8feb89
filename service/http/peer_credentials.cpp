#include "service/http/peer_credentials.h"

#include <sys/socket.h>

#include <cerrno>

#include "base/descriptors.h"
#include "base/socket_places.h"

namespace sluice::http {
namespace {

/// The peer's supplementary groups; empty if the kernel does not tell.
std::vector<gid_t> supplementary_groups(int descriptor) {
  std::vector<gid_t> groups(32);
  socklen_t size = 0;
  const auto ask = [&] {
    size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) == 0;
  };
  bool known = ask();
  if (!known && errno == ERANGE) {
    groups.resize(size / sizeof(gid_t));
    known = ask();
  }
  groups.resize(known ? size / sizeof(gid_t) : 0);
  return groups;
}

}  // namespace

std::optional<std::uint64_t> network_of(int descriptor) {
  std::uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  if (getsockopt(descriptor, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size) != 0) return std::nullopt;
  return cookie;
}

std::optional<std::uint64_t> own_network() {
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return socket ? network_of(socket.get()) : std::nullopt;
}

Peer peer_of(int descriptor, Transport transport) {
  Peer peer{transport, 0, {}, {}, {}};
  if (transport == Transport::tcp) return peer;
  const auto credentials = credentials_of_peer(descriptor);
  if (!credentials) return peer;
  peer.pid = credentials->pid;
  peer.user = credentials->uid;
  peer.network = network_of(descriptor);
  peer.groups = supplementary_groups(descriptor);
  peer.groups.push_back(credentials->gid);
  return peer;
}

}  // namespace sluice::http
