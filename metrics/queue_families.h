#pragma once

#include "metrics/families.h"
#include "sluice/status.h"

namespace sluice {

/// The families of all queues, and of all resource managers.
void append_queues(Families& families, const Status& status);
void append_resources(Families& families, const Status& status);

}  // namespace sluice
