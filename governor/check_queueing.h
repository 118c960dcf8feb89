#pragma once

#include "sluice/queueing.h"

namespace sluice {

/// Throws std::invalid_argument, naming the field, for options out of range or a name that is not
/// there.
void check_queueing(const QueueingOptions& options);

}  // namespace sluice
