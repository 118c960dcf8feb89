#include "service/api/jobserver_routes.h"

#include <unistd.h>

#include "base/suggest.h"
#include "service/api/jobserver_json.h"

namespace sluice {
namespace {

/// The user to give the fifo to: the one that asks for it. nullopt if that is this process's user,
/// if it is unknown, or if it is root, which may open any.
jobserver::TokenFifo::Owner owner_for(const http::Peer& peer) {
  if (!peer.user || *peer.user == 0 || *peer.user == geteuid()) return std::nullopt;
  return *peer.user;
}

/// Why no fifo can be made and given to the client; nullopt if it can. Leaves nothing behind.
std::optional<ApiError> problem_of_giving(const jobserver::Request& client) {
  if (!client.owner) return std::nullopt;
  auto tried = jobserver::TokenFifo::make(client.folder, client.owner);
  auto* problem = std::get_if<std::string>(&tried);
  if (!problem) return std::nullopt;
  return ApiError{500, "no_fifo", std::move(*problem)};
}

ApiError no_such_jobserver(const std::string& id) {
  return {404, "no_such_jobserver", "there is no jobserver " + quote_text(id)};
}

}  // namespace

std::vector<Route> JobserverRoutes::routes() {
  using enum Action;
  using Self = JobserverRoutes;
  const auto to = serving(this);
  const std::vector<int> opened{201, 200, 400, 422, 429, 500, 503};
  return {
      {"POST", "/v1/jobservers", "open_jobserver", to(&Self::open), submit, opened},
      {"GET", "/v1/jobservers", "list_jobservers", to(&Self::list), read, {200}},
      {"GET", "/v1/jobservers/*", "show_jobserver", to(&Self::show), read, {200, 404}},
      {"DELETE",
       "/v1/jobservers/*",
       "close_jobserver",
       to(&Self::close),
       modify,
       {200, 400, 404},
       {"outcome"}},
  };
}

RouteAnswer JobserverRoutes::open(const RouteCall& call) {
  if (at_.stopping) return stopping_error();
  auto parsed = parse_jobserver_submit(call.request.body);
  if (auto* error = std::get_if<ApiError>(&parsed)) return std::move(*error);
  auto& [submit, most_tokens] = std::get<JobserverSubmit>(parsed);
  if (auto error = at_.refuse_submit(submit, call)) return *std::move(error);
  jobserver::Request client{.key = submit.request.key,
                            .program = submit.request.program,
                            .most_tokens = most_tokens,
                            .owner = owner_for(call.request.peer),
                            .folder = at_.callbacks.jobserver_folder,
                            .user = learned_as(call.request.peer.user, geteuid())};
  if (auto error = refuse_fifo(submit, client, call)) return *std::move(error);
  const JobRequest slot = at_.callbacks.jobserver->slot_request(client);
  submit.request.key = slot.key;
  submit.request.measured = true;
  submit.request.takes_turns = slot.takes_turns;
  if (!submit.request.cost) submit.request.cost = slot.cost;
  const auto result = at_.jobs.submit(std::move(submit), call.request.connection, call.request.peer,
                                      call.instant.now);
  if (const auto* error = std::get_if<ApiError>(&result)) return *error;
  const auto& submitted = std::get<Jobs::Submitted>(result);
  if (submitted.how == Jobs::Submitted::How::deduplicated) {
    return ApiError{
        409, "deduplicated",
        "job " + at_.jobs.name_of(submitted.job->number) + " already waits and will run instead"};
  }
  client.parent = submitted.job->request.parent;
  return at_.answer_or_end(submitted, [&] {
    client.name = called(*submitted.job);
    return open_of(submitted, client, slot.key, call);
  });
}

std::optional<ApiError> JobserverRoutes::refuse_fifo(const Submit& submit,
                                                     const jobserver::Request& client,
                                                     const RouteCall& call) {
  const JobRecord* there = submit.id.empty() ? nullptr : at_.jobs.find(submit.id);
  if (there && at_.callbacks.jobserver->view(there->number.value)) return std::nullopt;
  if (auto error = shares_.refuse(call.asker)) return error;
  return problem_of_giving(client);
}

RouteAnswer JobserverRoutes::open_of(const Jobs::Submitted& submitted,
                                     const jobserver::Request& client, const std::string& key,
                                     const RouteCall& call) {
  const JobId number = submitted.job->number;
  const bool is_there = at_.callbacks.jobserver->view(number.value).has_value();
  if (is_there) return response_of(200, *submitted.job, call.instant, Reader::may_modify);
  // A restarted daemon has stored the job, but not its fifo.
  const bool is_ours = submitted.job->request.key == key;
  if (!is_ours) return no_such_jobserver(at_.jobs.name_of(number));
  const int status = submitted.how == Jobs::Submitted::How::added ? 201 : 200;
  {
    const Infallible whole;
    if (auto problem = at_.callbacks.jobserver->open(number.value, client)) {
      at_.jobs.end(number, LeaseEnd::finish, Outcome::cancelled);
      return ApiError{500, "no_fifo", *std::move(problem)};
    }
    shares_.add(number, submitted.job->owner);
    begin(*at_.jobs.find(number));
  }
  return response_of(status, *at_.jobs.find(number), call.instant, Reader::may_modify);
}

/// Lets the client get tokens once the job that needs none is admitted.
void JobserverRoutes::begin(const JobRecord& job) {
  if (!at_.callbacks.jobserver || !job.admitted || job.ended_by) return;
  const LeaseTerms* terms = at_.jobs.leases().terms(job.number);
  const pid_t process = terms ? terms->process.value_or(0) : 0;
  at_.callbacks.jobserver->offer(job.number.value);
  at_.callbacks.jobserver->begin(job.number.value, process,
                                 [this, number = job.number](const JobUsage& usage) {
                                   at_.jobs.usages().charge(number, usage);
                                 });
}

void JobserverRoutes::close_of(const JobRecord& job) {
  if (!at_.callbacks.jobserver) return;
  shares_.remove(job.number);
  const auto end = at_.callbacks.jobserver->close(job.number.value, job.outcome);
  if (!end) return;
  closed_ = {job.number, *end};
  if (end->lost == 0) return;
  at_.callbacks.operated(called(job) + ": " + std::to_string(end->lost) + " of " +
                         std::to_string(end->granted) +
                         " tokens were never returned: written off; permits returned");
}

std::string JobserverRoutes::called(const JobRecord& job) const {
  return "jobserver " + at_.jobs.name_of(job.number) + " (" + job.request.program + ")";
}

RouteAnswer JobserverRoutes::list(const RouteCall& call) {
  const JobContext shown = at_.job_context(call.instant);
  return json_response(json_text([&](JsonWriter& json) {
    json.begin_object().list("jobservers", at_.callbacks.jobserver->views(), [&](auto& view) {
      const JobRecord* job = at_.jobs.find(JobId{view.id});
      if (job) write_jobserver(json, *job, {view, {}, refusal_of(*job)}, shown);
    });
    json.end_object();
  }));
}

RouteAnswer JobserverRoutes::show(const RouteCall& call) {
  const JobRecord* job = at_.jobs.find(call.id());
  if (!job || !at_.callbacks.jobserver->view(job->number.value))
    return no_such_jobserver(call.id());
  return response_of(200, *job, call.instant);
}

RouteAnswer JobserverRoutes::close(const RouteCall& call) {
  const JobRecord* job = at_.jobs.find(call.id());
  if (!job || !at_.callbacks.jobserver->view(job->number.value))
    return no_such_jobserver(call.id());
  const auto outcome = parse_outcome(call.query("outcome"));
  if (const auto* error = std::get_if<ApiError>(&outcome)) return *error;
  const JobId number = job->number;
  at_.jobs.end(number, LeaseEnd::finish, std::get<Outcome>(outcome));
  return response_of(200, *at_.jobs.find(number), call.instant);
}

std::optional<Refusal> JobserverRoutes::refusal_of(const JobRecord& job) {
  if (job.ended_by || job.admitted) return job.refusal;
  const auto view = at_.jobs.view_of(job.number);
  return view ? view->refusal : std::nullopt;
}

http::Response JobserverRoutes::response_of(int status, const JobRecord& job,
                                            const Instant& instant, Reader reader) {
  JobserverDetail detail{at_.callbacks.jobserver->view(job.number.value), {}, refusal_of(job)};
  if (closed_.first == job.number) detail.end = closed_.second;
  if (reader == Reader::may_modify) {
    detail.permit = at_.jobs.permit_token_of(job);
    detail.permit_memory = at_.jobs.usages().memory_kept_for(job);
  }
  const auto write = [&](JsonWriter& json) {
    write_jobserver(json, job, detail, at_.job_context(instant));
  };
  return json_response(json_text(write), status);
}

}  // namespace sluice
