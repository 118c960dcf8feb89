#include <algorithm>
#include <utility>

#include "governor/core.h"

namespace sluice {

/// Records the jobs that this one comes after. Refuses if it would wait for itself or for a job
/// that already failed.
std::optional<Refusal> Core::await(PendingJob& job, const std::vector<JobId>& after) {
  if (after.empty()) return std::nullopt;
  const OnFailure on_failure = job.rest ? job.rest->on_failure : OnFailure::cancel;
  const std::vector<Place> parents = line_of(job);
  const auto is_parent = [&](JobId id) {
    return std::ranges::any_of(parents, [&](Place place) { return running_[place].job.id == id; });
  };
  Waits waits;
  for (const JobId id : after) {
    const bool failed = failed_.contains(id);
    if (is_unfinished(id)) {
      waits.open.push_back(id);
    } else if (failed && on_failure == OnFailure::hold) {
      waits.failed = id;
    }
    const bool is_hopeless = id == job.id || is_parent(id) ||
                             (failed && on_failure == OnFailure::cancel) ||
                             (is_unfinished(id) && reaches(id, job.id));
    if (!is_hopeless) continue;
    Refusal refused = refusal(RefusalCode::dependency, "after", job.cost);
    refused.ahead = id;
    return refused;
  }
  for (const JobId id : waits.open) awaited_[id.value].by.push_back(job.id);
  if (!waits.open.empty() || waits.failed != JobId{}) waits_[job.id.value] = std::move(waits);
  return std::nullopt;
}

bool Core::is_unfinished(JobId id) const {
  if (pending_->find(id) || find_running(id)) return true;
  const auto awaited = awaited_.find(id.value);
  return awaited != awaited_.end() && awaited->second.expected;
}

/// Whether `from` waits for `to`, directly or through other jobs.
bool Core::reaches(JobId from, JobId to) const {
  std::vector<JobId> left{from};
  std::unordered_set<std::uint64_t> seen;
  while (!left.empty()) {
    const JobId id = left.back();
    left.pop_back();
    if (id == to) return true;
    const auto waits = waits_.find(id.value);
    if (!seen.insert(id.value).second || waits == waits_.end()) continue;
    left.insert(left.end(), waits->second.open.begin(), waits->second.open.end());
  }
  return false;
}

/// A job is over: jobs that wait for it may start, or are over as well.
void Core::over(JobId id, End end) {
  if (end == End::well && awaited_.empty()) return;
  std::vector<std::pair<JobId, End>> left{{id, end}};
  while (!left.empty()) {
    const auto [done, how] = left.back();
    left.pop_back();
    if (how == End::badly) failed_.insert(done);
    const auto awaited = awaited_.find(done.value);
    if (awaited == awaited_.end()) continue;
    const std::vector<JobId> by = std::move(awaited->second.by);
    awaited_.erase(awaited);
    for (const JobId waiting : by) {
      if (const auto ended = settle(waiting, done, how)) left.emplace_back(*ended, End::badly);
    }
  }
}

/// `done`, which `waiting` comes after, is over. Returns `waiting` if that ends it too.
std::optional<JobId> Core::settle(JobId waiting, JobId done, End how) {
  const auto slot = pending_->find(waiting);
  const auto found = waits_.find(waiting.value);
  if (!slot || found == waits_.end()) return std::nullopt;
  const PendingJob& job = (*pending_)[*slot];
  const OnFailure on_failure = job.rest ? job.rest->on_failure : OnFailure::cancel;
  if (how == End::badly && on_failure == OnFailure::cancel) {
    Refusal refused = refusal(RefusalCode::dependency, "after", job.cost);
    refused.ahead = done;
    ended_.push_back({waiting, refused});
    ++counters_.cancelled;
    discard(take(*slot));
    return waiting;
  }
  if (how == End::badly && on_failure == OnFailure::hold) found->second.failed = done;
  std::erase(found->second.open, done);
  if (found->second.open.empty() && found->second.failed == JobId{}) waits_.erase(found);
  park(*slot);
  return std::nullopt;
}

bool Core::cancel(JobId id) {
  const auto slot = pending_->find(id);
  if (!slot) return false;
  discard(take(*slot));
  ++counters_.cancelled;
  over(id, End::badly);
  return true;
}

std::vector<Ended> Core::take_ended() { return std::exchange(ended_, {}); }

}  // namespace sluice
