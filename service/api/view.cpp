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
  json.member("now", rfc3339(instant.wall))
      .member("uptime", age_seconds(instant.now, facts.started));
  json.key("config_file");
  facts.config_file.empty() ? json.null() : json.value(facts.config_file);
  json.member("socket", facts.socket).key("listen");
  facts.listen.empty() ? json.null() : json.value(facts.listen);
}

void write_state(JsonWriter& json, const StateFacts& state) {
  json.key("state").begin_object();
  json.member("store", state.path.empty() ? "memory" : "sqlite").key("path");
  state.path.empty() ? json.null() : json.value(state.path);
  json.member("failing", state.failing).member("adopted", state.adopted);
  json.member("released", state.released).member("restored", state.restored).end_object();
}

void write_record(JsonWriter& json, const std::optional<RecordFacts>& record) {
  json.key("record");
  if (!record) {
    json.null();
    return;
  }
  json.begin_object().member("path", record->path).member("bytes", record->bytes);
  json.member("lost", record->lost).member("failing", record->failing).end_object();
}

void write_work_source(JsonWriter& json, const WorkSourceFacts& source) {
  json.begin_object().member("kind", source.kind).member("server", source.server);
  json.member("connected", source.connected).key("problem");
  source.problem.empty() ? json.null() : json.value(source.problem);
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
  write_record(json, facts.record);
  write_shadow(json, facts.shadow, names);
  json.key("work_sources").begin_array();
  for (const WorkSourceFacts& source : facts.work_sources) write_work_source(json, source);
  json.end_array();
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
