#pragma once

#include <string_view>

#include "sluice/job.h"

namespace sluice {

/// How `JobRequest::user` begins for jobs that the daemon takes from Gearman servers; the user of a
/// client is empty, a number or "tcp".
inline constexpr std::string_view kGearmanUser = "gearman:";

/// Whether the daemon itself took the job from a work source, or keeps room for one.
inline bool is_of_work_source(const JobRequest& job) { return job.user.starts_with(kGearmanUser); }

}  // namespace sluice
