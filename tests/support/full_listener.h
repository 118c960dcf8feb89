#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <vector>

#include "base/descriptors.h"
#include "base/socket_places.h"

namespace sluice::testing {

/// A socket that accepts nothing and whose queue of connections is full, like that of a daemon that
/// hangs. Its end leaves the file behind, as the end of a killed daemon does.
class FullListener {
 public:
  explicit FullListener(const std::string& path)
      : listening_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const auto address = unix_address(path);
    const auto* const at = reinterpret_cast<const sockaddr*>(&*address);
    EXPECT_EQ(bind(listening_.get(), at, sizeof *address), 0);
    EXPECT_EQ(listen(listening_.get(), 9), 0);
    do {
      waiting_.emplace_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    } while (connect(waiting_.back().get(), at, sizeof *address) == 0);
    EXPECT_EQ(errno, EAGAIN);
  }

 private:
  Descriptor listening_;
  std::vector<Descriptor> waiting_;
};

}  // namespace sluice::testing
