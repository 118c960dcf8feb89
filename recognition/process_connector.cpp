#include "recognition/process_connector.h"

#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/readiness.h"

namespace sluice {
namespace {

/// The kernel acknowledges at once, or says nothing, as in a user namespace.
constexpr Duration kAcknowledgedWithin = std::chrono::milliseconds(50);

/// What an event says. Linux 6.6 moved the names of these out of `proc_event`.
enum EventCode : unsigned { kAcknowledged = 0, kForked = 1, kExecuted = 2, kExited = 0x80000000 };

/// Some ten thousand events.
constexpr int kBuffer = 4 << 20;

bool ask_for_events(int socket) {
  constexpr proc_cn_mcast_op listen = PROC_CN_MCAST_LISTEN;
  alignas(nlmsghdr) std::array<char, NLMSG_LENGTH(sizeof(cn_msg) + sizeof listen)> request{};
  nlmsghdr header{};
  header.nlmsg_len = request.size();
  header.nlmsg_type = NLMSG_DONE;
  cn_msg message{};
  message.id = {CN_IDX_PROC, CN_VAL_PROC};
  message.len = sizeof listen;
  std::memcpy(request.data(), &header, sizeof header);
  std::memcpy(request.data() + NLMSG_HDRLEN, &message, sizeof message);
  std::memcpy(request.data() + NLMSG_HDRLEN + sizeof message, &listen, sizeof listen);
  return send(socket, request.data(), request.size(), 0) == static_cast<ssize_t>(request.size());
}

/// Only the kernel itself has port 0.
ssize_t receive(int socket, std::array<char, 1024>& buffer) {
  sockaddr_nl from{};
  socklen_t size = sizeof from;
  const ssize_t got = recvfrom(socket, buffer.data(), buffer.size(), MSG_DONTWAIT,
                               reinterpret_cast<sockaddr*>(&from), &size);
  return got >= 0 && from.nl_pid != 0 ? 0 : got;
}

std::optional<proc_event> event_in(const std::array<char, 1024>& buffer, ssize_t size) {
  constexpr std::size_t begin = NLMSG_HDRLEN + sizeof(cn_msg);
  if (size < static_cast<ssize_t>(begin + sizeof(proc_event) - sizeof(proc_event::event_data))) {
    return std::nullopt;
  }
  proc_event event{};
  std::memcpy(&event, buffer.data() + begin,
              std::min(sizeof event, static_cast<std::size_t>(size) - begin));
  return event;
}

bool is_thread(const proc_event& event) {
  const auto& fork = event.event_data.fork;
  return static_cast<unsigned>(event.what) == kForked && fork.child_pid != fork.child_tgid;
}

std::optional<ProcessEvent> translated(const proc_event& event) {
  using What = ProcessEvent::What;
  switch (static_cast<unsigned>(event.what)) {
    case kForked: {
      const auto& fork = event.event_data.fork;
      if (is_thread(event)) return std::nullopt;
      return ProcessEvent{What::appeared, fork.child_tgid, fork.parent_tgid};
    }
    case kExecuted:
      return ProcessEvent{What::became, event.event_data.exec.process_tgid};
    case kExited: {
      const auto& exit = event.event_data.exit;
      if (exit.process_pid != exit.process_tgid) return std::nullopt;
      return ProcessEvent{What::ended, exit.process_tgid, 0, static_cast<int>(exit.exit_code)};
    }
    default:
      return std::nullopt;
  }
}

/// The events of others that come meanwhile do not prolong the time for it.
bool is_acknowledged(int socket) {
  std::array<char, 1024> buffer;
  const TimePoint until = Clock::now() + kAcknowledgedWithin;
  while (true) {
    const Duration left = until - Clock::now();
    if (left <= Duration{0} || !is_readable(socket, left)) return false;
    const auto event = event_in(buffer, receive(socket, buffer));
    if (!event) return false;
    if (static_cast<unsigned>(event->what) != kAcknowledged) continue;
    return event->event_data.ack.err == 0;
  }
}

}  // namespace

std::optional<ProcessConnector> ProcessConnector::open() {
  const int socket =
      ::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
  if (socket < 0) return std::nullopt;
  ProcessConnector connector(socket);
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = CN_IDX_PROC;
  if (bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return std::nullopt;
  }
  setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &kBuffer, sizeof kBuffer);
  if (!ask_for_events(socket) || !is_acknowledged(socket)) return std::nullopt;
  return connector;
}

ProcessConnector::Batch ProcessConnector::read() {
  Batch batch;
  std::array<char, 1024> buffer;
  while (true) {
    const ssize_t got = receive(socket_.get(), buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == ENOBUFS) {
      batch.is_incomplete = true;
      continue;
    }
    if (got < 0) return batch;
    const auto event = event_in(buffer, got);
    const auto known = event ? translated(*event) : std::nullopt;
    if (known) batch.events.push_back(*known);
    if (event && is_thread(*event)) batch.threaded.insert(event->event_data.fork.child_tgid);
  }
}

}  // namespace sluice
