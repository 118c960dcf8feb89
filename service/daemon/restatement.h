#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "record/entry.h"
#include "service/jobs/job_record.h"
#include "service/jobs/known_jobs.h"
#include "sluice/units.h"

// What the record of decisions tells again, because a reader may have lost what it told before.

namespace sluice {

/// The most jobs that are told again at once.
inline constexpr std::size_t kMostRestated = 4096;

/// The numbers of those that wait or run; nullopt if they are too many for an entry.
std::optional<std::vector<JobId>> numbers_of_unended(const KnownJobs::Records& jobs);

/// Those of the API that wait or run and whose starts and ends are recorded, and all that were
/// fetched.
struct LiveJobs {
  std::vector<const JobRecord*> first;  ///< Up to `kMostRestated`: those that run, by number, then
                                        ///< those that wait, by number.
  std::size_t all = 0;
};
LiveJobs live_jobs(const KnownJobs::Records& jobs, const std::map<JobId, JobRecord>& fetched);

/// The bytes that the entry takes as recorded.
std::size_t bytes_of(const record::Entry& entry);

}  // namespace sluice
