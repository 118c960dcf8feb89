#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "service/http/http.h"
#include "sluice/units.h"

namespace sluice {

/// What one client may take.
struct HttpLimits {
  std::size_t connections = 1024;     ///< On the Unix socket.
  std::size_t kept = 32;              ///< Of these, for root and this process's user alone.
  std::size_t tcp_connections = 256;  ///< Counted apart: anybody may open these.
  std::uint32_t header_bytes = 16 * 1024;
  std::uint32_t body_bytes = 1024 * 1024;  ///< On the Unix socket: as many locks as may be.
  std::uint32_t tcp_body_bytes = 64 * 1024;
  /// Of answers that clients have not taken yet, of each kind of socket apart. While it is more,
  /// large lists are answered with 503.
  std::size_t unsent_bytes = 64 * 1024 * 1024;
  Duration request = std::chrono::seconds(10);  ///< From a request's first byte to its last.
  Duration write = std::chrono::seconds(10);    ///< For a client to take its answer.
  Duration idle_unix = std::chrono::minutes(5);
  Duration idle_tcp = std::chrono::minutes(1);
};

/// Who answers. All are called on the thread that runs the io_context.
struct HttpHandlers {
  /// The answer, or none where `HttpServer::reply` will be called with it.
  std::function<std::optional<Response>(const Request&)> handle;
  std::function<void(ConnectionId)> closed;
  /// Whether the connection may stay open however long it says nothing.
  std::function<bool(ConnectionId)> keeps;
  /// Told what a connection threw, which is closed; may be empty.
  std::function<void(std::string_view what)> failed = {};
  /// The answer to what no handler is asked about; empty: the message as plain text.
  std::function<Response(int status, std::string_view code, std::string_view message)> error = {};
  /// Whether the peer may use the connections that are kept; empty: nobody may.
  std::function<bool(const Peer&)> is_trusted = {};
};

/// HTTP/1.1 over stream sockets, for many slow or hostile clients and a few quick ones. Memory
/// for each is bounded. Requests over TCP are answered in turn, one at a time and in at most half
/// of the thread's time: so they hold up the Unix socket, and the thread's other work, for one
/// answer at most. All methods belong to the io_context's thread.
class HttpServer {
 public:
  HttpServer(boost::asio::io_context& context, HttpHandlers handlers, HttpLimits limits = {});
  ~HttpServer();

  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Takes over a listening Unix socket.
  void listen_unix(int descriptor);
  /// Takes over a listening TCP socket.
  void listen_tcp(int descriptor);

  /// Sends an answer that was held back. Does nothing if the connection has gone. Never calls a
  /// handler from within.
  void reply(ConnectionId connection, Response response);

  /// Sends more of an answer that is a stream. Does nothing if the client has not taken all that it
  /// was sent before, or has gone: so a slow one costs no memory, and gets whole pieces only.
  void push(ConnectionId connection, std::string_view text);

  /// To be called about once a second: enforces the time limits.
  void tick(TimePoint now);

  /// Accepts no more, closes what is idle, and the rest after its answer.
  void stop();

  std::size_t connections() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace sluice
