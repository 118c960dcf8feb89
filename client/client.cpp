#include "client/client.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/daemon_sentences.h"
#include "base/readiness.h"
#include "base/socket_places.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/user_folder.h"
#include "client/older_daemon.h"
#include "client/peer_trust.h"
#include "client/socket_group.h"
#include "client/user_daemons.h"
#include "sluice/units.h"

namespace sluice {
namespace {

using Received = std::variant<ClientReply, std::string>;

/// How long to poll for an answer before sleeping.
constexpr Duration kAlert = std::chrono::microseconds(50);

/// How long a daemon may take to answer; it may be stopped, or the machine too busy.
constexpr timeval kPatience{10, 0};

const char* const kGone = "the daemon closed the connection";

/// The number after `name` in a header; nullopt if `name` is missing or no number follows.
std::optional<std::size_t> number_after(std::string_view header, std::string_view name) {
  const std::size_t at = header.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  const char* begin = header.data() + at + name.size();
  std::size_t number = 0;
  const auto parsed = std::from_chars(begin, header.data() + header.size(), number);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return number;
}

std::string denied_at(const std::string& place) {
  const std::string advice = how_to_join(place);
  return "no permission to use the sluice daemon at " + place +
         (advice.empty() ? "" : ": " + advice);
}

std::string none_found(const std::vector<std::string>& places) {
  std::string tried = join_words(places);
  if (tried == environment_text("SLUICE_SOCKET")) tried += " (named by SLUICE_SOCKET)";
  return "no sluice daemon found: tried " + tried + "; start one with `sluice serve`";
}

std::string too_many_files(const std::string& place, int error) {
  const std::string cannot =
      "cannot connect to the sluice daemon at " + place + ": too many open files";
  if (error == ENFILE) return cannot + " on this host: raise fs.file-max (sysctl)";
  return cannot + ", of which this process may have " + std::to_string(descriptor_limit()) +
         ": raise that limit (ulimit -n)";
}

/// Whether a seccomp filter kills what opens a connection. A child tries that.
bool is_killed_by_connecting() {
  if (prctl(PR_GET_SECCOMP) != SECCOMP_MODE_FILTER) return false;
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_DUMPABLE, 0);  // Without a core dump.
    static_cast<void>(connect(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), nullptr, 0));
    _exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

/// None, with errno, if that fails. EAGAIN: the daemon's backlog is full; this does not wait for
/// it.
Descriptor connect_to(const std::string& place) {
  Descriptor socket = connect_at_once(place);
  if (!socket) return socket;
  fcntl(socket.get(), F_SETFL, 0);
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  return socket;
}

/// Like `send`, with descriptors attached to the first byte.
ssize_t send_bytes(int socket, std::string_view bytes, std::span<const int> descriptors) {
  if (descriptors.empty()) return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  alignas(cmsghdr) char control[CMSG_SPACE(kMostSentDescriptors * sizeof(int))] = {};
  const std::size_t size = std::min(descriptors.size(), kMostSentDescriptors) * sizeof(int);
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(size);
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(size);
  std::memcpy(CMSG_DATA(header), descriptors.data(), size);
  return ::sendmsg(socket, &message, MSG_NOSIGNAL);
}

}  // namespace

std::optional<Received> take_reply(std::string& in) {
  constexpr std::size_t most_header = 16 * 1024;
  const std::size_t end = in.find("\r\n\r\n");
  if (end == std::string::npos) {
    if (in.size() <= most_header) return std::nullopt;
    return Received(kNotFromSluice);
  }
  const std::string_view header(in.data(), end);
  const auto status = number_after(header, "HTTP/1.1 ");
  const auto length = number_after(header, "\r\nContent-Length: ");
  if (!header.starts_with("HTTP/1.1 ") || !status || !length) {
    return Received(kNotFromSluice);
  }
  if (in.size() - end - 4 < *length) return std::nullopt;
  ClientReply reply{static_cast<int>(*status), in.substr(end + 4, *length)};
  in.erase(0, end + 4 + *length);
  return Received(std::move(reply));
}

std::string NotReached::with_further_daemons(const std::string& option) const {
  const std::string further = is_gone && !is_socket_named(option) ? about_further_daemons() : "";
  return further.empty() ? message : message + "; " + further;
}

std::variant<Client, std::string> Client::connect(const std::string& option) {
  auto reached = reach(option);
  if (auto* problem = std::get_if<NotReached>(&reached)) {
    return problem->with_further_daemons(option);
  }
  return std::move(std::get<Client>(reached));
}

std::variant<Client, NotReached> Client::reach(const std::string& option) {
  if (is_killed_by_connecting()) {
    return NotReached{"a seccomp filter kills processes that open a connection", false, true};
  }
  const auto places = client_places(option);
  return reach_at(places, peers_at(option, places.front()));
}

Client Client::closed(const std::string& option, std::string place) {
  const Peers peers = peers_at(option, place);
  return {Descriptor(), std::move(place), peers};
}

Client::Peers Client::peers_at(const std::string& option, const std::string& place) {
  // The folder of the daemon that Sluice starts is checked however it was found.
  const bool is_own = place == user_daemon_socket();
  return is_socket_named(option) && !is_own ? Peers::any : Peers::trusted;
}

std::variant<Client, NotReached> Client::another() const { return reach_at({place_}, peers_); }

std::variant<Client, NotReached> Client::reach_at(const std::vector<std::string>& places,
                                                  Peers peers) {
  int error = ENOENT;
  std::optional<std::string> distrust;
  std::string refusing, full;
  for (const std::string& place : places) {
    Descriptor socket = connect_to(place);
    if (!socket) {
      if (errno == EAGAIN && full.empty()) full = place;
      if (errno != ENOENT && errno != ECONNREFUSED) {
        error = errno;
        refusing = place;
      }
      // A descriptor that becomes free now must not lead to the daemon of another place.
      if (is_lack_of_descriptors(error)) break;
      continue;
    }
    const auto why = peers == Peers::trusted ? distrust_of(socket.get(), place) : std::nullopt;
    if (!why) return Client(std::move(socket), place, peers);
    if (!distrust) distrust = why;
  }
  if (distrust) return NotReached{*std::move(distrust), false};
  if (is_lack_of_descriptors(error)) {
    return NotReached{.message = too_many_files(refusing, error), .lack = error};
  }
  const bool is_gone = error == ENOENT || error == ECONNREFUSED || error == EAGAIN;
  return NotReached{error == EACCES ? denied_at(refusing) : none_found(places), is_gone, false,
                    std::move(full)};
}

std::optional<std::string> Client::reconnect() {
  // First, so that a daemon that was only slow sees its previous request closed.
  hang_up();
  auto reached = another();
  if (auto* problem = std::get_if<NotReached>(&reached)) return std::move(problem->message);
  socket_ = std::move(std::get<Client>(reached).socket_);
  return std::nullopt;
}

void Client::hang_up() {
  socket_.reset();
  in_.clear();
  refused_field_.reset();
  is_owed_ = false;
}

Received Client::call(std::string_view method, std::string_view target, std::string_view body,
                      std::span<const int> descriptors) {
  if (auto problem = send(method, target, body, descriptors)) return *std::move(problem);
  // Most answers arrive sooner than a sleeping core would wake.
  const TimePoint until = Clock::now() + kAlert;
  while (!is_readable(socket_.get()) && Clock::now() < until) sched_yield();
  while (true) {
    if (auto reply = receive()) return *std::move(reply);
  }
}

std::optional<std::string> Client::send(std::string_view method, std::string_view target,
                                        std::string_view body, std::span<const int> descriptors) {
  if (std::exchange(is_owed_, true)) hang_up();
  if (!socket_) return kGone;
  request_line_.assign(method).append(" ").append(target).append(" HTTP/1.1\r\n");
  body_ = body;
  if (refused_field_) body_ = without_newer_fields(std::move(body_), *refused_field_);
  return write_request(descriptors);
}

std::optional<std::string> Client::write_request(std::span<const int> descriptors) {
  std::string request = request_line_ + "Host: sluice\r\n";
  if (!body_.empty()) {
    request.append("Content-Type: application/json\r\nContent-Length: ");
    request.append(std::to_string(body_.size())).append("\r\n");
  }
  request.append("\r\n").append(body_);
  std::string_view rest = request;
  while (!rest.empty()) {
    const ssize_t sent = send_bytes(socket_.get(), rest, descriptors);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EPIPE ? kGone : std::strerror(errno);
    descriptors = {};
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return std::nullopt;
}

std::optional<Received> Client::receive() {
  char chunk[4096];
  const ssize_t got = recv(socket_.get(), chunk, sizeof chunk, 0);
  if (got < 0 && errno == EINTR) return std::nullopt;
  if (got < 0 && errno == EAGAIN) return Received(std::string(kNoAnswer));
  if (got < 0) return Received(std::string(std::strerror(errno)));
  if (got == 0) return Received(std::string(kGone));
  in_.append(chunk, static_cast<std::size_t>(got));
  auto reply = take_reply(in_);
  if (!reply) return std::nullopt;
  if (reduces_request(*reply)) {
    if (auto problem = write_request({})) return Received(*std::move(problem));
    return std::nullopt;
  }
  is_owed_ = false;
  return reply;
}

bool Client::reduces_request(const Received& received) {
  const auto* reply = std::get_if<ClientReply>(&received);
  auto refused = reply ? refused_newer_field(*reply) : std::nullopt;
  if (!refused) return false;
  refused_field_ = std::move(refused);
  std::string reduced = without_newer_fields(body_, *refused_field_);
  const bool has_changed = reduced != body_;
  body_ = std::move(reduced);
  return has_changed;
}

}  // namespace sluice
