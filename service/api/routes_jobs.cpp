#include <algorithm>
#include <array>

#include "base/parse.h"
#include "service/api/routes_table.h"
#include "service/protocol/started_body.h"
#include "service/protocol/usage_body.h"

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

struct ListQuery {
  std::optional<JobState> state;
  std::size_t limit = kListed;
};

std::variant<ListQuery, ApiError> parse_list_query(const std::string& state,
                                                   const std::string& limit) {
  ListQuery query;
  if (state == "pending") query.state = JobState::pending;
  if (state == "running") query.state = JobState::running;
  if (!state.empty() && !query.state) {
    return ApiError{400, "bad_value", "`state` must be pending or running", "state"};
  }
  if (limit.empty()) return query;
  const auto number = parse_as<std::size_t>(limit);
  if (!number || *number > kMostListed) {
    return ApiError{400, "bad_value", "`limit` must be a number from 0 to 10000", "limit"};
  }
  query.limit = *number;
  return query;
}

}  // namespace

std::optional<Outcome> parse_outcome(const std::string& text) {
  if (text.empty()) return Outcome::ok;
  for (std::size_t at = 0; at < kOutcomes; ++at) {
    if (text == to_string(static_cast<Outcome>(at))) return static_cast<Outcome>(at);
  }
  return std::nullopt;
}

ApiError bad_outcome() {
  return {400, "bad_value", "`outcome` must be ok, failed, oom, cancelled or unknown", "outcome"};
}

Routes::Answer Routes::submit(const Call& call) {
  if (stopping_) return ApiError{503, "stopping", "the daemon is stopping"};
  Duration patience{0};
  if (const std::string text = call.query("wait"); !text.empty()) {
    auto wait = parse_wait(text);
    if (auto* error = std::get_if<ApiError>(&wait)) return std::move(*error);
    patience = std::get<Duration>(wait);
  }
  auto parsed = parse_submit(call.request.body);
  if (auto* error = std::get_if<ApiError>(&parsed)) return std::move(*error);
  if (auto error = refuse_submit(std::get<Submit>(parsed), call)) return *std::move(error);
  const auto result = jobs_.submit(std::move(std::get<Submit>(parsed)), call.request.connection,
                                   call.request.peer, call.instant.now);
  if (const auto* error = std::get_if<ApiError>(&result)) {
    // The next daemon will accept the job, unlike after a drain that an operator requested.
    if (leaving_ && error->code == "draining") {
      return ApiError{503, "stopping", "the daemon is stopping"};
    }
    return *error;
  }
  const auto& submitted = std::get<Jobs::Submitted>(result);
  if (submitted.how == Jobs::Submitted::How::deduplicated) {
    return deduplicated(*submitted.job, call.instant);
  }
  const int status = submitted.how == Jobs::Submitted::How::existed ? 200 : 201;
  if (submitted.job->admitted || patience == Duration{0}) {
    return answer_or_end(submitted, [&] {
      return job_response(status, *submitted.job, call.instant, Detail::refused, Reader::tends);
    });
  }
  jobs_.wait(submitted.job->number, call.request.connection, Asked::submit, status,
             call.instant.now + patience);
  return std::monostate{};
}

Routes::Answer Routes::list(const Call& call) {
  const auto parsed = parse_list_query(call.query("state"), call.query("limit"));
  if (const auto* error = std::get_if<ApiError>(&parsed)) return *error;
  const auto& query = std::get<ListQuery>(parsed);
  const std::vector<JobView> views = governor_.jobs();
  const JobContext shown = context(call.instant);
  Response response;
  JsonWriter json(response.body);
  json.begin_object().key("jobs").begin_array();
  std::array<std::size_t, 2> counts{};
  std::size_t listed = 0;
  for (const JobView& view : views) {
    ++counts[static_cast<std::size_t>(view.state)];
    const JobRecord* job = jobs_.find(view.id);
    const bool wanted = !query.state || *query.state == view.state;
    if (!job || job->ended_by || !wanted || listed == query.limit) continue;
    if (response.body.size() > kMostListedBytes) continue;
    ++listed;
    write_job(json, *job, {&view, nullptr, false, jobs_.suspension(job->number)}, shown);
  }
  json.end_array();
  json.member("running", counts[static_cast<std::size_t>(JobState::running)]);
  json.member("pending", counts[static_cast<std::size_t>(JobState::pending)]).end_object();
  return response;
}

Routes::Answer Routes::show(const Call& call) {
  const JobRecord* job = jobs_.find(call.id());
  if (!job) return no_such_job(call.id());
  const std::string text = call.query("wait");
  const bool tends = may_tend(call.asker, job->owner);
  const Reader reader = tends ? Reader::tends : Reader::observes;
  if (text.empty()) return job_response(200, *job, call.instant, Detail::explained, reader);
  // Deferred answers are not for mere readers.
  if (auto error = refuse(call.asker, Action::submit, "wait", access_)) {
    error->field = "wait";
    return *std::move(error);
  }
  auto wait = parse_wait(text);
  if (auto* error = std::get_if<ApiError>(&wait)) return std::move(*error);
  if (tends) jobs_.renew(job->number, call.instant.now);
  if (job->admitted || job->ended_by) {
    return job_response(200, *job, call.instant, Detail::explained, reader);
  }
  jobs_.wait(job->number, call.request.connection, Asked::show, 200,
             call.instant.now + std::get<Duration>(wait),
             tends ? Jobs::Patience::keeps_alive : Jobs::Patience::observes);
  return std::monostate{};
}

/// A submit may neither renew the lease of another user's job, by its id, nor have another user's
/// processes watched.
std::optional<ApiError> Routes::refuse_submit(const Submit& submit, const Call& call) const {
  const JobRecord* there = submit.id.empty() ? nullptr : jobs_.find(submit.id);
  if (there && !there->ended_by) {
    if (auto error = refuse_job(call.asker, submit.id, there->owner)) {
      error->message += "; choose another `id`";
      error->field = "id";
      return error;
    }
  }
  if (!submit.process) return std::nullopt;
  const pid_t* named = std::get_if<pid_t>(&*submit.process);
  const pid_t process = named ? *named : call.request.peer.pid;
  if (process <= 0) return std::nullopt;  // Not visible from here: the submit reports it.
  const auto users = links_.users_of ? links_.users_of(process) : std::nullopt;
  return refuse_process(call.asker, process, users, call.request.peer.pid);
}

/// A holder may name a process that it started itself. The number is the holder's: if the daemon
/// runs in another pid namespace it means another process, which is not below the holder.
std::optional<ApiError> Routes::refuse_leader(pid_t process, pid_t holder) const {
  const auto above = links_.jobs.ancestors_of && holder > 0 ? links_.jobs.ancestors_of(process)
                                                            : std::vector<pid_t>{};
  if (std::find(above.begin(), above.end(), holder) != above.end()) return std::nullopt;
  return ApiError{400, "no_process",
                  "the daemon cannot see process " + std::to_string(process) +
                      " among the client's descendants",
                  "pid"};
}

Routes::Answer Routes::change(const Call& call) {
  const JobRecord* job = jobs_.find(call.id());
  if (!job) return no_such_job(call.id());
  auto parsed = parse_change(call.request.body);
  if (auto* error = std::get_if<ApiError>(&parsed)) return std::move(*error);
  if (job->ended_by) return over(*job);
  if (auto error = jobs_.change(*job, std::move(std::get<Change>(parsed)))) {
    return *std::move(error);
  }
  return job_response(200, *job, call.instant, Detail::explained);
}

Routes::Answer Routes::started(const Call& call) {
  const JobRecord* job = jobs_.find(call.id());
  if (!job) return no_such_job(call.id());
  const auto process = parse_started_body(call.request.body);
  if (const auto* error = std::get_if<ApiError>(&process)) return *error;
  const auto& leader = std::get<0>(process);
  if (auto error = leader ? refuse_leader(*leader, call.request.peer.pid) : std::nullopt) {
    return *std::move(error);
  }
  if (!jobs_.started(job->number, call.instant.now)) return over(*job);
  if (leader) jobs_.measure_below(job->number, *leader);
  return job_response(200, *job, call.instant);
}

Routes::Answer Routes::heartbeat(const Call& call) {
  const JobRecord* job = jobs_.find(call.id());
  if (!job) return no_such_job(call.id());
  const auto usage = parse_usage_body(call.request.body);
  if (const auto* error = std::get_if<ApiError>(&usage)) return *error;
  if (!jobs_.renew(job->number, call.instant.now)) return over(*job);
  if (const auto& used = std::get<0>(usage)) jobs_.measured(job->number, *used, call.instant.now);
  return job_response(200, *job, call.instant);
}

Routes::Answer Routes::finish(const Call& call) {
  const JobRecord* job = jobs_.find(call.id());
  if (!job) return no_such_job(call.id());
  const auto outcome = parse_outcome(call.query("outcome"));
  if (!outcome) return bad_outcome();
  const auto usage = parse_usage_body(call.request.body);
  if (const auto* error = std::get_if<ApiError>(&usage)) return *error;
  const JobId number = job->number;
  if (const auto& used = std::get<0>(usage)) jobs_.measured(number, *used, call.instant.now);
  jobs_.end(number, LeaseEnd::finish, *outcome);
  return job_response(200, *jobs_.find(number), call.instant);
}

JobContext Routes::context(const Instant& instant) const {
  return {jobs_.leases(), names(), links_.is_jqm_compatible, instant};
}

Response Routes::job_response(int status, const JobRecord& job, const Instant& instant,
                              Detail detail, Reader reader) {
  std::optional<Explanation> explanation;
  std::optional<JobView> view;
  if (!job.ended_by && detail == Detail::explained) {
    explanation = jobs_.explain(job.number);
  } else if (!job.ended_by) {
    view = jobs_.view_of(job.number);
  }
  JobDetail shown;
  shown.suspension = jobs_.suspension(job.number);
  if (reader == Reader::tends) {
    shown.permit = jobs_.permit_of(job);
    shown.permit_memory = jobs_.memory_kept_for(job);
  }
  if (view) shown.view = &*view;
  if (explanation) {
    shown.view = &explanation->job;
    shown.explanation = &*explanation;
  }
  Response response;
  response.status = status;
  response.body.reserve(1024);
  JsonWriter json(response.body);
  write_job(json, job, shown, context(instant));
  return response;
}

Response Routes::deduplicated(const JobRecord& job, const Instant& instant) {
  const std::optional<JobView> view = jobs_.view_of(job.number);
  Response response;
  JsonWriter json(response.body);
  write_job(json, job, {view ? &*view : nullptr, nullptr, true, nullptr}, context(instant));
  return response;
}

void Routes::answer_late(ConnectionId connection, Asked asked, int status, const JobRecord& job) {
  const bool is_cut_off = stopping_ && !job.admitted && !job.ended_by;
  const bool stopped = job.ended_by == LeaseEnd::stop || is_cut_off;
  const char* what = is_cut_off ? "the daemon is stopping: the job keeps waiting after the restart"
                                : "the daemon is stopping: the job was cancelled";
  Response response = stopped
                          ? to_response({503, "stopping", what})
                          : job_response(status, job, this_instant(),
                                         asked == Asked::show ? Detail::explained : Detail::refused,
                                         asked == Asked::show ? Reader::observes : Reader::tends);
  count(asked == Asked::show ? "show" : "submit", response.status);
  links_.reply(connection, std::move(response));
}

}  // namespace sluice
