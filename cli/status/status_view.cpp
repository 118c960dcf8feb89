#include "cli/status/status_view.h"

#include <boost/json.hpp>
#include <stdexcept>

#include "base/json_writer.h"
#include "base/text.h"
#include "status/status_json.h"

namespace sluice::cli {
namespace json = boost::json;
namespace {

std::string text_at(const json::object& object, std::string_view field) {
  const json::value& value = object.at(field);
  return value.is_null() ? "" : json::value_to<std::string>(value);
}

double number_at(const json::object& object, std::string_view field) {
  const json::value& value = object.at(field);
  return value.is_null() ? 0 : value.to_number<double>();
}

std::string reported_verdict(const json::object& sensor) {
  const std::string verdict = text_at(sensor, "verdict");
  if (verdict != "green") return verdict;
  if (!sensor.at("up").as_bool()) return "failed";
  return sensor.at("fresh").as_bool() ? "green" : "stale";
}

HostView::SensorRow sensor_row(const json::object& sensor) {
  bool limited = false;
  for (const json::value& condition : sensor.at("conditions").as_array()) {
    limited = limited || !condition.as_object().at("limit").is_null();
  }
  const bool up = sensor.at("up").as_bool();
  return {text_at(sensor, "name"),
          reported_verdict(sensor),
          number_at(sensor, "pressure"),
          limited,
          text_at(sensor, up ? "sentence" : "failure"),
          up && sensor.at("fresh").as_bool() ? number_at(sensor, "resume") : 1};
}

HostView::JobRow job_row(const json::object& job) {
  HostView::JobRow row;
  row.id = text_at(job, "id");
  row.number = json::serialize(job.at("number"));
  row.name = text_at(job, "key");
  row.cost = job.at("cost").to_number<std::int64_t>();
  const bool runs = text_at(job, "state") == "running";
  row.seconds = number_at(job, runs ? "running_for" : "age");
  if (const json::object* refusal = job.at("refusal").if_object()) {
    row.reason = text_at(*refusal, "message");
    row.kind = text_at(*refusal, "code") + ' ' + text_at(*refusal, "binding");
  }
  if (const json::object* suspended = job.at("suspended").if_object()) {
    row.reason = "suspended: " + text_at(*suspended, "message");
  }
  return row;
}

/// The messages of all its blockers; that of the single reason if the daemon lists no blockers.
std::string messages_of(const json::object& object, std::string_view one) {
  std::string text;
  const json::value* all = object.if_contains("blockers");
  if (all && all->is_array()) {
    for (const json::value& each : all->as_array()) {
      text += (text.empty() ? "" : "; ") + text_at(each.as_object(), "message");
    }
  }
  const json::object* refusal = object.at(one).if_object();
  return text.empty() && refusal ? text_at(*refusal, "message") : text;
}

HostView::QueueRow queue_row(const json::object& queue) {
  HostView::QueueRow row;
  row.name = text_at(queue, "name");
  row.paused = queue.at("paused").as_bool();
  row.running = queue.at("running").to_number<std::size_t>();
  row.pending = queue.at("pending").to_number<std::size_t>();
  row.waited = number_at(queue, "oldest_wait");
  row.reason = messages_of(queue, "limiting");
  // An older daemon does not count them.
  const json::value* ended = queue.if_contains("ended");
  if (ended && !text_at(queue, "branch_of").empty()) {
    row.ended = ended->to_number<std::uint64_t>();
  }
  return row;
}

HostView::ResourceRow resource_row(const json::object& resource) {
  HostView::ResourceRow row;
  row.name = text_at(resource, "manager");
  row.kind = text_at(resource, "kind");
  if (!resource.at("total").is_null()) row.total = resource.at("total").to_number<std::int64_t>();
  row.used = resource.at("used").to_number<std::int64_t>();
  row.waiting = resource.at("waiting").to_number<std::size_t>();
  return row;
}

HostView::SourceRow source_row(const json::object& source) {
  HostView::SourceRow row;
  row.kind = text_at(source, "kind");
  row.server = text_at(source, "server");
  row.connected = source.at("connected").as_bool();
  row.problem = text_at(source, "problem");
  row.jobs = source.at("jobs").to_number<std::int64_t>();
  for (const json::value& function : source.at("offered").as_array()) {
    row.offered.push_back(json::value_to<std::string>(function));
  }
  return row;
}

template <typename Row>
void add_rows(const json::object& status, std::string_view list, Row (*row)(const json::object&),
              std::vector<Row>& rows) {
  for (const json::value& each : status.at(list).as_array()) rows.push_back(row(each.as_object()));
}

void read_window(const json::object& window, HostView& view) {
  view.law = text_at(window, "law");
  view.size = window.at("size").to_number<std::int64_t>();
  view.usage = window.at("usage").to_number<std::int64_t>();
  view.minimum = window.at("minimum").to_number<std::int64_t>();
  view.maximum = window.at("maximum").to_number<std::int64_t>();
  if (!window.at("threshold").is_null()) {
    view.threshold = window.at("threshold").to_number<std::int64_t>();
  }
  if (const json::object* change = window.at("last_change").if_object()) {
    // Older daemons do not say it in a sentence.
    const char* const told = change->contains("sentence") ? "sentence" : "cause";
    view.last_change = duration_text(number_at(*change, "age")) + " ago: " + text_at(*change, told);
  }
}

void add_jobs(std::string_view jobs_json, HostView& view) {
  const json::value parsed = json::parse(jobs_json);
  const json::object& jobs = parsed.as_object();
  for (const json::value& job : jobs.at("jobs").as_array()) {
    const std::string state = text_at(job.as_object(), "state");
    if (state == "running") view.running.push_back(job_row(job.as_object()));
    if (state == "pending") view.pending.push_back(job_row(job.as_object()));
  }
  const auto count = [&jobs](std::string_view field, std::size_t& all) {
    if (const json::value* number = jobs.if_contains(field)) all = number->to_number<std::size_t>();
  };
  count("running", view.all_running);
  count("pending", view.all_pending);
}

/// Older daemons do not report it.
std::size_t unverified_in(const json::object& memory) {
  const json::value* held = memory.if_contains("held");
  return held ? held->at("unverified").to_number<std::size_t>() : 0;
}

/// Older daemons have none.
void read_shadow(const json::object& status, HostView& view) {
  const json::value* shadow = status.if_contains("shadow");
  if (!shadow || !shadow->is_object()) return;
  view.shadow.push_back(text_at(shadow->as_object(), "sentence"));
  for (const json::value& each : shadow->as_object().at("differences").as_array()) {
    view.shadow.push_back(json::value_to<std::string>(each));
  }
}

/// All that a governor tells of itself.
HostView host_in(const json::object& status) {
  HostView view;
  read_window(status.at("window").as_object(), view);
  const json::value* cpu = status.if_contains("cpu");  // Older daemons do not report it.
  if (const json::object* used = cpu ? cpu->if_object() : nullptr) {
    view.cpu = {number_at(*used, "cpus"), number_at(*used, "busy"), number_at(*used, "waiting"),
                number_at(*used, "demand"), number_at(*used, "others")};
  }
  if (const json::object* memory = status.at("memory").if_object()) {
    view.memory = {text_at(*memory, "where"),    number_at(*memory, "promised"),
                   number_at(*memory, "others"), number_at(*memory, "kept"),
                   number_at(*memory, "margin"), unverified_in(*memory)};
  }
  view.takes_work = status.at("full").is_null();
  view.state = view.takes_work ? "taking work" : "taking no work: " + messages_of(status, "full");
  add_rows(status, "sensors", sensor_row, view.sensors);
  add_rows(status, "queues", queue_row, view.queues);
  add_rows(status, "resources", resource_row, view.resources);
  return view;
}

}  // namespace

HostView view_of(const Status& status) {
  const json::value parsed = json::parse(json_text([&](JsonWriter& out) {
    out.begin_object();
    write_status(out, status, {status.now, {}}, {});
    out.end_object();
  }));
  return host_in(parsed.as_object());
}

HostView view_of(std::string_view status_json, const std::vector<std::string_view>& jobs_json) try {
  const json::value parsed = json::parse(status_json);
  const json::object& status = parsed.as_object();
  HostView view = host_in(status);
  add_rows(status, "work_sources", source_row, view.sources);
  view.unkept = text_at(status.at("state").as_object(), "failing");
  const json::value* history = status.at("state").as_object().if_contains("history");
  if (history && history->is_object()) view.unlearned = text_at(history->as_object(), "failing");
  const json::value* record = status.if_contains("record");
  if (record && record->is_object()) view.unrecorded = text_at(record->as_object(), "failing");
  read_shadow(status, view);
  for (const std::string_view text : jobs_json) add_jobs(text, view);
  return view;
} catch (const std::exception& error) {
  throw std::runtime_error(std::string("cannot read the daemon's answer: ") + error.what());
}

HostView view_of(std::string_view status_json, std::string_view jobs_json) {
  return view_of(status_json, std::vector<std::string_view>{jobs_json});
}

}  // namespace sluice::cli
