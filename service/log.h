#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace sluice {

enum class LogLevel { info, warning, error };

/// Takes one line for people. Thread-safe.
using Log = std::function<void(LogLevel, std::string_view)>;

/// To standard error. Under a service manager each line begins with its priority, "<6>", and has no
/// time, which the journal adds; otherwise with time and level, in colours only on a terminal.
Log log_to_stderr();

}  // namespace sluice
