#include "service/http/tcp_listen.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/descriptors.h"
#include "base/errno_text.h"
#include "base/parse.h"
#include "base/resolve.h"

namespace sluice::http {
namespace {

/// A listening socket; -1 with errno.
int listen_on(const SocketAddress& address) {
  const int kind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
  Descriptor made(socket(address.bytes.ss_family, kind, 0));
  if (!made) return -1;
  const int on = 1;
  setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const bool listens =
      bind(made.get(), address.get(), address.size) == 0 && listen(made.get(), SOMAXCONN) == 0;
  return listens ? made.release() : -1;
}

std::variant<std::vector<SocketAddress>, std::string> resolve(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return address + ": must be HOST:PORT";
  std::string host = address.substr(0, colon);
  if (host.empty()) {
    return address + " names no host; 127.0.0.1" + address + " listens on this host only, 0.0.0.0" +
           address + " on every address, open to the network";
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  // getaddrinfo accepts larger numbers and listens on another port.
  if (!parse_as<std::uint16_t>(address.substr(colon + 1))) {
    return address + ": the port must be a number from 0 to 65535";
  }
  HostAddresses found = resolve_host(host, address.substr(colon + 1), SOCK_STREAM, AI_PASSIVE);
  if (!found.problem.empty()) return address + ": " + found.problem;
  return std::move(found.addresses);
}

}  // namespace

std::optional<std::string> problem_of_address(const std::string& address) {
  const auto resolved = resolve(address);
  const auto* problem = std::get_if<std::string>(&resolved);
  return problem ? std::optional(*problem) : std::nullopt;
}

std::variant<int, std::string> listen_tcp(const std::string& address) {
  const auto resolved = resolve(address);
  if (const auto* problem = std::get_if<std::string>(&resolved)) return *problem;
  for (const SocketAddress& each : std::get<std::vector<SocketAddress>>(resolved)) {
    const int listening = listen_on(each);
    if (listening >= 0) return listening;
  }
  return errno_text(address);
}

bool listens_to_network(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) return true;
  if (address.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(address);
    return ntohl(four.sin_addr.s_addr) >> 24 != IN_LOOPBACKNET;
  }
  const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
  return !IN6_IS_ADDR_LOOPBACK(&six.sin6_addr);
}

std::string bound_address(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char host[NI_MAXHOST] = "";
  char port[NI_MAXSERV] = "";
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  getsockname(descriptor, generic, &size);
  getnameinfo(generic, size, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
  const bool bracketed = address.ss_family == AF_INET6;
  return (bracketed ? "[" + std::string(host) + "]" : std::string(host)) + ":" + port;
}

}  // namespace sluice::http
