#include "cli/whatif/batch_arrivals.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

namespace sluice::cli {
namespace {

/// A client that has waited for room takes a millisecond or so. Jobs that come slowly one by one
/// may come soon after there was room, too.
constexpr Duration kLongestGap = std::chrono::milliseconds(100);

/// When enough of the jobs before had gone to make room for this one; nullopt if there always was
/// room.
std::optional<Duration> room_since(const LatestTimes& latest, std::int64_t limit) {
  const bool is_limited = limit > 0 && latest.size() == static_cast<std::size_t>(limit);
  return is_limited ? std::optional(latest.top()) : std::nullopt;
}

void keep_latest(LatestTimes& latest, Duration at, std::int64_t limit) {
  if (limit == 0) return;
  latest.push(at);
  if (latest.size() > static_cast<std::size_t>(limit)) latest.pop();
}

}  // namespace

void BatchArrivals::place(const JobStory& story, const RecordedSpan& span, ScenarioJob& job) {
  const record::JobSubmitted& facts = story.facts;
  const bool is_limited = facts.batch_waiting > 0 || facts.batch_unfinished > 0;
  if (facts.batch.text.empty() || !is_limited) return;
  job.batch = facts.batch.text;
  if (facts.user) job.batch += " of user " + std::to_string(*facts.user);
  job.batch_waiting = facts.batch_waiting;
  job.batch_unfinished = facts.batch_unfinished;
  Batch& batch = batches_[job.batch];
  const auto room = std::max(room_since(batch.left_line, job.batch_waiting),
                             room_since(batch.over, job.batch_unfinished));
  const bool waited_for_room = room && *room <= job.at && job.at - *room <= kLongestGap;
  if (waited_for_room) job.at = std::min(job.at, batch.ready);
  batch.ready = job.at;
  // Of a job that the record leaves waiting or running, others made the room.
  const Duration over = story.end ? span.at(story.end->when) : Duration::max();
  keep_latest(batch.left_line, story.start ? span.at(story.start->when) : over, job.batch_waiting);
  keep_latest(batch.over, over, job.batch_unfinished);
}

}  // namespace sluice::cli
