#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/non_copyable.h"
#include "service/http/http.h"
#include "sluice/units.h"

namespace sluice::http {

/// Limits on what clients may use.
struct Limits {
  std::size_t connections = 1024;     ///< On the Unix socket.
  std::size_t kept = 32;              ///< Of these, reserved for trusted peers.
  std::size_t tcp_connections = 256;  ///< Counted separately: anybody may open these.
  std::uint32_t header_bytes = 16 * 1024;
  std::uint32_t body_bytes = 1024 * 1024;  ///< On the Unix socket; fits the most locks.
  std::uint32_t tcp_body_bytes = 64 * 1024;
  /// Bytes of answers that clients have not taken yet, counted separately for each kind of socket.
  /// Above this limit, large lists are answered with 503.
  std::size_t unsent_bytes = 64 * 1024 * 1024;
  Duration request = std::chrono::seconds(10);  ///< From a request's first byte to its last.
  Duration write = std::chrono::seconds(10);    ///< For a client to take its answer.
  Duration idle_unix = std::chrono::minutes(5);
  Duration idle_tcp = std::chrono::minutes(1);
};

/// Callbacks that answer requests. All run on the thread that runs the io_context.
struct Handlers {
  /// Returns the answer, or nullopt if `Server::reply` will be called with it.
  std::function<std::optional<Response>(const Request&)> handle;
  std::function<void(ConnectionId)> closed;
  /// Whether the connection may stay open however long it is silent.
  std::function<bool(ConnectionId)> keeps;
  /// Called with the message of an exception on a connection, which is then closed; may be empty.
  std::function<void(std::string_view what)> failed = {};
  /// Makes the answers that no handler is called for; if empty, they are the message as plain text.
  std::function<Response(int status, std::string_view code, std::string_view message)> error = {};
  /// Whether the peer may use the reserved connections; if empty, nobody may.
  std::function<bool(const Peer&)> is_trusted = {};
  /// Called at most once a minute when a user gets no connection because of those it holds, with a
  /// line that says so; may be empty.
  std::function<void(std::string_view line)> crowded = {};
};

/// HTTP/1.1 over stream sockets, for many slow or hostile clients and a few quick ones. Memory per
/// client is bounded. Requests over TCP are answered in turn, one at a time and in at most half of
/// the thread's time, so they delay the Unix socket and the thread's other work by at most one
/// answer. Call all methods on the io_context's thread.
class Server : NonCopyable {
 public:
  Server(boost::asio::io_context& context, Handlers handlers, Limits limits = {});
  ~Server();

  /// Takes over a listening Unix socket.
  void listen_unix(int descriptor);
  /// Takes over a listening TCP socket.
  void listen_tcp(int descriptor);

  /// Sends a deferred answer. Does nothing if the connection has gone. Never calls a handler from
  /// within.
  void reply(ConnectionId connection, Response response);

  /// Sends more of a streaming answer. Does nothing if the client has gone or has not taken
  /// everything sent before: a slow client costs no memory, and gets only whole pieces.
  void push(ConnectionId connection, std::string_view text);

  /// Enforces the time limits; call it about once a second.
  void tick(TimePoint now);

  /// Accepts no more connections, closes idle ones, and the others after their answer.
  void stop();

  std::size_t connections() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace sluice::http
