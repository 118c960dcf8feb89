#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "raw_socket.h"

namespace sluice::testing {

/// A TCP server on a free port of the loopback address that sends arbitrary bytes. Each connection
/// has a thread, which reads the head of a request and then calls `answer`; when that returns, the
/// connection is closed.
class RawServer {
 public:
  using Answer = std::function<void(const RawSocket&)>;

  explicit RawServer(Answer answer, int family = AF_INET)
      : answer_(std::move(answer)), listening_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_addr = in6addr_loopback;
    auto* const place =
        family == AF_INET ? reinterpret_cast<sockaddr*>(&four) : reinterpret_cast<sockaddr*>(&six);
    socklen_t size = family == AF_INET ? sizeof four : sizeof six;
    listens_ = bind(listening_, place, size) == 0 && listen(listening_, 128) == 0;
    getsockname(listening_, place, &size);
    port_ = std::to_string(ntohs(family == AF_INET ? four.sin_port : six.sin6_port));
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~RawServer() {
    shutdown(listening_, SHUT_RDWR);
    acceptor_.join();
    connections_.clear();
    close(listening_);
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  /// False where the address family is missing.
  bool listens() const { return listens_; }
  const std::string& port() const { return port_; }
  /// The received heads, with what arrived of their bodies by then, in order.
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void accept_all() {
    while (true) {
      const int connected = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connected < 0) return;
      connections_.emplace_back([this, connected] {
        const RawSocket socket(connected);
        std::string head = socket.hear("\r\n\r\n");
        {
          const std::lock_guard lock(mutex_);
          requests_.push_back(std::move(head));
        }
        answer_(socket);
      });
    }
  }

  const Answer answer_;
  const int listening_;
  bool listens_ = false;
  std::string port_;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::vector<std::jthread> connections_;
  std::thread acceptor_;
};

}  // namespace sluice::testing
