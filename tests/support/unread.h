#pragma once

#include <string>

#include "shell.h"

namespace sluice::testing {

/// Runs a command of simple words whose standard error is a pipe that nobody reads.
inline Answer unread(const std::string& command) {
  return answer_of(
      "python3 -c 'import os, subprocess, sys; gone, error = os.pipe(); os.close(gone); "
      "sys.exit(subprocess.call(sys.argv[1:], stderr=error))' " +
      command);
}

/// The signals that a process ignores which `before` starts, as the kernel shows them.
inline std::string ignored_below(const std::string& before) {
  return answer_of(before + " grep SigIgn /proc/self/status 2>/dev/null").text;
}

}  // namespace sluice::testing
