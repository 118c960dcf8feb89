#pragma once

#include <cstdlib>

namespace sluice::testing {

/// In CI, whatever a test needs is there. CI= (empty) is not CI.
inline bool in_ci() {
  const char* ci = std::getenv("CI");
  return ci && *ci != '\0';
}

}  // namespace sluice::testing
