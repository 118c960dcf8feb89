#include "base/json_writer.h"
#include "base/suggest.h"
#include "base/text.h"
#include "metrics/prometheus.h"
#include "service/api/routes_table.h"
#include "service/protocol/attach_body.h"

namespace sluice {
namespace {

Response plain(int status, std::string text) {
  Response response;
  response.status = status;
  response.body = std::move(text) + "\n";
  response.content_type = kPlainText;
  return response;
}

Response reload_failed(const std::vector<ConfigError>& errors) {
  Response response;
  response.status = 422;
  JsonWriter json(response.body);
  json.begin_object().key("error").begin_object().member("code", "bad_config");
  json.member("message",
              "the current configuration stays in force: " + count_text(errors.size(), "error"));
  json.key("field").null().end_object().key("errors").begin_array();
  for (const ConfigError& error : errors) {
    json.begin_object().member("file", error.file).member("line", error.line);
    json.member("column", error.column).member("message", error.message).end_object();
  }
  json.end_array().end_object();
  return response;
}

ApiError no_such_queue(const std::string& name, const Status& status) {
  std::vector<std::string> names;
  for (const QueueStatus& queue : status.queues) names.push_back(queue.name);
  ApiError error{404, "no_such_queue", "there is no queue " + quote_text(name), "queue"};
  if (const auto near = closest_word(name, names)) {
    error.message += "; did you mean `" + *near + "`?";
  } else if (!names.empty()) {
    error.message += "; there are " + join_words(names);
  }
  return error;
}

/// Runs `work` so that a change, once begun, completes.
template <typename Work>
auto whole(Work&& work) {
  const Infallible scope;
  return std::forward<Work>(work)();
}

}  // namespace

const std::vector<RouteTable::Route>& RouteTable::routes() {
  static const std::vector<Route> table{
      {"POST",
       {"v1", "jobs"},
       "submit",
       &Routes::submit,
       Action::submit,
       {"wait"},
       {201, 200, 400, 422, 429, 503}},
      {"GET", {"v1", "jobs"}, "list", &Routes::list, Action::read, {"state", "limit"}, {200}},
      {"GET", {"v1", "jobs", "*"}, "show", &Routes::show, Action::read, {"wait"}, {200, 404}},
      {"PATCH",
       {"v1", "jobs", "*"},
       "set",
       &Routes::change,
       Action::modify,
       {},
       {200, 400, 404, 409, 422}},
      {"DELETE",
       {"v1", "jobs", "*"},
       "finish",
       &Routes::finish,
       Action::modify,
       {"outcome"},
       {200, 404}},
      {"POST",
       {"v1", "jobs", "*", "started"},
       "started",
       &Routes::started,
       Action::modify,
       {},
       {200, 404, 409}},
      {"POST",
       {"v1", "jobs", "*", "heartbeat"},
       "heartbeat",
       &Routes::heartbeat,
       Action::modify,
       {},
       {200, 404, 409}},
      {"POST",
       {"v1", "jobservers"},
       "open_jobserver",
       &Routes::open_jobserver,
       Action::submit,
       {},
       {201, 200, 400, 422, 429, 500, 503}},
      {"GET",
       {"v1", "jobservers"},
       "list_jobservers",
       &Routes::list_jobservers,
       Action::read,
       {},
       {200}},
      {"GET",
       {"v1", "jobservers", "*"},
       "show_jobserver",
       &Routes::show_jobserver,
       Action::read,
       {},
       {200, 404}},
      {"DELETE",
       {"v1", "jobservers", "*"},
       "close_jobserver",
       &Routes::close_jobserver,
       Action::modify,
       {"outcome"},
       {200, 400, 404}},
      {"GET", {"v1", "status"}, "status", &Routes::show_status, Action::read, {}, {200}},
      {"GET", {"v1", "timeline"}, "timeline", &Routes::timeline, Action::read, {}, {200}},
      {"GET", {"v1", "history"}, "history", &Routes::old_timeline, Action::read, {}, {200}},
      {"GET", {""}, "page", &Routes::page, Action::read, {}, {200, 404}},
      {"GET", {"page", "*"}, "page", &Routes::page, Action::read, {}, {}},
      {"GET", {"v1", "events"}, "events", &Routes::events, Action::read, {}, {200, 503}},
      {"POST", {"v1", "pause"}, "pause", &Routes::pause, Action::operate, {}, {200}},
      {"POST", {"v1", "resume"}, "resume", &Routes::resume, Action::operate, {}, {200, 409}},
      {"POST",
       {"v1", "queues", "*", "pause"},
       "pause_queue",
       &Routes::pause_queue,
       Action::operate,
       {},
       {200, 404}},
      {"POST",
       {"v1", "queues", "*", "resume"},
       "resume_queue",
       &Routes::resume_queue,
       Action::operate,
       {},
       {200, 404}},
      {"POST", {"v1", "drain"}, "drain", &Routes::drain, Action::operate, {}, {200}},
      {"POST", {"v1", "reload"}, "reload", &Routes::reload, Action::operate, {}, {200, 422}},
      {"POST",
       {"v1", "attach"},
       "attach",
       &Routes::attach,
       Action::submit,
       {},
       {200, 400, 403, 409, 422}},
      {"GET", {"metrics"}, "metrics", &Routes::metrics, Action::read, {}, {200}},
      {"GET", {"livez"}, "health", &Routes::live, Action::read, {}, {200}},
      {"GET", {"healthz"}, "health", &Routes::live, Action::read, {}, {}},
      {"GET", {"readyz"}, "health", &Routes::ready, Action::read, {}, {}},
      {"GET", {"health", "live"}, "health", &Routes::live, Action::read, {}, {}},
      {"GET", {"health", "ready"}, "health", &Routes::ready, Action::read, {}, {}},
      {"GET", {"health", "status"}, "health", &Routes::accepting, Action::read, {}, {}},
  };
  return table;
}

Response Routes::switches() const {
  const Status status = governor_.status();
  Response response;
  JsonWriter json(response.body);
  json.begin_object().member("paused", status.paused).member("draining", status.draining);
  json.member("running", status.running).member("pending", status.pending).end_object();
  return response;
}

Routes::Answer Routes::pause(const Call&) {
  whole([&] { governor_.pause(); });
  links_.operated("paused");
  return switches();
}

Routes::Answer Routes::resume(const Call&) {
  if (leaving_) {
    return ApiError{409, "stopping", "the daemon exits when its running jobs have ended"};
  }
  whole([&] { governor_.resume(); });
  links_.operated("resumed");
  return switches();
}

Routes::Answer Routes::drain(const Call&) {
  whole([&] { governor_.drain(); });
  links_.operated("draining");
  return switches();
}

Routes::Answer Routes::pause_queue(const Call& call) {
  if (!whole([&] { return governor_.pause_queue(call.id()); }))
    return no_such_queue(call.id(), governor_.status());
  return operated_queue(call, "paused");
}

Routes::Answer Routes::resume_queue(const Call& call) {
  if (!whole([&] { return governor_.resume_queue(call.id()); }))
    return no_such_queue(call.id(), governor_.status());
  return operated_queue(call, "resumed");
}

Routes::Answer Routes::operated_queue(const Call& call, std::string_view what) {
  links_.operated("queue " + call.id() + " " + std::string(what));
  Response response;
  JsonWriter json(response.body);
  for (const QueueStatus& queue : governor_.status().queues) {
    if (queue.name != call.id()) continue;
    json.begin_object().member("queue", queue.name).member("paused", queue.paused);
    json.member("running", queue.running).member("pending", queue.pending).end_object();
    return response;
  }
  // A reload removed it in between.
  return no_such_queue(call.id(), governor_.status());
}

Routes::Answer Routes::reload(const Call&) {
  const ReloadResult result = links_.reload();
  if (const auto* errors = std::get_if<std::vector<ConfigError>>(&result)) {
    return reload_failed(*errors);
  }
  Response response;
  JsonWriter json(response.body);
  json.begin_object().member("reloaded", true).key("file");
  if (const auto* file = std::get_if<std::string>(&result)) {
    json.value(*file);
  } else {
    json.null();
  }
  json.end_object();
  return response;
}

Routes::Answer Routes::metrics(const Call&) {
  Response response;
  response.content_type = kPrometheusContentType;
  response.body = links_.metrics(governor_.status(), requests());
  return response;
}

Routes::Answer Routes::live(const Call&) { return plain(200, "ok"); }

Routes::Answer Routes::ready(const Call& call) {
  if (stopping_) return plain(503, "stopping");
  if (links_.jobs.faults && links_.jobs.faults->are_many(call.instant.now)) {
    return plain(503, "three internal errors within a minute: see the log");
  }
  return plain(200, "ok");
}

Routes::Answer Routes::accepting(const Call&) {
  const Status now = governor_.status();
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

Routes::Answer Routes::attach(const Call& call) {
  const Request& request = call.request;
  if (request.peer.transport != Transport::unix_socket || !request.descriptors) {
    return ApiError{403, "unix_socket_only", "attach needs the Unix socket"};
  }
  auto directories = parse_attach_body(request.body);
  if (auto* error = std::get_if<ApiError>(&directories)) return std::move(*error);
  const auto result = links_.attach(request.peer, std::get<std::vector<SentDirectory>>(directories),
                                    *request.descriptors);
  if (const auto* error = std::get_if<ApiError>(&result)) return *error;
  const auto& executor = std::get<ExecutorLimits>(result);
  attached_.insert(request.connection);
  Response response;
  JsonWriter json(response.body);
  json.begin_object().member("attached", true).key("memory_limit");
  executor.memory ? json.value(executor.memory->value) : json.null();
  json.member("cpus", executor.cpus).end_object();
  response.body += '\n';
  return response;
}

}  // namespace sluice
