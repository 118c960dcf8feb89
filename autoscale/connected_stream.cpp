#include "autoscale/connected_stream.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/descriptors.h"
#include "base/readiness.h"

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

Connected connect_to(const sockaddr_storage& address, TimePoint deadline) {
  Descriptor socket(::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return std::string(std::strerror(errno));
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const socklen_t size = address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  const auto* const there = reinterpret_cast<const sockaddr*>(&address);
  if (connect(socket.get(), there, size) == 0) return socket;
  if (errno != EINPROGRESS) return std::string(std::strerror(errno));
  if (!ready(socket.get(), POLLOUT, deadline)) return std::string(kTooLate);
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) return std::string(std::strerror(error));
  return socket;
}

struct Resolved {
  std::vector<sockaddr_storage> addresses;
  std::string problem;
};

Resolved get_addresses(const std::string& host, const std::string& port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  Resolved resolved;
  const int failure = getaddrinfo(host.c_str(), port.c_str(), &hints, &list);
  if (failure != 0) {
    resolved.problem = host + ": " + gai_strerror(failure);
    return resolved;
  }
  for (const addrinfo* each = list; each; each = each->ai_next) {
    sockaddr_storage address{};
    std::memcpy(&address, each->ai_addr, each->ai_addrlen);
    resolved.addresses.push_back(address);
  }
  freeaddrinfo(list);
  return resolved;
}

/// The result of a resolver thread, which the caller may have abandoned.
struct Answer {
  std::mutex mutex;
  std::condition_variable came;
  std::optional<Resolved> resolved;
};

Resolved resolve(const std::string& host, const std::string& port, TimePoint deadline) {
  Resolved numeric = get_addresses(host, port, AI_NUMERICHOST);
  if (numeric.problem.empty()) return numeric;
  const auto answer = std::make_shared<Answer>();
  std::thread([answer, host, port] {
    Resolved resolved = get_addresses(host, port, 0);
    const std::lock_guard lock(answer->mutex);
    answer->resolved = std::move(resolved);
    answer->came.notify_one();
  }).detach();
  std::unique_lock lock(answer->mutex);
  if (answer->came.wait_until(lock, deadline, [&] { return answer->resolved.has_value(); })) {
    return *std::move(answer->resolved);
  }
  return {{}, host + ": the name was not resolved in time"};
}

Connected connect_to(const Endpoint& place, TimePoint deadline) {
  const Resolved resolved = resolve(place.host, place.port, deadline);
  Connected last = resolved.problem;
  for (const sockaddr_storage& address : resolved.addresses) {
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
  const Resolved resolved = resolve(name, "1", deadline);
  if (!resolved.problem.empty()) return resolved.problem;
  std::vector<std::string> texts;
  for (const sockaddr_storage& address : resolved.addresses) {
    char text[NI_MAXHOST] = "";
    getnameinfo(reinterpret_cast<const sockaddr*>(&address), sizeof address, text, sizeof text,
                nullptr, 0, NI_NUMERICHOST);
    texts.emplace_back(text);
  }
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

}  // namespace sluice
