#include "service/api/view_job.h"

#include "base/seconds.h"
#include "service/protocol/environment.h"
#include "service/protocol/usage_body.h"
#include "status/refusal_json.h"

namespace sluice {
namespace {

void write_jobs(JsonWriter& json, std::string_view key, const std::vector<JobId>& jobs,
                const JobNames& names) {
  json.key(key).begin_array();
  for (const JobId job : jobs) json.value(name_of(job, names));
  json.end_array();
}

void write_texts(JsonWriter& json, std::string_view key,
                 const std::map<std::string, std::string>& texts) {
  json.key(key).begin_object();
  for (const auto& [name, text] : texts) json.member(name, text);
  json.end_object();
}

void write_lease(JsonWriter& json, JobId job, const Leases& leases, TimePoint now) {
  const LeaseTerms* terms = leases.terms(job);
  if (!terms) {
    json.null();
    return;
  }
  json.begin_object().key("hold");
  terms->connection ? json.value("connection") : json.null();
  json.member("pid", terms->process);
  const auto deadline = leases.deadline(job);
  json.key("heartbeat");
  terms->heartbeat ? json.value(to_seconds(*terms->heartbeat)) : json.null();
  json.key("deadline_in");
  deadline ? json.value(age_seconds(*deadline, now)) : json.null();
  json.end_object();
}

/// What the job declared, completed by its key's definition and the defaults.
void write_request(JsonWriter& json, const JobRequest& request, const JobNames& names) {
  json.member("locks", request.locks, [&](const std::vector<LevelLocks>& levels) {
    json.begin_object();
    for (const LevelLocks& locks : levels) json.member(locks.level, to_text(locks));
    json.end_object();
  });
  json.member("global_lock", request.global_lock).key("resources").begin_object();
  for (const ResourceDemand& demand : request.resources) json.member(demand.manager, demand.amount);
  json.end_object();
  write_jobs(json, "after", request.after, names);
  json.member("on_failure", to_string(request.on_failure));
  json.member("reasons", request.reasons);
  write_texts(json, "params", request.params);
}

void write_suspension(JsonWriter& json, const Suspension* suspended, TimePoint now) {
  if (!suspended) {
    json.null();
    return;
  }
  const MemoryLimit& level = suspended->action.level;
  json.begin_object().member("message", "memory is short: " + suspended->action.cause());
  json.member("where", level.where);
  json.member("used", level.used.value).member("limit", level.limit.value);
  json.member("age", age_seconds(now, suspended->since)).end_object();
}

/// Whether only its holder reports what the job holds.
bool is_unverified(const JobRecord& job) {
  return job.usage && job.usage->source == JobUsage::Source::reported;
}

/// Expected need, and usage so far.
void write_need(JsonWriter& json, const JobRecord& job) {
  json.member("measured", job.request.measured).member("unverified", is_unverified(job));
  json.member("suspendable", job.request.suspendable);
  write_bytes(json, "memory", job.request.memory);
  write_bytes(json, "memory_high", job.limits.high);
  write_bytes(json, "memory_max", job.limits.max);
  json.member("prediction", job.prediction, [&](auto& given) { write_prediction(json, given); });
  json.member("usage", job.usage, [&](auto& given) { write_usage(json, given); });
}

void write_items(JsonWriter& json, const std::vector<HeldItems>& held, const JobContext& context) {
  json.key("items").begin_object();
  for (const HeldItems& each : held) json.member(each.manager, each.items);
  json.end_object();
  write_texts(json, "environment", environment_of(held, context.is_jqm_compatible));
}

/// Of a job of a work source the governor's view alone knows its items.
std::vector<HeldItems> items_of(const JobRecord& job, const JobView* view) {
  if (!job.admitted || job.ended_by) return {};
  if (job.permit || !view) return job.permit.items();
  return view->items;
}

double tenths(int value) { return value / 10.0; }

void write_levels(JsonWriter& json, const Explanation& explanation, const JobNames& names) {
  json.key("levels").begin_array();
  for (const LevelWeight& level : explanation.levels) {
    json.begin_object().member("level", level.level).member("value", tenths(level.tenths));
    json.key("by");
    level.by.value ? json.value(name_of(level.by, names)) : json.null();
    json.end_object();
  }
  json.end_array().key("global_lock_by");
  const JobId by = explanation.global_lock_by;
  by.value ? json.value(name_of(by, names)) : json.null();
}

void write_needed(JsonWriter& json, const std::vector<NeededResource>& needed) {
  json.key("resources").begin_array();
  for (const NeededResource& each : needed) {
    json.begin_object().member("manager", each.manager).member("needs", each.needs);
    json.member("free", each.free).member("total", each.total).member("short", each.is_short);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void write_explanation(JsonWriter& json, const Explanation& explanation, const JobNames& names,
                       TimePoint now) {
  json.begin_object();
  json.member("text", to_lines(explanation, now, names));
  json.key("blockers").begin_array();
  for (const Refusal& refusal : explanation.blockers) write_refusal(json, refusal, names);
  json.end_array();
  json.member("base", tenths(explanation.base_tenths));
  write_levels(json, explanation, names);
  json.member("spv", tenths(explanation.spv_tenths)).member("age_ticks", explanation.age_ticks);
  json.member("aging_ticks", explanation.aging_ticks).member("weight", explanation.weight);
  json.member("saturates_in", explanation.saturates,
              [&](TimePoint at) { json.value(age_seconds(std::max(at, now), now)); });
  write_needed(json, explanation.resources);
  write_jobs(json, "certain_conflicts", explanation.certain_conflicts, names);
  json.end_object();
}

void write_job(JsonWriter& json, const JobRecord& job, const JobDetail& detail,
               const JobContext& context) {
  const Instant& instant = context.instant;
  const JobView* view = detail.view;
  const JobRequest& request = job.request;
  const bool running = job.admitted && !job.ended_by;
  const bool waits = view && view->state == JobState::pending;
  json.begin_object().member("id", context.names(job.number)).member("number", job.number.value);
  json.member("key", request.key)
      .member("program", request.program)
      .member("variant", request.variant)
      .member("queue", request.queue)
      .member("state", job.state())
      .member("user", job.owner);
  json.member("priority", request.priority.value_or(0));
  // Under `law: knee` the cost of a running job follows its demand; the record has that of
  // admission.
  const Points cost = view ? view->cost : job.cost;
  json.member("inventory", request.inventory.value_or(1)).member("cost", cost.value);
  json.member("nice", request.nice).member("starting", job.starting);
  json.member("frozen", view && view->frozen).key("suspended");
  write_suspension(json, detail.suspension, instant.now);
  json.member("submitted", wall_time(instant, job.arrived));
  json.member("age", age_seconds(instant.now, job.arrived)).key("admitted");
  job.admitted ? json.value(wall_time(instant, *job.admitted)) : json.null();
  json.key("running_for");
  running ? json.value(age_seconds(instant.now, *job.admitted)) : json.null();
  json.key("place");
  waits ? json.value(view->place) : json.null();
  json.member("refusal", waits ? view->refusal : job.refusal, [&](const Refusal& why) {
    write_refusal(json, why, context.names, context.sentence_of(why));
  });
  write_request(json, request, context.names);
  write_need(json, job);
  write_items(json, items_of(job, view), context);
  json.key("lease");
  write_lease(json, job.number, context.leases, instant.now);
  json.key("outcome");
  job.ended_by ? json.value(to_string(job.outcome)) : json.null();
  json.key("ended_by");
  job.ended_by ? json.value(to_string(*job.ended_by)) : json.null();
  if (request.parent != JobId{}) json.member("parent", name_of(request.parent, context.names));
  if (!detail.permit.empty()) {
    json.member("permit", detail.permit);
    write_bytes(json, "permit_memory", detail.permit_memory);
  }
  if (detail.next_memory) write_bytes(json, "next_memory", detail.next_memory);
  if (detail.deduplicated) json.member("deduplicated", true);
  if (detail.explanation) {
    json.key("explain");
    write_explanation(json, *detail.explanation, context.names, instant.now);
  }
  json.end_object();
}

}  // namespace sluice
