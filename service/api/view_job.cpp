#include "service/api/view_job.h"

#include "service/protocol/environment.h"
#include "service/protocol/usage_body.h"
#include "status/refusal_json.h"

namespace sluice {
namespace {

void write_jobs(JsonWriter& json, std::string_view key, const std::vector<JobId>& jobs,
                const JobNames& names) {
  json.list(key, jobs, [&](JobId job) { json.value(name_of(job, names)); });
}

void write_lease(JsonWriter& json, JobId job, const Leases& leases, TimePoint now) {
  json.member("lease", leases.terms(job), [&](const LeaseTerms& terms) {
    json.begin_object().member_or_null("hold", terms.connection ? "connection" : "");
    json.member("pid", terms.process).member("heartbeat", terms.heartbeat);
    json.member("deadline_in", leases.deadline(job),
                [&](TimePoint deadline) { return age_seconds(deadline, now); });
    json.end_object();
  });
}

/// What the job declared, completed by its key's definition and the defaults.
void write_request(JsonWriter& json, const JobRequest& request, const JobNames& names) {
  json.member("locks", request.locks, [&](const std::vector<LevelLocks>& levels) {
    json.begin_object();
    for (const LevelLocks& locks : levels) json.member(locks.level, to_text(locks));
    json.end_object();
  });
  json.member("global_lock", request.global_lock);
  json.object("resources", request.resources,
              [&](const ResourceDemand& demand) { json.member(demand.manager, demand.amount); });
  write_jobs(json, "after", request.after, names);
  json.member("on_failure", to_string(request.on_failure));
  json.member("reasons", request.reasons).member("params", request.params);
}

void write_suspension(JsonWriter& json, const Suspension& suspended, TimePoint now) {
  const MemoryLimit& level = suspended.action.level;
  json.begin_object().member("message", "memory is short: " + suspended.action.cause());
  json.member("where", level.where).member("used", level.used).member("limit", level.limit);
  json.member("age", age_seconds(now, suspended.since)).end_object();
}

/// Whether only its holder reports what the job holds.
bool is_unverified(const JobRecord& job) {
  return job.usage && job.usage->source == JobUsage::Source::reported;
}

/// Expected need, and usage so far.
void write_need(JsonWriter& json, const JobRecord& job) {
  json.member("measured", job.request.measured).member("unverified", is_unverified(job));
  json.member("suspendable", job.request.suspendable).member("memory", job.request.memory);
  json.member("memory_high", job.limits.high).member("memory_max", job.limits.max);
  json.member("prediction", job.prediction, [&](auto& given) { write_prediction(json, given); });
  json.member("usage", job.usage, [&](auto& given) { write_usage(json, given); });
}

void write_items(JsonWriter& json, const std::vector<HeldItems>& held, const JobContext& context) {
  json.object("items", held, [&](const HeldItems& each) { json.member(each.manager, each.items); });
  json.member("environment", environment_of(held, context.is_jqm_compatible));
}

/// Of a job of a work source the governor's view alone knows its items.
std::vector<HeldItems> items_of(const JobRecord& job, const JobView* view) {
  if (!job.admitted || job.ended_by) return {};
  if (job.permit || !view) return job.permit.items();
  return view->items;
}

double tenths(int value) { return value / 10.0; }

void write_levels(JsonWriter& json, const Explanation& explanation, const JobNames& names) {
  const auto name_or_none = [&](JobId by) { return by.value ? name_of(by, names) : ""; };
  json.list("levels", explanation.levels, [&](const LevelWeight& level) {
    json.begin_object().member("level", level.level).member("value", tenths(level.tenths));
    json.member_or_null("by", name_or_none(level.by)).end_object();
  });
  json.member_or_null("global_lock_by", name_or_none(explanation.global_lock_by));
}

void write_needed(JsonWriter& json, const std::vector<NeededResource>& needed) {
  json.list("resources", needed, [&](const NeededResource& each) {
    json.begin_object().member("manager", each.manager).member("needs", each.needs);
    json.member("free", each.free).member("total", each.total).member("short", each.is_short);
    json.end_object();
  });
}

}  // namespace

void write_explanation(JsonWriter& json, const Explanation& explanation, const JobNames& names,
                       TimePoint now) {
  json.begin_object();
  json.member("text", to_lines(explanation, now, names));
  json.list("blockers", explanation.blockers, [&](auto& why) { write_refusal(json, why, names); });
  json.member("base", tenths(explanation.base_tenths));
  write_levels(json, explanation, names);
  json.member("spv", tenths(explanation.spv_tenths)).member("age_ticks", explanation.age_ticks);
  json.member("aging_ticks", explanation.aging_ticks).member("weight", explanation.weight);
  json.member("saturates_in", explanation.saturates,
              [&](TimePoint at) { return age_seconds(std::max(at, now), now); });
  write_needed(json, explanation.resources);
  write_jobs(json, "certain_conflicts", explanation.certain_conflicts, names);
  json.end_object();
}

void write_job(JsonWriter& json, const JobRecord& job, const JobDetail& detail,
               const JobContext& context) {
  const Instant& instant = context.instant;
  const JobView* view = detail.view;
  const JobRequest& request = job.request;
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
  json.member("inventory", request.inventory.value_or(1)).member("cost", cost);
  json.member("nice", request.nice).member("starting", job.starting);
  json.member("frozen", view && view->frozen);
  json.member("suspended", detail.suspension,
              [&](const Suspension& why) { write_suspension(json, why, instant.now); });
  json.member("submitted", wall_time(instant, job.arrived));
  json.member("age", age_seconds(instant.now, job.arrived));
  json.member("admitted", job.admitted, [&](TimePoint at) { return wall_time(instant, at); });
  json.member("running_for", job.ended_by ? std::nullopt : job.admitted,
              [&](TimePoint at) { return age_seconds(instant.now, at); });
  json.member("place", waits ? std::optional(view->place) : std::nullopt);
  json.member("refusal", waits ? view->refusal : job.refusal, [&](const Refusal& why) {
    write_refusal(json, why, context.names, context.sentence_of(why));
  });
  write_request(json, request, context.names);
  write_need(json, job);
  write_items(json, items_of(job, view), context);
  write_lease(json, job.number, context.leases, instant.now);
  json.member_or_null("outcome", job.ended_by ? to_string(job.outcome) : "");
  json.member_or_null("ended_by", job.ended_by ? to_string(*job.ended_by) : "");
  if (request.parent != JobId{}) json.member("parent", name_of(request.parent, context.names));
  if (!detail.permit.empty()) {
    json.member("permit", detail.permit).member("permit_memory", detail.permit_memory);
  }
  if (detail.next_memory) json.member("next_memory", *detail.next_memory);
  if (detail.deduplicated) json.member("deduplicated", true);
  if (detail.explanation) {
    json.key("explain");
    write_explanation(json, *detail.explanation, context.names, instant.now);
  }
  json.end_object();
}

}  // namespace sluice
