#pragma once

#include <functional>
#include <string>
#include <vector>

#include "service/api/view.h"
#include "sluice/job.h"

namespace sluice {

/// So many running and so many pending jobs are listed.
inline constexpr std::size_t kOverviewJobs = 50;

/// What people want to see of the jobs at a glance, as JSON on one line: how many there are, those
/// that run longest, and of those that wait the first of each queue before the second of any.
/// `views`: as the governor lists them. `suspended`: why a running job stands still; null: it
/// does not.
std::string jobs_overview_json(const std::vector<JobView>& views, const JobNames& names,
                               const std::function<const Suspension*(JobId)>& suspended,
                               TimePoint now);

}  // namespace sluice
