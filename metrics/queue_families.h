#pragma once

#include "metrics/families.h"
#include "sluice/status.h"

namespace sluice {

/// The configured queues, each with its branches: clients name those, so they are no labels. Pure.
std::vector<QueueStatus> without_branches(const std::vector<QueueStatus>& queues);

/// The families of all queues, and of all resource managers.
void append_queues(Families& families, const Status& status);
void append_resources(Families& families, const Status& status);

}  // namespace sluice
