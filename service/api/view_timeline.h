#pragma once

#include <string>

#include "service/api/timeline.h"
#include "service/api/view.h"

namespace sluice {

/// The answer to `GET /v1/timeline`, as docs/api.md describes it: columns, oldest first.
std::string timeline_json(const Timeline& timeline, const Instant& instant);

}  // namespace sluice
