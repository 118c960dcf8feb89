#pragma once

#include <string>

#include "sluice/explanation.h"
#include "sluice/status.h"

namespace sluice::capi {

/// The status as JSON, with the names of GET /v1/status.
std::string status_text(const Status& status);

/// The lines of an explanation. Pure.
std::string explanation_text(const Explanation& explanation, TimePoint now);

}  // namespace sluice::capi
