#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>

namespace sluice {

/// Whose a process is.
struct ProcessUsers {
  uid_t real = 0;       ///< Who started it.
  uid_t effective = 0;  ///< With whose rights it runs.

  bool operator==(const ProcessUsers&) const = default;
};

/// The text of /proc/PID/status; none for a text of another form. Pure.
std::optional<ProcessUsers> parse_process_users(std::string_view status);

/// None: there is no such process, or it cannot be seen.
std::optional<ProcessUsers> users_of(pid_t process);

}  // namespace sluice
