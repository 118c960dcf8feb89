#include "service/api/route_context.h"

#include "base/enum_names.h"
#include "service/access/permission.h"

namespace sluice {

void RouteContext::count(const std::string& op, int code) {
  for (ClientRequests& each : counted) {
    if (each.code != code || each.op != op) continue;
    ++each.count;
    return;
  }
  counted.push_back({op, code, 1});
}

JobContext RouteContext::job_context(const Instant& instant) const {
  // A status is a copy of all that the governor knows: one is enough for all jobs of an answer.
  const auto status = std::make_shared<std::optional<Status>>();
  const auto sentence_of = [this, status](const Refusal& refusal) {
    if (refusal.code != RefusalCode::sensor) return to_sentence(refusal, names());
    if (!*status) *status = governor.status();
    return to_sentence(refusal, **status, names());
  };
  return {jobs.leases(), names(), sentence_of, callbacks.is_jqm_compatible, instant};
}

/// A submit may neither renew the lease of another user's job, by its id, nor have another user's
/// processes watched.
std::optional<ApiError> RouteContext::refuse_submit(const Submit& submit,
                                                    const RouteCall& call) const {
  const JobRecord* there = submit.id.empty() ? nullptr : jobs.find(submit.id);
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
  const auto users = callbacks.users_of ? callbacks.users_of(process) : std::nullopt;
  return refuse_process(call.asker, process, users, call.request.peer.pid);
}

std::variant<Outcome, ApiError> parse_outcome(const std::string& text) {
  if (text.empty()) return Outcome::ok;
  if (const auto outcome = find_named<Outcome>(text, kOutcomes)) return *outcome;
  return bad_field("outcome", "must be ok, failed, oom, cancelled or unknown");
}

}  // namespace sluice
