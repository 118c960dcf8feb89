#include "cli/status/watch_change.h"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <utility>

#include "cli/status/status_view.h"

namespace sluice::cli {
namespace {

/// The parts of a view whose change is worth reporting.
std::string meaning_of(const HostView& view) {
  std::string text;
  const auto add = [&text](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>) {
      text += std::to_string(part);
    } else {
      text += part;
    }
    text += '\n';
  };
  const auto add_jobs = [&add](const std::vector<HostView::JobRow>& jobs) {
    for (const HostView::JobRow& job : jobs) (add(job.id), add(job.cost), add(job.reason));
  };
  (add(view.law), add(view.size), add(view.usage), add(view.minimum), add(view.maximum));
  (add(view.threshold.value_or(-1)), add(view.state), add(view.unkept), add(view.unrecorded));
  add(view.unlearned);
  for (const auto& sensor : view.sensors) (add(sensor.name), add(sensor.verdict));
  for (const auto& queue : view.queues) {
    (add(queue.name), add(queue.paused ? "paused" : "open"), add(queue.running));
    (add(queue.pending), add(queue.reason));
  }
  for (const auto& resource : view.resources) {
    (add(resource.name), add(resource.total.value_or(-1)), add(resource.used));
    add(resource.waiting);
  }
  for (const auto& source : view.sources) {
    (add(source.server), add(source.connected ? "connected" : source.problem), add(source.jobs));
    for (const std::string& function : source.offered) add(function);
  }
  (add(view.all_running), add(view.all_pending));
  add_jobs(view.running);
  add_jobs(view.pending);
  return text;
}

}  // namespace

std::optional<std::string> WatchChanges::observe(std::string_view status_json,
                                                 std::string_view jobs_json) {
  std::string meaning = meaning_of(view_of(status_json, jobs_json));
  if (std::exchange(last_, meaning) == meaning) return std::nullopt;
  std::string object = "{\"status\":";
  object.append(status_json).append(",\"jobs\":").append(jobs_json).append("}");
  return object;
}

std::optional<std::string> WatchChanges::lost(std::string_view why) {
  const std::string meaning = "lost";
  if (std::exchange(last_, meaning) == meaning) return std::nullopt;
  return "{\"status\":null,\"jobs\":null,\"problem\":" +
         boost::json::serialize(boost::json::string(why)) + "}";
}

}  // namespace sluice::cli
