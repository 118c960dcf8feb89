#include <unistd.h>

#include "base/suggest.h"
#include "service/api/jobserver_json.h"
#include "service/api/routes_table.h"

namespace sluice {
namespace {

/// The user that may open the fifo: the one that asks for it. nullopt if that is this process's
/// user, if it is unknown, or if this process may not give files away.
TokenFifo::Owner owner_for(const Peer& peer) {
  if (geteuid() != 0 || !peer.user || *peer.user == geteuid()) return std::nullopt;
  return *peer.user;
}

ApiError no_such_jobserver(const std::string& id) {
  return {404, "no_such_jobserver", "there is no jobserver " + quote_text(id)};
}

}  // namespace

Routes::Answer Routes::open_jobserver(const Call& call) {
  if (stopping_) return ApiError{503, "stopping", "the daemon is stopping"};
  auto parsed = parse_jobserver_submit(call.request.body);
  if (auto* error = std::get_if<ApiError>(&parsed)) return std::move(*error);
  auto& [submit, most_tokens] = std::get<JobserverSubmit>(parsed);
  if (auto error = refuse_submit(submit, call)) return *std::move(error);
  JobserverRequest client{.key = submit.request.key,
                          .program = submit.request.program,
                          .most_tokens = most_tokens,
                          .owner = owner_for(call.request.peer),
                          .folder = links_.jobserver_folder,
                          .user = learned_as(call.request.peer.user, geteuid())};
  const JobRequest slot = links_.jobserver->slot_request(client);
  submit.request.key = slot.key;
  submit.request.measured = true;
  if (!submit.request.cost) submit.request.cost = slot.cost;
  const auto result =
      jobs_.submit(std::move(submit), call.request.connection, call.request.peer, call.instant.now);
  if (const auto* error = std::get_if<ApiError>(&result)) return *error;
  const auto& submitted = std::get<Jobs::Submitted>(result);
  if (submitted.how == Jobs::Submitted::How::deduplicated) {
    return ApiError{
        409, "deduplicated",
        "job " + jobs_.name_of(submitted.job->number) + " already waits and will run in its place"};
  }
  client.parent = submitted.job->request.parent;
  return answer_or_end(submitted,
                       [&] { return open_jobserver_of(submitted, client, slot.key, call); });
}

Routes::Answer Routes::open_jobserver_of(const Jobs::Submitted& submitted,
                                         const JobserverRequest& client, const std::string& key,
                                         const Call& call) {
  const JobId number = submitted.job->number;
  const bool is_there = links_.jobserver->view(number.value).has_value();
  if (is_there) return jobserver_response(200, *submitted.job, call.instant, Reader::tends);
  // A restarted daemon has stored the job, but not its fifo.
  const bool is_ours = submitted.job->request.key == key;
  if (!is_ours) return no_such_jobserver(jobs_.name_of(number));
  const int status = submitted.how == Jobs::Submitted::How::added ? 201 : 200;
  {
    const Infallible whole;
    if (auto problem = links_.jobserver->open(number.value, client)) {
      jobs_.end(number, LeaseEnd::finish, Outcome::cancelled);
      return ApiError{500, "no_fifo", *std::move(problem)};
    }
    begin_jobserver(*jobs_.find(number));
  }
  return jobserver_response(status, *jobs_.find(number), call.instant, Reader::tends);
}

/// Lets the client get tokens once the job that needs none is admitted.
void Routes::begin_jobserver(const JobRecord& job) {
  if (!links_.jobserver || !job.admitted || job.ended_by) return;
  const LeaseTerms* terms = jobs_.leases().terms(job.number);
  const pid_t process = terms ? terms->process.value_or(0) : 0;
  links_.jobserver->offer(job.number.value);
  links_.jobserver->begin(
      job.number.value, process,
      [this, number = job.number](const JobUsage& usage) { jobs_.charge(number, usage); });
}

void Routes::close_jobserver_of(const JobRecord& job) {
  if (!links_.jobserver) return;
  const auto end = links_.jobserver->close(job.number.value, job.outcome);
  if (!end) return;
  closed_jobserver_ = {job.number, *end};
  if (end->lost == 0) return;
  links_.operated("jobserver " + jobs_.name_of(job.number) + " (" + job.request.program +
                  "): " + std::to_string(end->lost) + " of " + std::to_string(end->granted) +
                  " tokens were never returned: written off, permits given back");
}

Routes::Answer Routes::list_jobservers(const Call& call) {
  Response response;
  JsonWriter json(response.body);
  json.begin_object().key("jobservers").begin_array();
  for (const JobserverView& view : links_.jobserver->views()) {
    const JobRecord* job = jobs_.find(JobId{view.id});
    if (job) write_jobserver(json, *job, {view, {}, refusal_of(*job)}, context(call.instant));
  }
  json.end_array().end_object();
  return response;
}

Routes::Answer Routes::show_jobserver(const Call& call) {
  const JobRecord* job = jobs_.find(call.id());
  if (!job || !links_.jobserver->view(job->number.value)) return no_such_jobserver(call.id());
  return jobserver_response(200, *job, call.instant);
}

Routes::Answer Routes::close_jobserver(const Call& call) {
  const JobRecord* job = jobs_.find(call.id());
  if (!job || !links_.jobserver->view(job->number.value)) return no_such_jobserver(call.id());
  const auto outcome = parse_outcome(call.query("outcome"));
  if (!outcome) return bad_outcome();
  const JobId number = job->number;
  jobs_.end(number, LeaseEnd::finish, *outcome);
  return jobserver_response(200, *jobs_.find(number), call.instant);
}

std::optional<Refusal> Routes::refusal_of(const JobRecord& job) {
  if (job.ended_by || job.admitted) return job.refusal;
  const auto view = jobs_.view_of(job.number);
  return view ? view->refusal : std::nullopt;
}

Response Routes::jobserver_response(int status, const JobRecord& job, const Instant& instant,
                                    Reader reader) {
  JobserverDetail detail{links_.jobserver->view(job.number.value), {}, refusal_of(job)};
  if (closed_jobserver_.first == job.number) detail.end = closed_jobserver_.second;
  if (reader == Reader::tends) {
    detail.permit = jobs_.permit_of(job);
    detail.permit_memory = jobs_.memory_kept_for(job);
  }
  Response response;
  response.status = status;
  JsonWriter json(response.body);
  write_jobserver(json, job, detail, context(instant));
  return response;
}

}  // namespace sluice
