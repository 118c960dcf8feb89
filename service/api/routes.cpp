#include "service/api/routes.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <new>

#include "base/suggest.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 9> kMethods{"GET",    "HEAD",    "POST",  "PUT",    "PATCH",
                                                   "DELETE", "OPTIONS", "TRACE", "CONNECT"};

bool matches(std::string_view pattern, const std::vector<std::string>& path) {
  for (const std::string& is : path) {
    if (!pattern.starts_with('/')) return false;
    pattern.remove_prefix(1);
    const std::string_view want = pattern.substr(0, pattern.find('/'));
    if (want == "*" ? is.empty() : want != is) return false;
    pattern.remove_prefix(want.size());
  }
  return pattern.empty();
}

/// curl sends "application/x-www-form-urlencoded" with anything it posts unless told otherwise. It
/// counts as JSON as well, because no web page can reach the Unix socket.
bool is_json(std::string_view content_type) {
  const std::string type = lower_case(content_type.substr(0, content_type.find(';')));
  return type.empty() || type.starts_with("application/json") ||
         type.starts_with("application/x-www-form-urlencoded");
}

/// Parameters whose values are the names of a job, which may have none.
constexpr std::array<std::string_view, 2> kMayBeEmpty{"key", "program"};

std::optional<ApiError> check_value(const std::string& name, const std::string& value) {
  const bool may_be_empty = std::ranges::find(kMayBeEmpty, name) != kMayBeEmpty.end();
  if (!value.empty() || may_be_empty) return std::nullopt;
  return bad_field(name, "has no value");
}

std::optional<ApiError> check_query(const std::vector<std::string>& known, const Target& target) {
  for (const auto& [name, value] : target.query) {
    if (std::ranges::find(known, name) != known.end()) {
      if (auto error = check_value(name, value)) return error;
      continue;
    }
    return ApiError{400, "unknown_parameter",
                    "unknown parameter " + quote_text(name) + did_you_mean(name, known), name};
  }
  if (target.repeated.empty()) return std::nullopt;
  return ApiError{400, "repeated_parameter", "`" + target.repeated + "` is given twice",
                  target.repeated};
}

std::optional<ApiError> check_body(const http::Request& request) {
  if (request.body.empty()) return std::nullopt;
  if (is_json(request.content_type) && request.content_encoding.empty()) return std::nullopt;
  return ApiError{415, "not_json", "the body must be plain JSON (application/json)"};
}

}  // namespace

Routes::Routes(Governor& governor, Callbacks callbacks)
    : context_{.governor = governor,
               .callbacks = callbacks,
               .jobs = Jobs(governor, job_callbacks(std::move(callbacks.jobs)))} {
  for (const auto& routes :
       {job_routes_.routes(), jobserver_routes_.routes(), watch_.routes(), operate_.routes()}) {
    table_.insert(table_.end(), routes.begin(), routes.end());
  }
  for (const Route& route : table_) {
    for (const int code : route.codes) context_.counted.push_back({route.op, code, 0});
  }
}

JobCallbacks Routes::job_callbacks(JobCallbacks callbacks) {
  callbacks.answer = std::bind_front(&JobRoutes::answer_late, &job_routes_);
  callbacks.began = [this, others = std::move(callbacks.began)](const JobRecord& job) {
    jobserver_routes_.begin(job);
    if (others) others(job);
  };
  callbacks.over = [this, others = std::move(callbacks.over)](const JobRecord& job) {
    jobserver_routes_.close_of(job);
    if (others) others(job);
  };
  return callbacks;
}

std::optional<http::Response> Routes::handle(const http::Request& request, const Instant& instant) {
  std::string op = "other";
  RouteAnswer answer = route_safely(request, instant, op);
  if (std::holds_alternative<std::monostate>(answer)) return std::nullopt;
  if (auto* error = std::get_if<ApiError>(&answer)) {
    http::Response response = to_response(*error, context_.names());
    context_.count(op, response.status);
    return response;
  }
  context_.count(op, std::get<http::Response>(answer).status);
  return std::move(std::get<http::Response>(answer));
}

RouteAnswer Routes::route_safely(const http::Request& request, const Instant& instant,
                                 std::string& op) {
  std::string what;
  try {
    if (context_.callbacks.reserve && !context_.callbacks.reserve->refill()) throw std::bad_alloc();
    const Fallible until_it_changes_something;
    return route(request, instant, op);
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
    what = "an unknown exception was thrown";
  }
  Faults* faults = context_.callbacks.jobs.faults;
  if (faults) faults->record_fault(FaultPlace::request, op, what, instant.now);
  return ApiError{500, "internal_error", "internal error: " + what + "; the daemon's log has more"};
}

RouteAnswer Routes::route(const http::Request& request, const Instant& instant, std::string& op) {
  if (auto error = wrong_host(request)) return *std::move(error);
  const Asker asker = asker_of(request.peer, request.authorization, context_.access);
  const bool reads = request.method == "GET" || request.method == "HEAD";
  const Action least = reads ? Action::read : Action::submit;
  if (auto error = refuse(asker, least, request.method, context_.access)) return *std::move(error);
  if (std::ranges::find(kMethods, request.method) == kMethods.end()) {
    return ApiError{501, "unknown_method", "unknown method " + quote_text(request.method)};
  }
  const auto target = parse_target(request.target);
  if (!target) return ApiError{400, "bad_target", "the path is malformed"};
  const std::string_view method = request.method == "HEAD" ? "GET" : request.method;
  std::string allowed;
  for (const Route& route : table_) {
    if (!matches(route.path, target->path)) continue;
    if (route.method != method) {
      allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
      if (route.method == "GET") allowed += ", HEAD";
      continue;
    }
    op = route.op;
    if (auto error = refuse(asker, route.act, op, context_.access)) return *std::move(error);
    if (auto error = check_query(route.query, *target)) return *std::move(error);
    if (auto error = check_body(request)) return *std::move(error);
    if (route.act == Action::modify) {
      const JobRecord* job = context_.jobs.find(target->path[2]);
      auto error = job ? refuse_job(asker, target->path[2], job->owner) : std::nullopt;
      if (error) return *std::move(error);
    }
    return route.serve({request, *target, instant, asker});
  }
  if (!allowed.empty()) {
    return ApiError{405, "method_not_allowed", "this path takes " + allowed, "", {}, allowed};
  }
  return ApiError{404, "no_such_path", "there is no " + quote_text(request.target)};
}

std::optional<ApiError> Routes::wrong_host(const http::Request& request) const {
  if (request.peer.transport == http::Transport::unix_socket) return std::nullopt;
  const DaemonFacts facts = context_.callbacks.daemon_facts();
  const std::string host = host_name(request.host);
  const bool ours = host.empty() || is_address(host) || host == "localhost" ||
                    std::ranges::find(facts.host_names, host) != facts.host_names.end();
  if (ours) return std::nullopt;
  return ApiError{421, "unknown_host",
                  "the Host header names another service: " + quote_text(host)};
}

bool Routes::keeps(http::ConnectionId connection) const {
  return context_.jobs.leases().holds(connection) || operate_.has_attached(connection);
}

void Routes::connection_closed(http::ConnectionId connection) {
  watch_.connection_closed(connection);
  operate_.connection_closed(connection);
  context_.jobs.connection_closed(connection);
}

void Routes::stop() {
  context_.stopping = true;
  context_.jobs.stop();
}

}  // namespace sluice
