#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "service/socket_places.h"

namespace sluice::testing {

/// A client that says whatever it likes.
class RawSocket {
 public:
  explicit RawSocket(const std::string& path)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const auto address = *unix_address(path);
    connected_ = connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  RawSocket(RawSocket&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), connected_(other.connected_) {}
  ~RawSocket() {
    if (socket_ >= 0) close(socket_);
  }

  bool connected() const { return connected_; }
  int descriptor() const { return socket_; }
  void say(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  /// All until the server closes, or until `text` has come.
  std::string hear(std::string_view text = {}) const {
    std::string heard;
    char chunk[65536];
    while (text.empty() || heard.find(text) == std::string::npos) {
      pollfd ready{socket_, POLLIN, 0};
      if (poll(&ready, 1, 30000) != 1) return heard + "<nothing more within 30 s>";
      const ssize_t got = recv(socket_, chunk, sizeof chunk, 0);
      if (got <= 0) break;
      heard.append(chunk, static_cast<std::size_t>(got));
    }
    return heard;
  }

 private:
  int socket_;
  bool connected_ = false;
};

}  // namespace sluice::testing
