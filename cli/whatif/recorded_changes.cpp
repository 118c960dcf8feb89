#include "cli/whatif/recorded_changes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "cli/whatif/recorded_request.h"
#include "record/name_hash.h"

namespace sluice::cli {
namespace {

using Where = JobChange::Position::Where;

/// nullopt: the job was not moved, or to a place of a newer Sluice.
std::optional<ScenarioEvent::Position> position_in(const record::JobChanged& change,
                                                   const ScenarioIds& id_of) {
  const auto place = std::ranges::find(record::kPlaces, change.place);
  if (place == record::kPlaces.end()) return std::nullopt;
  ScenarioEvent::Position position;
  position.where = static_cast<Where>(place - record::kPlaces.begin());
  if (change.of != JobId{}) position.of = id_of(change.of);
  return position;
}

/// What it sets, without the position.
ScenarioEvent event_of(const record::JobChanged& change) {
  ScenarioEvent event;
  event.what = ScenarioEvent::Do::set;
  if (change.priority) event.priority = static_cast<int>(*change.priority);
  if (change.queue && !record::is_hash(change.queue->text)) event.queue = change.queue->text;
  if (change.nice) event.nice = static_cast<int>(*change.nice);
  event.frozen = change.frozen;
  if (change.locks) event.locks = locks_of(*change.locks);
  // All were hashed.
  if (event.locks && event.locks->empty() && !change.locks->empty()) event.locks.reset();
  event.global_lock = change.global_lock;
  return event;
}

bool sets_something(const ScenarioEvent& event) {
  return event.priority || event.queue || event.nice || event.frozen || event.locks ||
         event.global_lock;
}

void apply(const ScenarioEvent& event, JobRequest& request) {
  if (event.priority) request.priority = event.priority;
  if (event.queue) request.queue = *event.queue;
  if (event.nice) request.nice = event.nice;
  if (event.locks) request.locks = event.locks;
  if (event.global_lock) request.global_lock = *event.global_lock;
}

}  // namespace

bool add_changes(const JobStory& story, const RecordedSpan& span, const ScenarioIds& id_of,
                 ScenarioJob& job, std::vector<ScenarioEvent>& events) {
  bool is_frozen = false;
  std::optional<ScenarioEvent::Position> early;
  // On its own: if the other job has started in the model, only the move has no effect.
  const auto move = [&](Duration at, ScenarioEvent::Position position) {
    events.push_back({.at = at,
                      .what = ScenarioEvent::Do::set,
                      .job = job.request.id,
                      .position = std::move(position)});
  };
  for (const JobStory::Change& each : story.changes) {
    if (each.when > span.to) break;
    const Duration at = span.at(each.when);
    ScenarioEvent event = event_of(each.facts);
    auto position = position_in(each.facts, id_of);
    if (is_frozen || at <= job.at) {
      // Nothing happens to a job that has not come yet.
      apply(event, job.request);
      if (position) early = std::move(position);
      const bool is_released = is_frozen && event.frozen == false;
      if (is_released) job.at = std::max(job.at, at);
      is_frozen = event.frozen.value_or(is_frozen);
      continue;
    }
    event.at = at;
    event.job = job.request.id;
    if (sets_something(event)) events.push_back(std::move(event));
    if (position) move(at, *std::move(position));
  }
  // At the instant at which a job comes, events are before it.
  if (early) move(job.at + Duration{1}, *std::move(early));
  return !is_frozen;
}

void forget_absent(Scenario& scenario) {
  std::set<std::string> present;
  for (const ScenarioJob& each : scenario.jobs) present.insert(each.request.id);
  for (ScenarioJob& each : scenario.jobs) {
    std::erase_if(each.after, [&](const auto& other) { return !present.contains(other); });
  }
  std::erase_if(scenario.events, [&](const ScenarioEvent& each) {
    return each.position && !each.position->of.empty() && !present.contains(each.position->of);
  });
}

}  // namespace sluice::cli
