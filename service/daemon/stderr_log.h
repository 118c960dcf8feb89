#pragma once

#include "base/log.h"

namespace sluice {

/// Logs to standard error. Under a service manager each line starts with its priority, "<6>", and
/// without a time, which the journal adds; otherwise with time and level, in colour only on a
/// terminal.
Log log_to_stderr();

}  // namespace sluice
