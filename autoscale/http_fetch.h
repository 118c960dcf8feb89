#pragma once

#include <cstddef>
#include <string>
#include <variant>

#include "autoscale/endpoint.h"
#include "base/client_reply.h"
#include "sluice/units.h"

namespace sluice {

/// Maximum size of an answer in bytes, headers included.
inline constexpr std::size_t kMostReply = std::size_t{64} << 20;

/// One request to any HTTP server, on a connection of its own.
struct HttpCall {
  std::string method = "GET";
  std::string target;  ///< Path and query, printable ASCII.
  std::string body;    ///< Empty for none.
  std::string content_type = "application/json";
  std::string token;        ///< Sent as `Authorization: Bearer`; empty for none.
  std::string authorities;  ///< For TLS: the PEM file of trusted authorities.
};

/// Prepares libcurl. Call it once per process, before the first thread starts. Throws
/// std::runtime_error with one line if libcurl cannot start.
void start_http();

/// Sends the request and waits for the answer until the deadline. Uses no proxy and no cookies, and
/// treats a redirect as an error. On error, one line that starts with the endpoint. Thread-safe.
std::variant<ClientReply, std::string> http_fetch(const Endpoint& place, const HttpCall& call,
                                                  TimePoint deadline);

}  // namespace sluice
