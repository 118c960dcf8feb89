#include "cli/whatif/recorded_changes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "cli/whatif/recorded_begin.h"
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
                 Waits waits, ScenarioJob& job, std::vector<ScenarioEvent>& events) {
  bool is_frozen = false;
  std::vector<ScenarioEvent> later;
  const auto add = [&](Duration at, ScenarioEvent event) {
    event.at = at;
    event.what = ScenarioEvent::Do::set;
    event.job = job.request.id;
    later.push_back(std::move(event));
  };
  for (const JobStory::Change& each : story.changes) {
    if (each.when > span.to) break;
    const Duration at = span.at(each.when);
    ScenarioEvent event = event_of(each.facts);
    if (at == Duration{0}) {
      apply(event, job.request);
      is_frozen = event.frozen.value_or(is_frozen);
      continue;
    }
    // A job that waits for one that failed cannot be released.
    if (waits == Waits::for_good) event.frozen.reset();
    if (sets_something(event)) add(at, std::move(event));
    // On its own: if the other job has started in the model, only the move has no effect.
    if (auto position = position_in(each.facts, id_of)) {
      add(at, {.position = *std::move(position)});
    }
  }
  const auto releases = [](const ScenarioEvent& each) { return each.frozen == false; };
  const bool waited = !had_started(story, span);
  if (waited && is_frozen && story.start && std::ranges::none_of(later, releases)) return false;
  // Before a job comes, so that it does not start first.
  if (waits == Waits::for_good || (waited && is_frozen)) add(Duration{0}, {.frozen = true});
  std::ranges::move(later, std::back_inserter(events));
  return true;
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
