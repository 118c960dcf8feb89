#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::http {

/// Identifies one connection of a server, and is never reused. It is also the handle for a deferred
/// answer: a connection has at most one request that awaits its answer.
struct ConnectionId {
  std::uint64_t value = 0;

  auto operator<=>(const ConnectionId&) const = default;
};

enum class Transport { unix_socket, tcp };

/// The client at the other end.
struct Peer {
  Transport transport = Transport::unix_socket;
  // As this process saw them when the client connected.
  pid_t pid = 0;              ///< 0 if unknown.
  std::optional<uid_t> user;  ///< nullopt if unknown, as over TCP.
  std::vector<gid_t> groups;  ///< All groups of the user.
  /// Cookie of the network namespace that it connected from, unique while the namespace exists;
  /// nullopt if the kernel does not tell.
  std::optional<std::uint64_t> network = std::nullopt;
};

class ReceivedDescriptors;

/// One complete request, well-formed as HTTP. The views are valid until the handler returns.
struct Request {
  std::string_view method;
  std::string_view target;  ///< As sent: path and query.
  std::string_view body;
  std::string_view host;          ///< Empty if not sent.
  std::string_view content_type;  ///< Empty if not sent.
  std::string_view content_encoding;
  std::string_view accept_encoding;  ///< Empty if not sent.
  std::string_view authorization;    ///< A secret: never show or store it.
  ConnectionId connection;
  Peer peer;
  /// Descriptors sent with it; those not taken are closed after the request. Null if none can come.
  ReceivedDescriptors* descriptors = nullptr;
};

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kEventStream = "text/event-stream";
inline constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

struct Response {
  /// What follows the body: nothing, or everything passed to `Server::push` for as long as the
  /// client stays.
  enum class Then { end, stream };

  int status = 200;
  std::string body;
  std::string_view content_type = kJson;
  std::string headers;  ///< Further header lines, each ended by CR LF.
  Then then = Then::end;
};

}  // namespace sluice::http
