#pragma once

#include <chrono>
#include <string>
#include <variant>

#include "autoscale/http_fetch.h"
#include "has.h"

namespace sluice::fetch_test {
using std::chrono::seconds;
using testing::has;

using Reply = std::variant<ClientReply, std::string>;

inline const std::string kSystemAuthorities = "/etc/ssl/certs/ca-certificates.crt";

inline HttpCall get(const std::string& target) {
  HttpCall call;
  call.target = target;
  return call;
}

inline Reply fetch(const Endpoint& place, const HttpCall& call = get("/"),
                   Duration time = seconds(20)) {
  return http_fetch(place, call, Clock::now() + time);
}

/// The error, or the status of an answer.
inline std::string problem_of(const Reply& reply) {
  const auto* problem = std::get_if<std::string>(&reply);
  return problem ? *problem : "status " + std::to_string(std::get<ClientReply>(reply).status);
}

}  // namespace sluice::fetch_test
