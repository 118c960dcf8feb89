#pragma once

#include <cstdint>

#include "record/job_entry.h"
#include "service/jobs/job_record.h"
#include "service/protocol/change.h"
#include "sluice/governor.h"
#include "sluice/units.h"

// What the record says of a job of the daemon.

namespace sluice {

/// As the record has fractions.
std::int64_t thousandths(double number);

record::JobSubmitted submitted_entry(const JobRecord& job);
record::JobChanged changed_entry(JobId job, const Change& change);
/// Of a job with a refusal.
record::JobWaits waits_entry(const JobView& job);
/// `usage`, `size`: of the window, with the job. `kept`: memory kept for it.
record::JobStarted started_entry(const JobRecord& job, Points usage, Points size, Bytes kept);
/// Of a job that waits or runs. `kept`: memory kept for it.
record::JobRestated restated_entry(const JobRecord& job, Bytes kept);
record::JobFinished finished_entry(const JobRecord& job);

}  // namespace sluice
