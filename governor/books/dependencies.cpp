#include "governor/books/dependencies.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace sluice {

Dependencies::Dependencies(FailedJobs failed, const std::vector<JobId>& expected,
                           std::map<std::uint64_t, Awaiting> awaiting)
    : failed_(std::move(failed)) {
  for (const JobId id : expected) expect(id);
  for (auto& [job, waits] : awaiting) {
    for (const JobId id : waits.open) awaited_[id.value].by.insert(JobId{job});
    waits_.emplace(job, std::move(waits));
  }
}

std::optional<JobId> Dependencies::await(const PendingJob& job, std::span<const JobId> after,
                                         std::span<const JobId> parents,
                                         const std::function<bool(JobId)>& is_alive) {
  Awaiting waits;
  if (job.rest) waits.on_failure = job.rest->on_failure;
  for (const JobId id : after) {
    const bool failed = failed_.contains(id);
    const auto awaited = awaited_.find(id.value);
    const bool is_open = is_alive(id) || (awaited != awaited_.end() && awaited->second.expected);
    if (is_open) {
      waits.open.push_back(id);
    } else if (failed && waits.on_failure == OnFailure::hold) {
      waits.failed = id;
    }
    const bool is_hopeless = id == job.id || std::ranges::count(parents, id) > 0 ||
                             (failed && waits.on_failure == OnFailure::cancel) ||
                             (is_open && reaches(id, job.id));
    if (is_hopeless) return id;
  }
  for (const JobId id : waits.open) awaited_[id.value].by.insert(job.id);
  if (!waits.open.empty() || waits.failed != JobId{}) waits_[job.id.value] = std::move(waits);
  return std::nullopt;
}

std::vector<JobId> Dependencies::expected() const {
  std::vector<JobId> expected;
  for (const auto& [id, awaited] : awaited_) {
    if (awaited.expected) expected.push_back(JobId{id});
  }
  std::ranges::sort(expected);
  return expected;
}

void Dependencies::forget(JobId job) {
  const auto waits = waits_.extract(job.value);
  if (waits.empty()) return;
  // Its number may be the next job's, which need not wait for the same.
  for (const JobId id : waits.mapped().open) {
    if (const auto found = awaited_.find(id.value); found != awaited_.end()) {
      found->second.by.erase(job);
    }
  }
}

/// Whether `from` waits for `to`, directly or through other jobs.
bool Dependencies::reaches(JobId from, JobId to) const {
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

std::vector<Dependencies::Resolved> Dependencies::resolve(JobId job, JobEnd end) {
  std::vector<Resolved> all;
  if (end == JobEnd::succeeded && awaited_.empty()) return all;
  std::vector<std::pair<JobId, JobEnd>> left{{job, end}};
  while (!left.empty()) {
    const auto [done, how] = left.back();
    left.pop_back();
    if (how == JobEnd::failed) failed_.insert(done);
    const auto awaited = awaited_.extract(done.value);
    if (awaited.empty()) continue;
    for (const JobId waiting : awaited.mapped().by) {
      const auto resolved = resolve_one(waiting, done, how);
      if (!resolved) continue;
      all.push_back(*resolved);
      if (resolved->failed != JobId{}) left.emplace_back(waiting, JobEnd::failed);
    }
  }
  return all;
}

std::optional<Dependencies::Resolved> Dependencies::resolve_one(JobId waiting, JobId done,
                                                                JobEnd how) {
  const auto found = waits_.find(waiting.value);
  if (found == waits_.end()) return std::nullopt;
  Awaiting& waits = found->second;
  if (how == JobEnd::failed && waits.on_failure == OnFailure::cancel) {
    waits_.erase(found);
    return Resolved{waiting, done};
  }
  if (how == JobEnd::failed && waits.on_failure == OnFailure::hold) waits.failed = done;
  std::erase(waits.open, done);
  if (waits.open.empty() && waits.failed == JobId{}) waits_.erase(found);
  return Resolved{waiting, JobId{}};
}

std::optional<JobId> Dependencies::holder_of(JobId job) const {
  const auto found = waits_.empty() ? waits_.end() : waits_.find(job.value);
  if (found == waits_.end()) return std::nullopt;
  const Awaiting& waits = found->second;
  return waits.failed != JobId{} ? waits.failed : waits.open.front();
}

}  // namespace sluice
