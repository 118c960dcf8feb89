#include "service/api/view.h"

#include "base/suggest.h"
#include "base/text.h"
#include "service/protocol/api_version.h"
#include "sluice/version.h"
#include "status/refusal_json.h"
#include "status/status_json.h"

namespace sluice {
namespace {

void write_leases_ended(JsonWriter& json, const Leases& leases) {
  json.key("leases_ended").begin_object();
  for (std::size_t at = 0; at < leases.ended().size(); ++at) {
    json.member(to_string(static_cast<LeaseEnd>(at)), leases.ended()[at]);
  }
  json.end_object();
}

void write_daemon(JsonWriter& json, const DaemonFacts& facts, const Instant& instant) {
  json.member("version", kVersion).member("api", kApiVersion).member("pid", facts.pid);
  json.member("now", rfc3339(instant.wall));
  json.member("uptime", age_seconds(instant.now, facts.started));
  json.member_or_null("config_file", facts.config_file).member("socket", facts.socket);
  json.member_or_null("listen", facts.listen);
}

void write_state(JsonWriter& json, const StateFacts& state) {
  json.key("state").begin_object();
  json.member("store", state.path.empty() ? "memory" : "sqlite");
  json.member_or_null("path", state.path);
  json.member("failing", state.failing).member("adopted", state.adopted);
  json.member("released", state.released).member("restored", state.restored);
  json.member("history", state.history, [&](const HistoryFacts& history) {
    json.begin_object().member("path", history.path);
    json.member("failing", history.failing).end_object();
  });
  json.end_object();
}

void write_record(JsonWriter& json, const RecordFacts& record) {
  json.begin_object().member("path", record.path).member("bytes", record.bytes);
  json.member("lost", record.lost).member("failing", record.failing).end_object();
}

/// What the other configuration would do, for people: "window 40 points (knee), would start 3
/// waiting jobs now, the first build-4711; would have let 2 of 40 begun jobs wait".
std::string to_sentence(const ShadowFacts& shadow, const JobNames& names) {
  const auto points = static_cast<std::uint64_t>(shadow.size.value);
  std::string text = "window " + count_text(points, "point") + " (" + shadow.law + ")";
  if (!shadow.red.empty()) text += ", red: " + join_words(shadow.red);
  text += ", would start " + count_text(shadow.would_start.size(), "waiting job") + " now";
  if (!shadow.would_start.empty()) {
    text += ", the first " + name_of(shadow.would_start.front(), names);
  }
  if (shadow.would_refuse > 0) {
    text += ", would refuse " + std::to_string(shadow.would_refuse) +
            (shadow.would_refuse > 1 ? ", the first: " : ": ") + shadow.refusal;
  }
  text += "; would have let " + std::to_string(shadow.held) + " of " +
          count_text(shadow.began, "begun job") + " wait";
  return text;
}

void write_shadow(JsonWriter& json, const ShadowFacts& shadow, const JobNames& names) {
  json.begin_object().member("config_file", shadow.config_file).member("law", shadow.law);
  json.member("size", shadow.size).member("usage", shadow.usage).member("red", shadow.red);
  json.list("would_start", shadow.would_start, [&](JobId job) { json.value(name_of(job, names)); });
  json.member("would_refuse", shadow.would_refuse).member_or_null("refusal", shadow.refusal);
  json.member("began", shadow.began).member("held", shadow.held).key("last_held");
  shadow.held == 0 ? json.null() : json.value(name_of(shadow.last_held, names));
  json.member("differences", shadow.differences);
  json.member("sentence", to_sentence(shadow, names)).end_object();
}

void write_work_source(JsonWriter& json, const WorkSourceFacts& source) {
  json.begin_object().member("kind", source.kind).member("server", source.server);
  json.member("connected", source.connected).member_or_null("problem", source.problem);
  json.member("offered", source.offered);
  json.member("jobs", source.jobs).member("taken", source.taken).end_object();
}

void write_jobserver(JsonWriter& json, const JobserverFacts& facts) {
  json.key("jobserver").begin_object().member("clients", facts.clients);
  json.member("in_use", facts.in_use).member("idle", facts.idle).member("debt", facts.debt);
  json.member("granted", facts.granted).member("lost", facts.lost);
  json.member("suspended", facts.suspended).end_object();
}

}  // namespace

std::string status_json(const Status& status, const DaemonFacts& facts, const Leases& leases,
                        const Instant& instant, const JobNames& names) {
  std::string text;
  text.reserve(8192);
  JsonWriter json(text);
  json.begin_object();
  write_daemon(json, facts, instant);
  write_status(json, status, instant, names);
  write_state(json, facts.state);
  json.member("record", facts.record, [&](auto& record) { write_record(json, record); });
  json.member("shadow", facts.shadow, [&](auto& shadow) { write_shadow(json, shadow, names); });
  json.list("work_sources", facts.work_sources,
            [&](const WorkSourceFacts& source) { write_work_source(json, source); });
  write_jobserver(json, facts.jobserver);
  json.key("counters").begin_object();
  write_counters(json, status.counters);
  write_leases_ended(json, leases);
  json.end_object();
  json.key("reload").begin_object().member("ok", facts.reload_ok);
  json.member("failures", facts.reload_failures).end_object().end_object();
  return text;
}

}  // namespace sluice
