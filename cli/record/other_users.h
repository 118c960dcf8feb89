#pragma once

#include <string>

#include "record/segment.h"

namespace sluice::cli {

/// The word for no user at all.
inline constexpr const char* kNobody = "nobody";

/// Stands for what a job waits for or was moved to, where its name is somebody's.
inline constexpr const char* kHidden = "(hidden)";

/// Passes entries on to `each` with other users' jobs by number alone: without id, key, program,
/// queue, locks and resources, and what operators did without names. `user` is the uid whose jobs
/// keep their names, or `kNobody`; empty: all do. Throws std::runtime_error, with a line for the
/// user of --names-of, if it is none of these.
record::OnEntry naming_jobs_of(const std::string& user, record::OnEntry each);

}  // namespace sluice::cli
