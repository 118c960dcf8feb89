#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>

namespace sluice {

/// The users of a process.
struct ProcessUsers {
  uid_t real = 0;       ///< The user that started it.
  uid_t effective = 0;  ///< The user whose rights it has.

  bool operator==(const ProcessUsers&) const = default;
};

/// Parses /proc/PID/status; nullopt if malformed. Pure.
std::optional<ProcessUsers> parse_process_users(std::string_view status);

/// nullopt if there is no such process, or it is not visible.
std::optional<ProcessUsers> users_of(pid_t process);

}  // namespace sluice
