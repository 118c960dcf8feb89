#include "autoscale/connected_stream.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <future>

#include "base/descriptors.h"
#include "base/readiness.h"
#include "base/resolve.h"

namespace sluice {
namespace {

const char* const kTooLate = "no answer in time";

/// Waits until the socket is ready; false once the deadline has passed.
bool ready(int socket, short events, TimePoint deadline) {
  while (true) {
    const TimePoint now = Clock::now();
    if (now >= deadline) return false;
    pollfd waiting{socket, events, 0};
    const int count = poll(&waiting, 1, poll_timeout(deadline - now));
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

using Connected = std::variant<Descriptor, std::string>;

Connected connect_to(const SocketAddress& address, TimePoint deadline) {
  const int kind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
  Descriptor socket(::socket(address.bytes.ss_family, kind, 0));
  if (!socket) return std::string(std::strerror(errno));
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(socket.get(), address.get(), address.size) == 0) return socket;
  if (errno != EINPROGRESS) return std::string(std::strerror(errno));
  if (!ready(socket.get(), POLLOUT, deadline)) return std::string(kTooLate);
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) return std::string(std::strerror(error));
  return socket;
}

HostAddresses resolve(const std::string& host, const std::string& port, TimePoint deadline) {
  HostAddresses numeric = resolve_host(host, port, SOCK_STREAM, AI_NUMERICHOST);
  if (numeric.problem.empty()) return numeric;
  auto named = resolve_aside([host, port] { return resolve_host(host, port, SOCK_STREAM); });
  if (named.wait_until(deadline) != std::future_status::ready) {
    return {{}, host + ": the name was not resolved in time"};
  }
  HostAddresses found = named.get();
  if (!found.problem.empty()) found.problem = host + ": " + found.problem;
  return found;
}

Connected connect_to(const Endpoint& place, TimePoint deadline) {
  const HostAddresses resolved = resolve(place.host, place.port, deadline);
  Connected last = resolved.problem;
  for (const SocketAddress& address : resolved.addresses) {
    last = connect_to(address, deadline);
    if (std::holds_alternative<Descriptor>(last)) return last;
  }
  return last;
}

}  // namespace

StreamAnswer ask_stream(const Endpoint& place, std::string_view question,
                        const std::function<bool(std::string_view text)>& is_whole,
                        TimePoint deadline) {
  const Connected connected = connect_to(place, deadline);
  if (const auto* problem = std::get_if<std::string>(&connected)) return {"", *problem};
  const int socket = std::get<Descriptor>(connected).get();
  // A new connection has room for it.
  if (send(socket, question.data(), question.size(), MSG_NOSIGNAL) < 0) {
    return {"", std::strerror(errno)};
  }
  StreamAnswer answer;
  std::array<char, 16384> chunk;
  while (!is_whole(answer.text)) {
    // Even if bytes are available: the peer may send one byte at a time forever.
    if (!ready(socket, POLLIN, deadline)) return {"", kTooLate};
    const ssize_t got = recv(socket, chunk.data(), chunk.size(), 0);
    if (got == 0) return {"", "the answer was cut off"};
    if (got > 0) answer.text.append(chunk.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR && errno != EAGAIN) return {"", std::strerror(errno)};
  }
  return answer;
}

std::variant<std::vector<std::string>, std::string> addresses_of(const std::string& name,
                                                                 TimePoint deadline) {
  const HostAddresses resolved = resolve(name, "1", deadline);
  if (!resolved.problem.empty()) return resolved.problem;
  std::vector<std::string> texts;
  for (const SocketAddress& address : resolved.addresses) {
    char text[NI_MAXHOST] = "";
    getnameinfo(address.get(), address.size, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
    texts.emplace_back(text);
  }
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

}  // namespace sluice
