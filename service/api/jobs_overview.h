#pragma once

#include <functional>
#include <string>
#include <vector>

#include "service/api/view.h"
#include "sluice/job.h"

namespace sluice {

/// Lists at most this many running and this many pending jobs.
inline constexpr std::size_t kOverviewJobs = 50;

/// The jobs at a glance, as one line of JSON: their number, the longest-running ones, and pending
/// ones, listing the first of each queue before the second of any. `views`: in the governor's
/// order. `suspended`: why a running job is suspended; nullptr if it is not.
std::string jobs_overview_json(const std::vector<JobView>& views, const JobNames& names,
                               const std::function<const Suspension*(JobId)>& suspended,
                               TimePoint now);

}  // namespace sluice
