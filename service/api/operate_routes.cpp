#include "service/api/operate_routes.h"

#include <algorithm>

#include "base/json_writer.h"
#include "base/suggest.h"
#include "base/text.h"
#include "metrics/prometheus.h"
#include "service/protocol/attach_body.h"
#include "service/protocol/body.h"

namespace sluice {
namespace {

http::Response plain(int status, std::string text) {
  return {status, std::move(text) + "\n", http::kPlainText, ""};
}

http::Response reload_failed(const std::vector<ConfigError>& errors) {
  const auto write = [&](JsonWriter& json) {
    json.begin_object().key("error").begin_object().member("code", "bad_config");
    json.member("message",
                "the current configuration stays in force: " + count_text(errors.size(), "error"));
    json.key("field").null().end_object();
    json.list("errors", errors, [&](const ConfigError& error) {
      json.begin_object().member("file", error.file).member("line", error.line);
      json.member("column", error.column).member("message", error.message).end_object();
    });
    json.end_object();
  };
  return json_response(json_text(write), 422);
}

/// The configured queues: branches are not operated.
std::vector<std::string> names_of_queues(const Status& status) {
  std::vector<std::string> names;
  for (const QueueStatus& queue : status.queues) {
    if (queue.branch_of.empty()) names.push_back(queue.name);
  }
  return names;
}

ApiError no_such_queue(const std::string& name, const Status& status) {
  const std::vector<std::string> names = names_of_queues(status);
  const std::string parent = name.substr(0, name.rfind('/'));
  if (parent != name && std::ranges::count(names, parent) > 0) {
    return {404, "no_such_queue",
            quote_text(name) + " is a branch of " + quote_text(parent) + ": pause or resume that",
            "queue"};
  }
  return {
      404, "no_such_queue",
      "there is no queue " + quote_text(name) + did_you_mean(name, names, "; " + there_are(names)),
      "queue"};
}

/// Runs `work` so that a change, once begun, completes.
template <typename Work>
auto whole(Work&& work) {
  const Infallible scope;
  return std::forward<Work>(work)();
}

/// These routes know no field.
std::optional<ApiError> refuse_body(const RouteCall& call) {
  if (call.request.body.empty()) return std::nullopt;
  const JsonBody body(call.request.body);
  if (body.problem() || body.object().empty()) return body.problem();
  const auto name = body.object().begin()->key();
  const std::string field(name.data(), name.size());
  return ApiError{400, "unknown_field",
                  "unknown field " + quote_text(field) + "; this request has none", field};
}

}  // namespace

std::vector<Route> OperateRoutes::routes() {
  using enum Action;
  using Self = OperateRoutes;
  const auto to = serving(this);
  const auto bare = [&](RouteAnswer (Self::*serve)(const RouteCall&)) {
    return [served = to(serve)](const RouteCall& call) -> RouteAnswer {
      if (auto error = refuse_body(call)) return *std::move(error);
      return served(call);
    };
  };
  return {
      {"POST", "/v1/pause", "pause", bare(&Self::pause), operate, {200}},
      {"POST", "/v1/resume", "resume", bare(&Self::resume), operate, {200, 409}},
      {"POST", "/v1/queues/*/pause", "pause_queue", bare(&Self::pause_queue), operate, {200, 404}},
      {"POST",
       "/v1/queues/*/resume",
       "resume_queue",
       bare(&Self::resume_queue),
       operate,
       {200, 404}},
      {"POST", "/v1/drain", "drain", bare(&Self::drain), operate, {200}},
      {"POST", "/v1/reload", "reload", bare(&Self::reload), operate, {200, 422}},
      {"POST", "/v1/attach", "attach", to(&Self::attach), submit, {200, 400, 403, 409, 422}},
      {"GET", "/metrics", "metrics", to(&Self::metrics), read, {200}},
      {"GET", "/livez", "health", to(&Self::live), read, {200}},
      {"GET", "/healthz", "health", to(&Self::live), read},
      {"GET", "/readyz", "health", to(&Self::ready), read},
      {"GET", "/health/live", "health", to(&Self::live), read},
      {"GET", "/health/ready", "health", to(&Self::ready), read},
      {"GET", "/health/status", "health", to(&Self::accepting), read},
  };
}

RouteAnswer OperateRoutes::operate(void (Governor::*act)(), std::string_view done) {
  whole([&] { (at_.governor.*act)(); });
  at_.callbacks.operated(done);
  return json_response(json_text([status = at_.governor.status()](JsonWriter& json) {
    json.begin_object().member("paused", status.paused).member("draining", status.draining);
    json.member("running", status.running).member("pending", status.pending).end_object();
  }));
}

RouteAnswer OperateRoutes::pause(const RouteCall&) { return operate(&Governor::pause, "paused"); }

RouteAnswer OperateRoutes::resume(const RouteCall&) {
  if (at_.leaving) {
    return ApiError{409, "stopping", "the daemon exits when its running jobs have ended"};
  }
  return operate(&Governor::resume, "resumed");
}

RouteAnswer OperateRoutes::drain(const RouteCall&) { return operate(&Governor::drain, "draining"); }

RouteAnswer OperateRoutes::pause_queue(const RouteCall& call) {
  return operate_queue(&Governor::pause_queue, call, "paused");
}

RouteAnswer OperateRoutes::resume_queue(const RouteCall& call) {
  return operate_queue(&Governor::resume_queue, call, "resumed");
}

RouteAnswer OperateRoutes::operate_queue(bool (Governor::*act)(std::string_view),
                                         const RouteCall& call, std::string_view done) {
  const bool is_known = whole([&] { return (at_.governor.*act)(call.id()); });
  if (is_known) at_.callbacks.operated("queue " + call.id() + " " + std::string(done));
  const Status status = at_.governor.status();
  const auto queue = std::ranges::find(status.queues, call.id(), &QueueStatus::name);
  // The status also has branches, which are not operated. A reload may have removed the queue.
  if (!is_known || queue == status.queues.end()) return no_such_queue(call.id(), status);
  return json_response(json_text([&](JsonWriter& json) {
    json.begin_object().member("queue", queue->name).member("paused", queue->paused);
    json.member("running", queue->running).member("pending", queue->pending).end_object();
  }));
}

RouteAnswer OperateRoutes::reload(const RouteCall&) {
  const ReloadResult result = at_.callbacks.reload();
  if (const auto* errors = std::get_if<std::vector<ConfigError>>(&result)) {
    return reload_failed(*errors);
  }
  const auto* reloaded = std::get_if<Reloaded>(&result);
  return json_response(json_text([&](JsonWriter& json) {
    json.begin_object().member("reloaded", true).member("file", reloaded, &Reloaded::file);
    json.member("at_restart", reloaded ? reloaded->at_restart : std::vector<std::string>{});
    json.end_object();
  }));
}

RouteAnswer OperateRoutes::metrics(const RouteCall&) {
  return http::Response{200, at_.callbacks.metrics(at_.governor.status(), at_.counted),
                        kPrometheusContentType, ""};
}

RouteAnswer OperateRoutes::live(const RouteCall&) { return plain(200, "ok"); }

RouteAnswer OperateRoutes::ready(const RouteCall& call) {
  if (at_.stopping) return plain(503, "stopping");
  if (at_.callbacks.jobs.faults && at_.callbacks.jobs.faults->are_many(call.instant.now)) {
    return plain(503, "three internal errors within a minute: see the log");
  }
  return plain(200, "ok");
}

RouteAnswer OperateRoutes::accepting(const RouteCall&) {
  const Status now = at_.governor.status();
  // These come first: registration follows them on its own thread.
  if (now.draining) return plain(503, "draining");
  if (now.paused) return plain(503, "paused");
  if (now.registered) return plain(200, "accepting");
  for (const SensorStatus& sensor : now.sensors) {
    if (!sensor.red) continue;
    const bool is_read = sensor.up && sensor.reading;
    return plain(503, sensor.name + ": " + (is_read ? sensor.reading->sentence : sensor.failure));
  }
  if (!now.full) return plain(503, "open again, registering");
  return plain(503, "full: " + std::to_string(now.usage.value) + " of " +
                        std::to_string(now.size.value) + " points are in use");
}

RouteAnswer OperateRoutes::attach(const RouteCall& call) {
  const http::Request& request = call.request;
  if (request.peer.transport != http::Transport::unix_socket || !request.descriptors) {
    return ApiError{403, "unix_socket_only", "attach needs the Unix socket"};
  }
  auto directories = parse_attach_body(request.body);
  if (auto* error = std::get_if<ApiError>(&directories)) return std::move(*error);
  const auto result = at_.callbacks.attach(
      request.peer, std::get<std::vector<SentDirectory>>(directories), *request.descriptors);
  if (const auto* error = std::get_if<ApiError>(&result)) return *error;
  const auto& executor = std::get<ExecutorLimits>(result);
  attached_.insert(request.connection);
  const auto write = [&](JsonWriter& json) {
    json.begin_object().member("attached", true).member("memory_limit", executor.memory);
    json.member("cpus", executor.cpus).end_object();
  };
  return json_response(json_text(write) + '\n');
}

}  // namespace sluice
