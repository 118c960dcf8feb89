#pragma once

#include "base/log.h"

namespace sluice {

/// To standard error. Under a service manager each line begins with its priority, "<6>", and has no
/// time, which the journal adds; otherwise with time and level, in colours only on a terminal.
Log log_to_stderr();

}  // namespace sluice
