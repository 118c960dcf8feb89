#pragma once

#include <string>

#include "service/api/timeline.h"
#include "service/api/view.h"

namespace sluice {

/// The answer to `GET /v1/history`, as docs/api.md describes it: columns, oldest first.
std::string history_json(const Timeline& timeline, const Instant& instant);

}  // namespace sluice
