#pragma once

#include <string>
#include <variant>

#include "autoscale/http_place.h"
#include "base/client_reply.h"
#include "sluice/units.h"

namespace sluice {

/// One request to anybody's HTTP server, on a connection of its own.
struct HttpCall {
  std::string method = "GET";
  std::string target;  ///< Path and query.
  std::string body;    ///< Empty: none.
  std::string content_type = "application/json";
  std::string token;        ///< Sent as `Authorization: Bearer`; empty: none.
  std::string authorities;  ///< For TLS: the PEM file of those whose word is taken.
};

/// Asks and waits for the answer until the deadline. Otherwise one line that says what is wrong,
/// with the place in front. Thread-safe.
std::variant<ClientReply, std::string> http_fetch(const HttpPlace& place, const HttpCall& call,
                                                  TimePoint deadline);

}  // namespace sluice
