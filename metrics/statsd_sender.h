#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/host_port.h"

namespace sluice {

/// Sends datagrams to statsd and never waits: not for the network, not for a name server, not at
/// its end. What cannot be sent at once is dropped and counted. For use from one thread.
class StatsdSender {
 public:
  /// Address as the socket API has it.
  using SocketAddress = std::vector<std::byte>;

  /// Finds the addresses of a name; none on failure. Called on a thread of its own, which may
  /// outlive the sender, so it must own what it uses. Must not throw.
  using LookUp = std::function<std::vector<SocketAddress>(const HostPort&)>;

  /// Begins to look up `address`, "HOST:PORT" or "[IPV6]:PORT". Throws std::invalid_argument if it
  /// is neither. Names are looked up with `look_up`; empty: by the system's resolver.
  explicit StatsdSender(std::string_view address, LookUp look_up = {});
  ~StatsdSender();

  StatsdSender(const StatsdSender&) = delete;
  StatsdSender& operator=(const StatsdSender&) = delete;

  /// Sends each, in order. After an error the address is looked up again, while what was found
  /// before stays in use; of several addresses the next one is taken then.
  void send(const std::vector<std::string>& datagrams);

  /// Datagrams known to be lost since the start: not sent, or refused on arrival.
  std::uint64_t failures() const { return failures_; }

 private:
  void find();
  void take_found();
  void reconnect();
  bool send_one(const std::string& datagram);

  HostPort target_;
  LookUp look_up_;
  std::future<std::vector<SocketAddress>> looking_up_;
  std::vector<SocketAddress> addresses_;
  std::size_t turn_ = 0;  // Which of the addresses is in use.
  int socket_ = -1;
  bool stale_ = false;  // An error showed since the address was looked up.
  std::uint64_t failures_ = 0;
};

}  // namespace sluice
