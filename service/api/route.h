#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/target.h"
#include "service/access/permission.h"
#include "service/api/view.h"
#include "service/http/http.h"
#include "service/protocol/api_error.h"

namespace sluice {

/// The request that a route serves. Refers to what outlives the call only.
struct RouteCall {
  const http::Request& request;
  const Target& target;
  const Instant& instant;
  const Asker& asker;

  /// The job or queue that the path names.
  const std::string& id() const { return target.path[2]; }
  /// Empty if it was not given.
  std::string query(const char* name) const {
    const auto found = target.query.find(name);
    return found == target.query.end() ? std::string() : found->second;
  }
};

/// `std::monostate`: the answer comes later.
using RouteAnswer = std::variant<http::Response, ApiError, std::monostate>;

/// One route. In `path`, "*" matches any segment; `query` lists the allowed query parameters.
struct Route {
  std::string_view method;
  std::string_view path;
  std::string op;  ///< Its name in the metrics.
  std::function<RouteAnswer(const RouteCall&)> serve;
  Action act;  ///< For `Action::modify` the third segment of the path names the job.
  std::vector<int> codes = {};  ///< Possible answers, listed in the metrics from the start.
  std::vector<std::string> query = {};
};

inline http::Response json_response(std::string body, int status = 200) {
  return {status, std::move(body), http::kJson, ""};
}

/// Returns what makes a group's member function serve a route. The group outlives the route.
template <typename Group>
auto serving(Group* group) {
  return [group](RouteAnswer (Group::*serve)(const RouteCall&)) {
    return [group, serve](const RouteCall& call) { return (group->*serve)(call); };
  };
}

}  // namespace sluice
