#pragma once

#include <functional>
#include <string_view>

namespace sluice {

enum class LogLevel { info, warning, error };

/// Receives one line for people. Thread-safe.
using Log = std::function<void(LogLevel, std::string_view)>;

}  // namespace sluice
