#include "service/api/jobserver_json.h"

#include <boost/json.hpp>

#include "service/jobserver/auth_style.h"
#include "service/protocol/body.h"
#include "service/protocol/environment.h"
#include "status/refusal_json.h"

namespace sluice {
namespace {
namespace json = boost::json;

void write_tokens(JsonWriter& json, const jobserver::View& view) {
  json.key("tokens").begin_object().member("granted", view.granted);
  json.member("in_use", view.in_use()).member("idle", view.idle).member("debt", view.debt);
  json.member("asked", view.asked).member("most_granted", view.most_granted);
  json.member("granted_ever", view.granted_ever).end_object();
  json.member("suspended", view.suspended);
}

void write_tokens(JsonWriter& json, const jobserver::End& end) {
  json.key("tokens").begin_object().member("granted", end.granted).member("lost", end.lost);
  json.member("most_granted", end.most_granted).member("granted_ever", end.granted_ever);
  json.end_object().member("suspended", end.suspended);
}

void write_view(JsonWriter& json, const jobserver::View& view) {
  const std::string options =
      jobserver::token_options(jobserver::AuthStyle::fifo, {view.path, -1, -1});
  json.member("path", view.path).member("auth", "fifo:" + view.path);
  json.member("makeflags", " " + options).member("warm", view.warm);
  json.member("token_cost", view.cost).member("token_memory", view.memory);
  write_tokens(json, view);
}

}  // namespace

std::variant<JobserverSubmit, ApiError> parse_jobserver_submit(std::string_view text) {
  JobserverSubmit parsed;
  std::string rest(text);
  const JsonBody body(text);
  if (body.problem()) return *body.problem();
  if (const json::value* most = body.object().if_contains("max"); most && !most->is_null()) {
    std::int64_t jobs = 0;
    if (auto error = read_whole({"max", *most}, 1, jobserver::Request::kMostTokens + 1, jobs)) {
      return *std::move(error);
    }
    parsed.most_tokens = static_cast<std::size_t>(jobs) - 1;
  }
  if (body.object().contains("max")) {
    json::object without(body.object());
    without.erase("max");
    rest = json::serialize(without);
  }
  auto submit = parse_submit(rest);
  if (auto* error = std::get_if<ApiError>(&submit)) return std::move(*error);
  parsed.submit = std::move(std::get<Submit>(submit));
  return parsed;
}

void write_jobserver(JsonWriter& json, const JobRecord& job, const JobserverDetail& detail,
                     const JobContext& context) {
  json.begin_object().member("id", context.names(job.number)).member("number", job.number.value);
  json.member("key", job.request.key).member("program", job.request.program);
  json.member("state", job.state()).member("cost", job.cost);
  json.member("nice", job.request.nice);
  json.member("age", age_seconds(context.instant.now, job.arrived));
  json.member("refusal", detail.refusal, [&](const Refusal& why) {
    write_refusal(json, why, context.names, context.sentence_of(why));
  });
  json.member("environment", environment_of(job.permit.items(), context.is_jqm_compatible));
  json.member_or_null("outcome", job.ended_by ? to_string(job.outcome) : "");
  if (!detail.permit.empty()) {
    json.member("permit", detail.permit).member("permit_memory", detail.permit_memory);
  }
  if (detail.view) write_view(json, *detail.view);
  if (detail.end) write_tokens(json, *detail.end);
  json.end_object();
}

JobserverFacts sum_of(const std::vector<jobserver::View>& views, const jobserver::Totals& totals) {
  JobserverFacts facts;
  facts.clients = views.size();
  for (const jobserver::View& view : views) {
    facts.idle += view.idle;
    facts.in_use += view.in_use();
    facts.debt += view.debt;
  }
  facts.granted = totals.granted;
  facts.lost = totals.lost;
  facts.suspended = totals.suspended;
  return facts;
}

}  // namespace sluice
