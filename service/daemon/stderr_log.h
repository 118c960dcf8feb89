#pragma once

#include <string>

#include "base/log.h"

namespace sluice {

/// Logs to standard error. Under a service manager each line starts with its priority, "<6>", and
/// without a time, which the journal adds; otherwise with time and level, in colour only on a
/// terminal. `origin` is before all but the priority: where daemons share a file, "[PID] ".
Log log_to_stderr(const std::string& origin);

}  // namespace sluice
