#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/client_reply.h"

namespace sluice {

/// Why there is no connection, as one line for people.
struct NotReached {
  std::string message;
  bool is_gone = false;  ///< Nobody serves there now, who may yet: it is not that one may not.
};

/// A connection to the daemon for a command: one request at a time over the Unix socket, parsed
/// strictly, since it is our own daemon that answers. Failures are one line for people. With an
/// answer outstanding it takes no further request: the late one would pass for that of the next. It
/// is closed then, and `reconnect` opens another.
class Client {
 public:
  /// Connects to the daemon that `option` (a path, or empty) leads to.
  static std::variant<Client, std::string> connect(const std::string& option);
  /// The same for who can wait.
  static std::variant<Client, NotReached> reach(const std::string& option);

  /// Closes what there is and forgets what had come, then connects again where it was connected;
  /// what is wrong if it cannot, which is known at once.
  std::optional<std::string> reconnect();

  Client(Client&& other) noexcept;
  Client& operator=(Client&&) = delete;
  ~Client();

  /// Asks and waits for the answer, at most 10 s.
  /// `descriptors` go with the request.
  std::variant<ClientReply, std::string> call(std::string_view method, std::string_view target,
                                              std::string_view body = {},
                                              std::span<const int> descriptors = {});

  // The same in two steps, for who waits for other things as well.

  /// Sends a request; what is wrong if it cannot be sent.
  std::optional<std::string> send(std::string_view method, std::string_view target,
                                  std::string_view body = {},
                                  std::span<const int> descriptors = {});
  /// Takes what has come, which must be something: `descriptor` is readable. None: more is to come.
  std::optional<std::variant<ClientReply, std::string>> receive();
  int descriptor() const { return socket_; }           ///< -1: closed.
  const std::string& place() const { return place_; }  ///< The path of the daemon's socket.

 private:
  Client(int socket, std::string place) : socket_(socket), place_(std::move(place)) {}
  void hang_up();

  int socket_;
  std::string place_;
  std::string in_;
  bool is_owed_ = false;  ///< An answer is outstanding.
};

/// One whole reply at the front of `in`, taken off it; none if it is not complete; a line for
/// people if it is no HTTP. Pure.
std::optional<std::variant<ClientReply, std::string>> take_reply(std::string& in);

/// Most descriptors that go with one request.
inline constexpr std::size_t kMostSentDescriptors = 8;

}  // namespace sluice
