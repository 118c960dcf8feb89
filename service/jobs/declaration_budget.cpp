// Bounds how much is known of jobs at once.
#include "service/jobs/job_store.h"
#include "service/jobs/jobs.h"

namespace sluice {

std::optional<ApiError> Jobs::make_room(std::size_t bytes) {
  while (declared_bytes_ + bytes > links_.most_declared_bytes && !ended_.empty()) forget_oldest();
  if (declared_bytes_ + bytes <= links_.most_declared_bytes) return std::nullopt;
  return ApiError{429,
                  "too_much_declared",
                  "pending and running jobs declare " +
                      std::to_string(links_.most_declared_bytes >> 20) +
                      " MiB already: retry when some have ended, or declare less",
                  "",
                  {}};
}

void Jobs::release_memory() {
  forget_all_but(kRememberedAfterCrowd);
  if (store_) store_->release_memory();
}

void Jobs::forget_all_but(std::size_t ended) {
  while (ended_.size() > ended) forget_oldest();
}

void Jobs::forget_oldest() {
  const auto oldest = jobs_.find(ended_.front().value);
  ended_.pop_front();
  const auto named = by_id_.find(oldest->second.id);
  if (named != by_id_.end() && named->second == oldest->second.number) by_id_.erase(named);
  declared_bytes_ -= oldest->second.submitted_bytes + oldest->second.changed_bytes;
  jobs_.erase(oldest);
}

}  // namespace sluice
