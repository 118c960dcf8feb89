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

/// Runs a command of simple words whose standard output is a pipe that nobody reads; its text is
/// that of standard error, and its status 128 + the number of the signal that ended it.
inline Answer unread_output(const std::string& command) {
  return answer_of(
      "python3 -c 'import os, subprocess, sys; gone, output = os.pipe(); os.close(gone); "
      "status = subprocess.call(sys.argv[1:], stdout=output); "
      "sys.exit(status if status >= 0 else 128 - status)' " +
      command);
}

/// The signals up to 28 that a process ignores which `before` starts, as the kernel shows them: 32
/// and 33 are the C library's.
inline std::string ignored_below(const std::string& before) {
  return answer_of("(" + before + " grep SigIgn /proc/self/status 2>/dev/null) | tail -c 8").text;
}

}  // namespace sluice::testing
