#pragma once

#include <string>

#include "record/segment.h"

namespace sluice::cli {

/// The word for no user at all.
inline constexpr const char* kNobody = "nobody";

/// Passes entries on to `each` with other users' jobs by number alone: without id, key, program,
/// queue, locks and resources. `user` is the uid whose jobs keep their names, or `kNobody`; empty:
/// all do. Throws Unusable, after a line that begins with `what` on standard error, if it is none
/// of these.
record::OnEntry naming_jobs_of(const char* what, const std::string& user, record::OnEntry each);

}  // namespace sluice::cli
