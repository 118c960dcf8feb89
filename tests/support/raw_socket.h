#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/socket_places.h"

namespace sluice::testing {

/// A TCP connection to "127.0.0.1:PORT" with a small receive buffer; the caller closes it.
inline int connect_tcp(const std::string& place) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port =
      htons(static_cast<std::uint16_t>(std::stoi(place.substr(place.find(':') + 1))));
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int bytes = 4096;
  setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  if (connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    return descriptor;
  }
  close(descriptor);
  return -1;
}

/// A client that sends arbitrary bytes.
class RawSocket {
 public:
  explicit RawSocket(const std::string& path)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const auto address = *unix_address(path);
    connected_ = connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  /// Takes ownership of a connection.
  explicit RawSocket(int connected) : socket_(connected), connected_(connected >= 0) {}
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

  /// Reads until the server closes the connection, or until `text` has arrived.
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
