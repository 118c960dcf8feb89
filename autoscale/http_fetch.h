#pragma once

#include <string>
#include <variant>

#include "autoscale/endpoint.h"
#include "base/client_reply.h"
#include "sluice/units.h"

namespace sluice {

/// One request to any HTTP server, on a connection of its own.
struct HttpCall {
  std::string method = "GET";
  std::string target;  ///< Path and query.
  std::string body;    ///< Empty for none.
  std::string content_type = "application/json";
  std::string token;        ///< Sent as `Authorization: Bearer`; empty for none.
  std::string authorities;  ///< For TLS: the PEM file of trusted authorities.
};

/// Sends the request and waits for the answer until the deadline. On error, one line that starts
/// with the endpoint. Thread-safe.
std::variant<ClientReply, std::string> http_fetch(const Endpoint& place, const HttpCall& call,
                                                  TimePoint deadline);

}  // namespace sluice
