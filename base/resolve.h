#pragma once

#include <netdb.h>
#include <sys/socket.h>

#include <cstring>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sluice {

/// An address as the socket API takes it.
struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
};

/// The addresses of a host, or why there are none.
struct HostAddresses {
  std::vector<SocketAddress> addresses;
  std::string problem;  ///< For people, without the host; empty if there is none.
};

/// Resolves a host and a decimal port for sockets of that type; `flags`: AI_PASSIVE and others.
/// Blocks for as long as a name server takes, unless AI_NUMERICHOST is set. Inline, so that
/// sluice-launch, which is static, does not contain getaddrinfo: it would load shared libraries.
inline HostAddresses resolve_host(const std::string& host, const std::string& port, int type,
                                  int flags = 0) {
  addrinfo hints{};
  hints.ai_socktype = type;
  hints.ai_flags = AI_NUMERICSERV | flags;
  addrinfo* list = nullptr;
  HostAddresses found;
  const int failure = getaddrinfo(host.c_str(), port.c_str(), &hints, &list);
  if (failure != 0) {
    found.problem = gai_strerror(failure);
    return found;
  }
  for (const addrinfo* each = list; each; each = each->ai_next) {
    std::memcpy(&found.addresses.emplace_back().bytes, each->ai_addr, each->ai_addrlen);
    found.addresses.back().size = each->ai_addrlen;
  }
  freeaddrinfo(list);
  return found;
}

/// Resolves on a thread of its own, since a name server may take half a minute to fail, and a
/// lookup cannot be cancelled: the caller may abandon the future. So `resolve` must own what it
/// uses, and must not throw. Throws std::system_error if there is no thread for it.
template <typename Resolve>
auto resolve_aside(Resolve resolve) {
  std::packaged_task<decltype(resolve())()> task(std::move(resolve));
  auto found = task.get_future();
  std::thread(std::move(task)).detach();
  return found;
}

}  // namespace sluice
