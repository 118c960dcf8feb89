#pragma once

#include "sluice/queueing.h"

namespace sluice {

/// Throws std::invalid_argument, naming the field, if an option is out of range or a name is
/// unknown.
void check_queueing(const QueueingOptions& options);

}  // namespace sluice
