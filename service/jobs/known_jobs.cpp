#include "service/jobs/known_jobs.h"

#include <algorithm>
#include <utility>

#include "base/parse.h"
#include "service/jobs/job_callbacks.h"

namespace sluice {
namespace {

DeclaredSize sum(const DeclaredSize& one, const DeclaredSize& other) {
  return {one.bytes + other.bytes, one.elements + other.elements};
}

DeclaredSize difference(const DeclaredSize& whole, const DeclaredSize& part) {
  return {whole.bytes - part.bytes, whole.elements - part.elements};
}

/// What a change adds to the most that the job's earlier ones declared.
DeclaredSize growth(const JobRecord& job, const DeclaredSize& change) {
  const DeclaredSize most{std::max(job.changed.bytes, change.bytes),
                          std::max(job.changed.elements, change.elements)};
  return difference(most, job.changed);
}

}  // namespace

JobRecord& KnownJobs::add(JobId number, std::string id, const DeclaredSize& declared) {
  JobRecord& job = jobs_[number.value];
  job.number = number;
  job.id = std::move(id);
  job.submitted = declared;
  declared_ = sum(declared_, declared);
  if (!job.id.empty()) by_id_[job.id] = number;
  return job;
}

const JobRecord* KnownJobs::find(std::string_view id) const {
  const auto named = by_id_.find(std::string(id));
  if (named != by_id_.end()) return find(named->second);
  const auto number = parse_u64(id);
  return number ? find(JobId{*number}) : nullptr;
}

const JobRecord* KnownJobs::find(JobId number) const {
  const auto found = jobs_.find(number.value);
  return found == jobs_.end() ? nullptr : &found->second;
}

JobRecord* KnownJobs::find(JobId number) {
  const auto found = jobs_.find(number.value);
  return found == jobs_.end() ? nullptr : &found->second;
}

std::string KnownJobs::name_of(JobId number) const {
  const JobRecord* job = find(number);
  return job && !job->id.empty() ? job->id : std::to_string(number.value);
}

bool KnownJobs::has_room(const DeclaredSize& size, std::size_t jobs) const {
  const DeclaredSize declared = sum(declared_, size);
  return declared.bytes <= most_declared_ &&
         counted_bytes(declared, jobs_.size() + jobs) <= most_counted_;
}

std::optional<ApiError> KnownJobs::make_room(const DeclaredSize& size, std::size_t jobs) {
  while (!has_room(size, jobs) && !ended_.empty()) forget_oldest();
  if (has_room(size, jobs)) return std::nullopt;
  if (declared_.bytes + size.bytes > most_declared_) {
    return ApiError{429, "too_much_declared",
                    "pending and running jobs declare " + std::to_string(most_declared_ >> 20) +
                        " MiB already: retry when some have ended, or declare less"};
  }
  return ApiError{429, "too_much_declared",
                  "the " + std::to_string(jobs_.size()) +
                      " pending and running jobs use all memory that the daemon has for jobs: "
                      "retry when some have ended, declare less, or give the daemon more memory"};
}

std::optional<ApiError> KnownJobs::make_room_for_change(const JobRecord& job,
                                                        const DeclaredSize& size) {
  const DeclaredSize more = growth(job, size);
  return more == DeclaredSize{} ? std::nullopt : make_room(more, 0);
}

void KnownJobs::count_change(JobRecord& job, const DeclaredSize& size) {
  const DeclaredSize more = growth(job, size);
  declared_ = sum(declared_, more);
  job.changed = sum(job.changed, more);
}

void KnownJobs::note_end(JobId number) {
  ended_.push_back(number);
  forget_all_but(kRememberedJobs);
}

void KnownJobs::forget_all_but(std::size_t ended) {
  while (ended_.size() > ended) forget_oldest();
}

void KnownJobs::forget_oldest() {
  const auto oldest = jobs_.find(ended_.front().value);
  ended_.pop_front();
  const auto named = by_id_.find(oldest->second.id);
  if (named != by_id_.end() && named->second == oldest->second.number) by_id_.erase(named);
  declared_ = difference(declared_, sum(oldest->second.submitted, oldest->second.changed));
  jobs_.erase(oldest);
}

}  // namespace sluice
