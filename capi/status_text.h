#pragma once

#include <string>
#include <vector>

#include "sluice/explanation.h"
#include "sluice/job.h"
#include "sluice/status.h"

namespace sluice::capi {

/// The status as JSON, with the names of GET /v1/status.
std::string status_text(const Status& status);

/// Items by manager as JSON. Pure.
std::string items_text(const std::vector<HeldItems>& items);

/// The lines of an explanation. Pure.
std::string explanation_text(const Explanation& explanation, TimePoint now);

}  // namespace sluice::capi
