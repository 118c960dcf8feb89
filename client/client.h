#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/client_reply.h"
#include "base/descriptors.h"

namespace sluice {

/// Why there is no connection, as one line for people.
struct NotReached {
  std::string message;
  bool is_gone = false;       ///< No daemon serves there yet; not a lack of permission.
  bool is_forbidden = false;  ///< This process may not connect to any daemon.
  /// The socket of a daemon that takes no further connection now; empty if there is none.
  std::string full = {};
  int lack = 0;  ///< errno, if only a lack of descriptors is in the way; it may pass.

  /// The message and, unless a socket was named, by `option` or else, the user's further daemons.
  /// Asks for these each time.
  std::string with_further_daemons(const std::string& option) const;
};

/// A connection to the daemon for a command: one request at a time over the Unix socket. It parses
/// replies strictly, since the daemon is our own. Errors are one line for people. While an answer
/// is outstanding, a further request fails and closes the connection, since the late answer would
/// be taken for that of the new request; `reconnect` opens another.
///
/// A daemon that refuses a newer field is asked again without such, and so for as long as the
/// connection lasts.
class Client {
 public:
  /// Connects to the daemon that `option` (a path, or empty for the default search) leads to. In
  /// the default search only daemons count that `is_believable` says this user may believe.
  static std::variant<Client, std::string> connect(const std::string& option);
  /// The same for callers that can wait for a daemon.
  static std::variant<Client, NotReached> reach(const std::string& option);

  /// A closed one to the daemon at this path, one to which `option` leads, for `reconnect`.
  static Client closed(const std::string& option, std::string place);

  /// A further connection to the same daemon.
  std::variant<Client, NotReached> another() const;

  /// Closes the connection, discards everything received and connects to the same socket again.
  /// Returns the problem if that fails; never waits for a daemon.
  std::optional<std::string> reconnect();

  /// Closes the connection; `reconnect` opens another.
  void hang_up();

  /// Sends a request and waits up to 10 s for the answer. `descriptors` go with the request.
  std::variant<ClientReply, std::string> call(std::string_view method, std::string_view target,
                                              std::string_view body = {},
                                              std::span<const int> descriptors = {});

  // The same in two steps, for callers that wait for other events as well.

  /// Sends a request; returns the problem if that fails.
  std::optional<std::string> send(std::string_view method, std::string_view target,
                                  std::string_view body = {},
                                  std::span<const int> descriptors = {});
  /// Reads what has arrived; call it when `descriptor` is readable. nullopt if the answer is
  /// incomplete.
  std::optional<std::variant<ClientReply, std::string>> receive();
  int descriptor() const { return socket_.get(); }     ///< -1 if closed.
  const std::string& place() const { return place_; }  ///< The path of the daemon's socket.

 private:
  /// Which daemons it talks to.
  enum class Peers {
    any,     ///< The user named the socket.
    trusted  ///< See `is_believable`.
  };
  Client(Descriptor socket, std::string place, Peers peers)
      : socket_(std::move(socket)), place_(std::move(place)), peers_(peers) {}
  static Peers peers_at(const std::string& option, const std::string& place);
  static std::variant<Client, NotReached> reach_at(const std::vector<std::string>& places,
                                                   Peers peers);
  std::optional<std::string> write_request(std::span<const int> descriptors);
  /// Takes out of the request what the daemon that has answered so lacks; whether there was any.
  bool reduces_request(const std::variant<ClientReply, std::string>& received);

  Descriptor socket_;
  std::string place_;
  Peers peers_;
  std::string in_;
  std::string request_line_, body_;           ///< Of the last request.
  std::optional<std::string> refused_field_;  ///< See `refused_newer_field`.
  bool is_owed_ = false;                      ///< An answer is outstanding.
};

/// Takes one complete reply off the front of `in`; nullopt if it is incomplete; a line for people
/// if it is not HTTP. Pure.
std::optional<std::variant<ClientReply, std::string>> take_reply(std::string& in);

/// Maximum number of descriptors sent with one request.
inline constexpr std::size_t kMostSentDescriptors = 8;

}  // namespace sluice
