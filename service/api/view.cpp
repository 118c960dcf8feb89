#include "service/api/view.h"

#include "service/api/view_shadow.h"
#include "service/protocol/api_version.h"
#include "sluice/version.h"
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
  json.member("released", state.released).member("restored", state.restored).end_object();
}

void write_record(JsonWriter& json, const RecordFacts& record) {
  json.begin_object().member("path", record.path).member("bytes", record.bytes);
  json.member("lost", record.lost).member("failing", record.failing).end_object();
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
