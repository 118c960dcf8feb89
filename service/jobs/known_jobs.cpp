#include "service/jobs/known_jobs.h"

#include <algorithm>
#include <utility>

#include "base/parse.h"
#include "service/jobs/job_callbacks.h"

namespace sluice {

JobRecord& KnownJobs::add(JobId number, std::string id, std::size_t bytes) {
  JobRecord& job = jobs_[number.value];
  job.number = number;
  job.id = std::move(id);
  job.submitted_bytes = bytes;
  declared_bytes_ += bytes;
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

bool KnownJobs::has_room(std::size_t bytes, std::size_t jobs) const {
  const std::size_t declared = declared_bytes_ + bytes;
  return declared <= most_declared_ &&
         declared * kDeclaredWeight + (jobs_.size() + jobs) * kBytesPerJob <= most_counted_;
}

std::optional<ApiError> KnownJobs::make_room(std::size_t bytes, std::size_t jobs) {
  while (!has_room(bytes, jobs) && !ended_.empty()) forget_oldest();
  if (has_room(bytes, jobs)) return std::nullopt;
  if (declared_bytes_ + bytes > most_declared_) {
    return ApiError{429, "too_much_declared",
                    "pending and running jobs declare " + std::to_string(most_declared_ >> 20) +
                        " MiB already: retry when some have ended, or declare less"};
  }
  return ApiError{429, "too_much_declared",
                  "the " + std::to_string(jobs_.size()) +
                      " pending and running jobs take all of the daemon's memory that is for jobs: "
                      "retry when some have ended, declare less, or give the daemon more memory"};
}

std::optional<ApiError> KnownJobs::make_room_for_change(const JobRecord& job, std::size_t bytes) {
  if (bytes <= job.changed_bytes) return std::nullopt;
  return make_room(bytes - job.changed_bytes, 0);
}

void KnownJobs::count_change(JobRecord& job, std::size_t bytes) {
  const std::size_t most = std::max(job.changed_bytes, bytes);
  declared_bytes_ += most - job.changed_bytes;
  job.changed_bytes = most;
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
  declared_bytes_ -= oldest->second.submitted_bytes + oldest->second.changed_bytes;
  jobs_.erase(oldest);
}

}  // namespace sluice
