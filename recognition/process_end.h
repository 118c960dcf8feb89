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

/// How its job ended. SIGKILL while the kernel kills for memory counts as killed for it. Where its
/// status is unknown, it ended well, unless it held much while the kernel killed something: then
/// nobody knows. Pure.
Outcome outcome_of(const ProcessEnd& end, const JobUsage& usage);

/// "cc1plus foo.cc" for its key. Pure.
std::string name_of_run(const std::string& key);

}  // namespace sluice
