#include "cli/status/watch_change.h"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <utility>

#include "base/json_writer.h"
#include "cli/status/status_view.h"

namespace sluice::cli {
namespace {

/// The parts of a view whose change is worth reporting.
std::string meaning_of(const HostView& view) {
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  const auto add_jobs = [&json](const std::vector<HostView::JobRow>& jobs) {
    for (const HostView::JobRow& job : jobs) json.value(job.id).value(job.cost).value(job.reason);
  };
  json.value(view.law).value(view.size).value(view.usage).value(view.minimum).value(view.maximum);
  json.value(view.threshold).value(view.state);
  json.value(view.unkept).value(view.unrecorded).value(view.unlearned);
  for (const auto& sensor : view.sensors) json.value(sensor.name).value(sensor.verdict);
  for (const auto& queue : view.queues) {
    json.value(queue.name).value(queue.paused).value(queue.running).value(queue.pending);
    json.value(queue.reason);
  }
  for (const auto& resource : view.resources) {
    json.value(resource.name).value(resource.total).value(resource.used).value(resource.waiting);
  }
  for (const auto& source : view.sources) {
    json.value(source.server).value(source.connected).value(source.jobs).value(source.offered);
    if (!source.connected) json.value(source.problem);
  }
  json.value(view.all_running).value(view.all_pending);
  add_jobs(view.running);
  add_jobs(view.pending);
  return text;
}

std::string json_of(const std::optional<std::vector<std::string>>& sockets) {
  return sockets ? json_text([&](JsonWriter& json) { json.value(*sockets); }) : "null";
}

}  // namespace

std::string status_object(std::string_view status_json, std::string_view jobs_json,
                          const std::optional<std::vector<std::string>>& further) {
  // Both answers are JSON objects already and need no parsing.
  std::string object = "{\"status\":";
  object.append(status_json).append(",\"jobs\":").append(jobs_json);
  return object.append(",\"further_daemons\":").append(json_of(further)).append("}");
}

std::optional<std::string> WatchChanges::observe(
    std::string_view status_json, std::string_view jobs_json,
    const std::optional<std::vector<std::string>>& further) {
  std::string meaning = meaning_of(view_of(status_json, jobs_json)) + json_of(further);
  if (std::exchange(last_, meaning) == meaning) return std::nullopt;
  return status_object(status_json, jobs_json, further);
}

std::optional<std::string> WatchChanges::lost(std::string_view why) {
  const std::string meaning = "lost";
  if (std::exchange(last_, meaning) == meaning) return std::nullopt;
  return "{\"status\":null,\"jobs\":null,\"problem\":" +
         boost::json::serialize(boost::json::string(why)) + "}";
}

}  // namespace sluice::cli
