#pragma once

#include <string>

#include "service/api/timeline.h"
#include "service/api/view.h"

namespace sluice {

/// The answer to `GET /v1/history`, in the words of docs/api.md: columns, oldest first.
std::string history_json(const Timeline& timeline, const Instant& instant);

}  // namespace sluice
