#include "metrics/statsd_sender.h"

#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace sluice {
namespace {

using SocketAddress = StatsdSender::SocketAddress;

std::vector<SocketAddress> resolve(const HostPort& target, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = AI_NUMERICSERV | flags;
  addrinfo* found = nullptr;
  std::vector<SocketAddress> addresses;
  if (getaddrinfo(target.host.c_str(), target.port.c_str(), &hints, &found) != 0) return addresses;
  for (const addrinfo* each = found; each; each = each->ai_next) {
    const auto* bytes = reinterpret_cast<const std::byte*>(each->ai_addr);
    addresses.emplace_back(bytes, bytes + each->ai_addrlen);
  }
  freeaddrinfo(found);
  return addresses;
}

HostPort parse_or_throw(std::string_view address) {
  std::optional<HostPort> target = parse_host_port(address);
  if (target) return *std::move(target);
  throw std::invalid_argument("statsd address \"" + std::string(address) +
                              "\" is not HOST:PORT or [IPV6]:PORT");
}

// Connects the socket, so the kernel reports that nothing listens at the other end. Returns none on
// error.
Descriptor connect_to(const SocketAddress& bytes) {
  sockaddr_storage address{};
  std::memcpy(&address, bytes.data(), bytes.size());
  Descriptor socket(::socket(address.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  const auto size = static_cast<socklen_t>(bytes.size());
  return ::connect(socket.get(), generic, size) == 0 ? std::move(socket) : Descriptor();
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
  // A name server may take half a minute to fail, and the lookup cannot be cancelled. The thread
  // owns all it uses, so nothing has to wait for it.
  std::packaged_task<std::vector<SocketAddress>()> task(
      [resolver = resolver_, target = target_] { return resolver(target); });
  std::future<std::vector<SocketAddress>> found = task.get_future();
  try {
    std::thread(std::move(task)).detach();
    resolving_ = std::move(found);
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
