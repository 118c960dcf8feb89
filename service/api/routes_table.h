#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/target.h"
#include "service/access/permission.h"
#include "service/api/routes.h"

namespace sluice {

struct Routes::Call {
  const Request& request;
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

template <typename Work>
Routes::Answer Routes::answer_or_end(const Jobs::Submitted& submitted, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (...) {
    // The client does not know of the job.
    if (submitted.how == Jobs::Submitted::How::added) {
      jobs_.end(submitted.job->number, LeaseEnd::finish, Outcome::cancelled);
    }
    throw;
  }
}

/// Parses the `outcome` of a query; an empty text is ok. nullopt if there is no such outcome;
/// `bad_outcome` is the error.
std::optional<Outcome> parse_outcome(const std::string& text);
ApiError bad_outcome();

/// One route. In a path, "*" matches any segment; `query` lists the allowed query parameters.
struct RouteTable {
  using Serve = Routes::Answer (Routes::*)(const Routes::Call&);
  struct Route {
    std::string_view method;
    std::vector<std::string_view> path;
    std::string op;  ///< Its name in the metrics.
    Serve serve;
    Action act;  ///< For `Action::modify` the third segment of the path names the job.
    std::vector<std::string> query;
    std::vector<int> codes;  ///< Possible answers, listed in the metrics from the start.
  };

  static const std::vector<Route>& routes();
};

}  // namespace sluice
