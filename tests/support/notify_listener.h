#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <string>

namespace sluice::testing {

/// A service manager's end of the sd_notify protocol. `name` is a path, or "@name".
class NotifyListener {
 public:
  explicit NotifyListener(const std::string& name) : socket_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, sizeof address.sun_path - 1);
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
  }
  ~NotifyListener() { close(socket_); }

  NotifyListener(const NotifyListener&) = delete;
  NotifyListener& operator=(const NotifyListener&) = delete;

  /// The next message received; empty if there is none.
  std::string take() const {
    char text[512];
    const ssize_t got = recv(socket_, text, sizeof text, MSG_DONTWAIT);
    return got < 0 ? std::string() : std::string(text, static_cast<std::size_t>(got));
  }

 private:
  int socket_;
};

}  // namespace sluice::testing
