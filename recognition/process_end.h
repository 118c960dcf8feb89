#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sluice/job.h"
#include "sluice/usage.h"

namespace sluice {

/// What is known of the end of a process.
struct ProcessEnd {
  bool has_ended = true;  ///< Else it has become another program.
  std::optional<int>
      status;               ///< As `wait` returns it; only its parent and the kernel's events tell.
  std::uint64_t kills = 0;  ///< See `KillCounter`: for memory, while it ran.
};

/// Outcome of its job: `unknown` if it only became another program; `oom` if SIGKILL ended it and
/// the kernel killed for memory while it ran. Without an exit status, it is `unknown` if it held
/// much and the kernel killed for memory while it ran, else `ok`. Pure.
Outcome outcome_of(const ProcessEnd& end, const JobUsage& usage);

/// "cc1plus foo.cc" for its key. Pure.
std::string name_of_run(const std::string& key);

}  // namespace sluice
