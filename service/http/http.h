#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// Names one connection for the life of a server; never used again. It is also the handle for a
/// late answer: a connection has at most one request that is being answered.
struct ConnectionId {
  std::uint64_t value = 0;

  auto operator<=>(const ConnectionId&) const = default;
};

enum class Transport { unix_socket, tcp };

/// Who is at the other end.
struct Peer {
  Transport transport = Transport::unix_socket;
  // As this process saw it when it connected.
  pid_t pid = 0;              ///< 0: unknown.
  std::optional<uid_t> user;  ///< None: unknown, as over TCP.
  std::vector<gid_t> groups;  ///< All that the user was in.
  /// Names the network namespace that it connected from, as long as that is there; none: the
  /// kernel does not tell.
  std::optional<std::uint64_t> network = std::nullopt;
};

class ReceivedDescriptors;

/// One request, whole and well-formed as HTTP. The views live until the handler returns.
struct Request {
  std::string_view method;
  std::string_view target;  ///< As sent: path and query.
  std::string_view body;
  std::string_view host;          ///< Empty where it was not sent.
  std::string_view content_type;  ///< Empty where it was not sent.
  std::string_view content_encoding;
  std::string_view accept_encoding;  ///< Empty where it was not sent.
  std::string_view authorization;    ///< A secret: never to be shown or kept.
  ConnectionId connection;
  Peer peer;
  /// What came beside its bytes, and is closed after it unless it is taken; null: none can come.
  ReceivedDescriptors* descriptors = nullptr;
};

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kEventStream = "text/event-stream";
inline constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

struct Response {
  /// What follows the body: nothing, or whatever `HttpServer::push` is given, for as long as the
  /// client stays.
  enum class Then { end, stream };

  int status = 200;
  std::string body;
  std::string_view content_type = kJson;
  std::string headers;  ///< Further header lines, each ended by CR LF.
  Then then = Then::end;
};

/// The reason phrase of a status code.
std::string_view reason_phrase(int status);

}  // namespace sluice
