#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptors.h"
#include "base/resolve.h"
#include "metrics/host_port.h"

namespace sluice {

/// Sends datagrams to statsd without ever blocking: not on the network, not on a name server, not
/// in the destructor. Drops and counts datagrams it cannot send at once. Use from one thread only.
class StatsdSender {
 public:
  /// Resolves a name to its addresses; empty on failure. Runs on a thread of its own, which may
  /// outlive the sender, so it must own what it uses. Must not throw.
  using Resolver = std::function<std::vector<SocketAddress>(const HostPort&)>;

  /// Starts to resolve `address`, "HOST:PORT" or "[IPV6]:PORT". Throws std::invalid_argument if it
  /// is neither. Resolves names with `resolver`, or with the system's resolver if it is empty.
  explicit StatsdSender(std::string_view address, Resolver resolver = {});

  /// Sends each datagram, in order. After an error it resolves the name again and keeps using the
  /// known addresses meanwhile, moving to the next if there are several.
  void send(const std::vector<std::string>& datagrams);

  /// Datagrams known to be lost since the start: unsent, or refused by the receiver.
  std::uint64_t failures() const { return failures_; }

 private:
  void find();
  void take_found();
  void reconnect();
  bool send_one(const std::string& datagram);

  HostPort target_;
  Resolver resolver_;
  std::future<std::vector<SocketAddress>> resolving_;
  std::vector<SocketAddress> addresses_;
  std::size_t turn_ = 0;  // Index of the address in use, modulo their number.
  Descriptor socket_;
  bool stale_ = false;  // An error occurred since the address was resolved.
  std::uint64_t failures_ = 0;
};

}  // namespace sluice
