#include "metrics/statsd_sender.h"

#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace sluice {
namespace {

std::vector<SocketAddress> resolve(const HostPort& target, int flags) {
  return resolve_host(target.host, target.port, SOCK_DGRAM, flags).addresses;
}

HostPort parse_or_throw(std::string_view address) {
  std::optional<HostPort> target = parse_host_port(address);
  if (target) return *std::move(target);
  throw std::invalid_argument("statsd address \"" + std::string(address) +
                              "\" is not HOST:PORT or [IPV6]:PORT");
}

// Connects the socket, so the kernel reports that nothing listens at the other end. Returns none on
// error.
Descriptor connect_to(const SocketAddress& address) {
  const int kind = SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
  Descriptor socket(::socket(address.bytes.ss_family, kind, 0));
  return ::connect(socket.get(), address.get(), address.size) == 0 ? std::move(socket)
                                                                   : Descriptor();
}

bool is_full(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS; }

}  // namespace

StatsdSender::StatsdSender(std::string_view address, Resolver resolver)
    : target_(parse_or_throw(address)), resolver_(std::move(resolver)) {
  if (!resolver_) resolver_ = [](const HostPort& target) { return resolve(target, 0); };
  find();
}

void StatsdSender::find() {
  stale_ = false;
  addresses_ = resolve(target_, AI_NUMERICHOST);
  if (!addresses_.empty()) return reconnect();
  try {
    resolving_ =
        resolve_aside([resolver = resolver_, target = target_] { return resolver(target); });
  } catch (const std::system_error&) {
    stale_ = true;
  }
}

void StatsdSender::take_found() {
  if (resolving_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  addresses_ = resolving_.get();
  if (addresses_.empty()) {
    stale_ = true;
    return;
  }
  reconnect();
}

void StatsdSender::reconnect() {
  Descriptor socket = connect_to(addresses_[turn_ % addresses_.size()]);
  if (!socket) {
    stale_ = true;
    return;
  }
  socket_ = std::move(socket);
}

void StatsdSender::send(const std::vector<std::string>& datagrams) {
  if (resolving_.valid()) {
    take_found();
  } else if (stale_) {
    ++turn_;
    find();
  }
  for (const std::string& datagram : datagrams) {
    if (!send_one(datagram)) ++failures_;
  }
}

bool StatsdSender::send_one(const std::string& datagram) {
  if (!socket_) return false;
  const auto attempt = [&] {
    return ::send(socket_.get(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >=
           0;
  };
  if (attempt()) return true;
  const int error = errno;
  if (is_full(error)) return false;
  // If a lookup is in progress, its result will replace this socket anyway.
  if (!resolving_.valid()) stale_ = true;
  if (error != ECONNREFUSED) return false;
  // The refusal answers an earlier datagram; this one has not been sent yet.
  ++failures_;
  return attempt();
}

}  // namespace sluice
