#include "service/peer_credentials.h"

#include <sys/socket.h>

#include <cerrno>

namespace sluice {
namespace {

/// The groups that the peer was in besides its own; none if the kernel does not tell.
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

Peer peer_of(int descriptor, Transport transport) {
  Peer peer{transport, 0, {}, {}};
  if (transport == Transport::tcp) return peer;
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return peer;
  peer.pid = credentials.pid;
  peer.user = credentials.uid;
  peer.groups = supplementary_groups(descriptor);
  peer.groups.push_back(credentials.gid);
  return peer;
}

}  // namespace sluice
