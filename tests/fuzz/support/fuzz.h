#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace sluice::fuzz {

/// The target: takes one input with any content, and returns. Defined once per target. Detects
/// reads past the end of the view.
void one_input(std::string_view text);

/// Aborts the process if a promise is broken, which marks the input as bad.
inline void require(bool kept, const char* promise) {
  if (kept) return;
  std::fprintf(stderr, "not kept: %s\n", promise);
  std::abort();
}

}  // namespace sluice::fuzz
