#pragma once

#include <gtest/gtest.h>

#include <string>

#include "in_ci.h"
#include "shell.h"

namespace sluice::testing {

/// Whether a program is missing, so that a test must skip itself. In CI that is a failure.
inline bool is_missing(const std::string& program) {
  const bool missing = answer_of("command -v " + program).status != 0;
  if (missing && in_ci()) ADD_FAILURE() << program << " is not installed";
  return missing;
}

/// The Python that has these modules ("pytest, xdist"): Debian's, where another one comes first.
/// Empty if none has them, which in CI is a failure.
inline std::string python_with(const std::string& modules) {
  for (const std::string python : {"python3", "/usr/bin/python3"}) {
    if (answer_of(python + " -c 'import " + modules + "'").status == 0) return python;
  }
  if (in_ci()) ADD_FAILURE() << "no Python has " << modules;
  return "";
}

}  // namespace sluice::testing
