#include "service/api/job_routes.h"

#include <algorithm>
#include <array>

#include "base/parse.h"
#include "service/protocol/started_body.h"
#include "service/protocol/usage_body.h"
#include "service/protocol/work_source_user.h"

namespace sluice {
namespace {

constexpr std::size_t kMostListed = 10000;
constexpr std::size_t kListed = 1000;
constexpr std::size_t kMostListedBytes = std::size_t{16} << 20;

ApiError no_such_job(const std::string& id) {
  return {404, "no_such_job", "there is no job `" + id + "`"};
}

ApiError over(const JobRecord& job) {
  return {409, "job_" + std::string(job.state()), "the job is " + std::string(job.state())};
}

/// Of a DELETE that shall only end a job in this state; any if empty.
std::optional<ApiError> refuse_unless(const std::string& state, const JobRecord& job) {
  if (state.empty()) return std::nullopt;
  if (state != "pending") return bad_field("state", "must be pending");
  if (job.state() != "running") return std::nullopt;
  ApiError error = over(job);
  error.message += ": end its command instead";
  return error;
}

struct ListQuery {
  std::optional<JobState> state;
  std::size_t limit = kListed;
};

std::variant<ListQuery, ApiError> parse_list_query(const std::string& state,
                                                   const std::string& limit) {
  ListQuery query;
  if (state == "pending") query.state = JobState::pending;
  if (state == "running") query.state = JobState::running;
  if (!state.empty() && !query.state) return bad_field("state", "must be pending or running");
  if (limit.empty()) return query;
  const auto number = parse_as<std::size_t>(limit);
  if (!number || *number > kMostListed)
    return bad_field("limit", "must be a number from 0 to 10000");
  query.limit = *number;
  return query;
}

/// What the governor knows of a job of a work source, as for a job of a client.
JobRecord record_of(const JobView& view) {
  JobRecord job;
  job.number = view.id;
  job.request = view.request;
  job.cost = view.cost;
  job.arrived = view.arrived;
  job.admitted = view.admitted;
  job.starting = view.starting;
  return job;
}

}  // namespace

std::vector<Route> JobRoutes::routes() {
  using enum Action;
  using Self = JobRoutes;
  const auto to = serving(this);
  const std::vector<int> submitted{201, 200, 400, 422, 429, 503}, finished{200, 400, 404, 409};
  return {
      {"POST", "/v1/jobs", "submit", to(&Self::submit), submit, submitted, {"wait"}},
      {"GET", "/v1/jobs", "list", to(&Self::list), read, {200}, {"state", "limit"}},
      {"GET", "/v1/jobs/*", "show", to(&Self::show), read, {200, 404}, {"wait"}},
      {"PATCH", "/v1/jobs/*", "set", to(&Self::change), modify, {200, 400, 404, 409, 422}},
      {"DELETE", "/v1/jobs/*", "finish", to(&Self::finish), modify, finished, {"outcome", "state"}},
      {"POST", "/v1/jobs/*/started", "started", to(&Self::started), modify, {200, 404, 409}},
      {"POST", "/v1/jobs/*/heartbeat", "heartbeat", to(&Self::heartbeat), modify, {200, 404, 409}},
  };
}

RouteAnswer JobRoutes::submit(const RouteCall& call) {
  if (at_.stopping) return stopping_error();
  Duration patience{0};
  if (const std::string text = call.query("wait"); !text.empty()) {
    auto wait = parse_wait(text);
    if (auto* error = std::get_if<ApiError>(&wait)) return std::move(*error);
    patience = std::get<Duration>(wait);
  }
  auto parsed = parse_submit(call.request.body);
  if (auto* error = std::get_if<ApiError>(&parsed)) return std::move(*error);
  if (auto error = at_.refuse_submit(std::get<Submit>(parsed), call)) return *std::move(error);
  const auto result = at_.jobs.submit(std::move(std::get<Submit>(parsed)), call.request.connection,
                                      call.request.peer, call.instant.now);
  if (const auto* error = std::get_if<ApiError>(&result)) {
    // The next daemon will accept the job, unlike after a drain that an operator requested.
    if (at_.leaving && error->code == "draining") {
      return stopping_error();
    }
    return *error;
  }
  const auto& submitted = std::get<Jobs::Submitted>(result);
  if (submitted.how == Jobs::Submitted::How::deduplicated) {
    return deduplicated(*submitted.job, call.instant);
  }
  const int status = submitted.how == Jobs::Submitted::How::existed ? 200 : 201;
  if (submitted.job->admitted || patience == Duration{0}) {
    return at_.answer_or_end(submitted, [&] {
      return job_response(status, *submitted.job, call.instant, Detail::refused,
                          Reader::may_modify);
    });
  }
  at_.jobs.wait(submitted.job->number, call.request.connection, DeferredRequest::submit, status,
                call.instant.now + patience);
  return std::monostate{};
}

RouteAnswer JobRoutes::list(const RouteCall& call) {
  const auto parsed = parse_list_query(call.query("state"), call.query("limit"));
  if (const auto* error = std::get_if<ApiError>(&parsed)) return *error;
  const auto& query = std::get<ListQuery>(parsed);
  const std::vector<JobView> views = at_.governor.jobs();
  const JobContext shown = at_.job_context(call.instant);
  http::Response response;
  JsonWriter json(response.body);
  json.begin_object().key("jobs").begin_array();
  std::array<std::size_t, 2> counts{};
  std::size_t listed = 0;
  for (const JobView& view : views) {
    ++counts[static_cast<std::size_t>(view.state)];
    const bool wanted = !query.state || *query.state == view.state;
    if (!wanted || listed == query.limit || response.body.size() > kMostListedBytes) continue;
    if (write_listed(json, view, shown)) ++listed;
  }
  json.end_array();
  json.member("running", counts[static_cast<std::size_t>(JobState::running)]);
  json.member("pending", counts[static_cast<std::size_t>(JobState::pending)]).end_object();
  return response;
}

bool JobRoutes::write_listed(JsonWriter& json, const JobView& view, const JobContext& shown) const {
  const JobDetail detail{&view, nullptr, false, at_.jobs.usages().suspension(view.id)};
  if (const JobRecord* job = at_.jobs.find(view.id)) {
    if (!job->ended_by) write_job(json, *job, detail, shown);
    return !job->ended_by;
  }
  const bool is_fetched = is_of_work_source(view.request);
  if (is_fetched) write_job(json, record_of(view), detail, shown);
  return is_fetched;
}

std::optional<JobId> JobRoutes::find_fetched(const std::string& id) const {
  const auto& by_name = at_.callbacks.fetched_job;
  if (const auto named = by_name ? by_name(id) : std::nullopt) return named;
  const auto number = parse_as<std::uint64_t>(id);
  const auto view = number ? at_.governor.job(JobId{*number}) : std::nullopt;
  return view && is_of_work_source(view->request) ? std::optional(view->id) : std::nullopt;
}

ApiError JobRoutes::refuse_unrecorded(const std::string& id) const {
  if (!find_fetched(id)) return no_such_job(id);
  return {409, "work_source_job",
          "the job belongs to a work source, which alone changes and ends it"};
}

RouteAnswer JobRoutes::show_fetched(const RouteCall& call) {
  const auto number = find_fetched(call.id());
  const auto explanation = number ? at_.governor.explain(*number) : std::nullopt;
  if (!explanation) return no_such_job(call.id());
  if (!call.query("wait").empty()) return bad_field("wait", "is not for jobs of work sources");
  JobDetail detail;
  detail.view = &explanation->job;
  detail.explanation = &*explanation;
  return json_response(json_text([&](JsonWriter& json) {
    write_job(json, record_of(explanation->job), detail, at_.job_context(call.instant));
  }));
}

RouteAnswer JobRoutes::show(const RouteCall& call) {
  const JobRecord* job = at_.jobs.find(call.id());
  if (!job) return show_fetched(call);
  const std::string text = call.query("wait");
  const bool is_modifier = may_modify(call.asker, job->owner);
  const Reader reader = is_modifier ? Reader::may_modify : Reader::observes;
  if (text.empty()) return job_response(200, *job, call.instant, Detail::explained, reader);
  // Deferred answers are not for mere readers.
  if (auto error = refuse(call.asker, Action::submit, "wait", at_.access)) {
    error->field = "wait";
    return *std::move(error);
  }
  auto wait = parse_wait(text);
  if (auto* error = std::get_if<ApiError>(&wait)) return std::move(*error);
  if (is_modifier) at_.jobs.renew(job->number, call.instant.now);
  if (job->admitted || job->ended_by) {
    return job_response(200, *job, call.instant, Detail::explained, reader);
  }
  at_.jobs.wait(job->number, call.request.connection,
                is_modifier ? DeferredRequest::show : DeferredRequest::observe, 200,
                call.instant.now + std::get<Duration>(wait),
                is_modifier ? Jobs::LeaseEffect::keeps_alive : Jobs::LeaseEffect::observes);
  return std::monostate{};
}

/// A holder may name a process that it started itself. The number is the holder's: if the daemon
/// runs in another pid namespace it means another process, which is not below the holder.
std::optional<ApiError> JobRoutes::refuse_leader(pid_t process, pid_t holder) const {
  const auto above = at_.callbacks.jobs.ancestors_of && holder > 0
                         ? at_.callbacks.jobs.ancestors_of(process)
                         : std::vector<pid_t>{};
  if (std::find(above.begin(), above.end(), holder) != above.end()) return std::nullopt;
  return ApiError{400, "no_process",
                  "the daemon cannot see process " + std::to_string(process) +
                      " among the client's descendants",
                  "pid"};
}

RouteAnswer JobRoutes::change(const RouteCall& call) {
  const JobRecord* job = at_.jobs.find(call.id());
  if (!job) return refuse_unrecorded(call.id());
  auto parsed = parse_change(call.request.body);
  if (auto* error = std::get_if<ApiError>(&parsed)) return std::move(*error);
  if (job->ended_by) return over(*job);
  auto& change = std::get<Change>(parsed);
  change.by = call.request.peer.user;
  if (auto error = at_.jobs.change(*job, std::move(change))) return *std::move(error);
  return job_response(200, *job, call.instant, Detail::explained);
}

RouteAnswer JobRoutes::started(const RouteCall& call) {
  const JobRecord* job = at_.jobs.find(call.id());
  if (!job) return refuse_unrecorded(call.id());
  const auto process = parse_started_body(call.request.body);
  if (const auto* error = std::get_if<ApiError>(&process)) return *error;
  const auto& leader = std::get<0>(process);
  if (auto error = leader ? refuse_leader(*leader, call.request.peer.pid) : std::nullopt) {
    return *std::move(error);
  }
  if (!at_.jobs.started(job->number, call.instant.now)) return over(*job);
  if (leader) at_.jobs.measure_below(job->number, *leader);
  return job_response(200, *job, call.instant);
}

RouteAnswer JobRoutes::heartbeat(const RouteCall& call) {
  const JobRecord* job = at_.jobs.find(call.id());
  if (!job) return refuse_unrecorded(call.id());
  const auto usage = parse_usage_body(call.request.body);
  if (const auto* error = std::get_if<ApiError>(&usage)) return *error;
  if (!at_.jobs.renew(job->number, call.instant.now)) return over(*job);
  if (const auto& used = std::get<0>(usage))
    at_.jobs.usages().measured(job->number, *used, call.instant.now);
  return job_response(200, *job, call.instant);
}

RouteAnswer JobRoutes::finish(const RouteCall& call) {
  const JobRecord* job = at_.jobs.find(call.id());
  if (!job) return refuse_unrecorded(call.id());
  const auto outcome = parse_outcome(call.query("outcome"));
  if (const auto* error = std::get_if<ApiError>(&outcome)) return *error;
  const auto usage = parse_usage_body(call.request.body);
  if (const auto* error = std::get_if<ApiError>(&usage)) return *error;
  if (auto error = refuse_unless(call.query("state"), *job)) return *std::move(error);
  const JobId number = job->number;
  if (const auto& used = std::get<0>(usage))
    at_.jobs.usages().measured(number, *used, call.instant.now);
  at_.jobs.end(number, LeaseEnd::finish, std::get<Outcome>(outcome));
  return job_response(200, *at_.jobs.find(number), call.instant);
}

http::Response JobRoutes::job_response(int status, const JobRecord& job, const Instant& instant,
                                       Detail detail, Reader reader) {
  std::optional<Explanation> explanation;
  std::optional<JobView> view;
  if (!job.ended_by && detail == Detail::explained) {
    explanation = at_.jobs.explain(job.number);
  } else if (!job.ended_by) {
    view = at_.jobs.view_of(job.number);
  }
  JobDetail shown;
  const bool was_killed = job.ended_by && job.outcome == Outcome::oom;
  if (was_killed) shown.next_memory = at_.jobs.usages().memory_of_next(job);
  shown.suspension = at_.jobs.usages().suspension(job.number);
  if (reader == Reader::may_modify) {
    shown.permit = at_.jobs.permit_token_of(job);
    shown.permit_memory = at_.jobs.usages().memory_kept_for(job);
  }
  if (view) shown.view = &*view;
  if (explanation) {
    shown.view = &explanation->job;
    shown.explanation = &*explanation;
  }
  http::Response response;
  response.status = status;
  response.body.reserve(1024);
  JsonWriter json(response.body);
  write_job(json, job, shown, at_.job_context(instant));
  return response;
}

http::Response JobRoutes::deduplicated(const JobRecord& job, const Instant& instant) {
  const std::optional<JobView> view = at_.jobs.view_of(job.number);
  const JobDetail detail{view ? &*view : nullptr, nullptr, true, nullptr};
  return json_response(
      json_text([&](JsonWriter& json) { write_job(json, job, detail, at_.job_context(instant)); }));
}

void JobRoutes::answer_late(http::ConnectionId connection, DeferredRequest asked, int status,
                            const JobRecord& job) {
  const bool is_cut_off = at_.stopping && !job.admitted && !job.ended_by;
  const bool stopped = job.ended_by == LeaseEnd::stop || is_cut_off;
  const char* what =
      is_cut_off ? ": the job keeps waiting after the restart" : ": the job was cancelled";
  const bool is_submit = asked == DeferredRequest::submit;
  const Reader reader = asked == DeferredRequest::observe ? Reader::observes : Reader::may_modify;
  http::Response response =
      stopped ? to_response(stopping_error(what))
              : job_response(status, job, this_instant(),
                             is_submit ? Detail::refused : Detail::explained, reader);
  at_.count(is_submit ? "submit" : "show", response.status);
  at_.callbacks.reply(connection, std::move(response));
}

}  // namespace sluice
