#pragma once

#include <string>
#include <vector>

#include "sensors/cgroup/held_folder.h"

namespace sluice {

/// How the executor gives its cgroup to the daemon on the same host.
struct AttachOptions {
  /// `once`: attach and return. `hold`: stay, and attach again after the daemon restarts. `before`:
  /// become `command`, and leave a small process behind that does what `hold` does until the
  /// command has ended.
  enum class Stay { once, hold, before };
  /// The part of the daemon's answer to print.
  enum class Print { sentence, json };

  Stay stay = Stay::hold;
  Print print = Print::sentence;
  std::string socket;  ///< Empty for the default search.
  std::vector<std::string> command;
};

/// Attaches. Returns the exit status: 0; 2 if the daemon refused or none appeared within ten
/// seconds; under `before` 127 or 126 if the command cannot be run. Reports problems on standard
/// error.
int attach(const AttachOptions& options);

/// The body of `POST /v1/attach`; the descriptors of `folders` go with it, in the same order. Pure.
std::string attach_body(const std::vector<GroupFolder>& folders);

}  // namespace sluice
