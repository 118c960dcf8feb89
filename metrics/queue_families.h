#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "metrics/families.h"
#include "sluice/status.h"

namespace sluice {

/// The configured queues, each with its branches: clients name those, so they are no labels. Pure.
std::vector<QueueStatus> without_branches(const std::vector<QueueStatus>& queues);

/// Calls `visit` with the name of each refusal code, and whether it is that of `limiting`.
template <typename Visit>
void for_each_limit(const std::optional<Refusal>& limiting, Visit visit) {
  for (std::size_t i = 0; i < kRefusalCodes; ++i) {
    const auto code = static_cast<RefusalCode>(i);
    visit(to_string(code), limiting && limiting->code == code);
  }
}

/// The families of all queues, and of all resource managers.
void append_queues(Families& families, const Status& status);
void append_resources(Families& families, const Status& status);

}  // namespace sluice
