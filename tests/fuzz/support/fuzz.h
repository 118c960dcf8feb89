#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace sluice::fuzz {

/// What a target is: takes one input, whatever it holds, and returns. Defined once in each target.
/// Reading behind the end of the view is found.
void one_input(std::string_view text);

/// Ends the process where a promise is not kept, so that the input is found to be a bad one.
inline void require(bool kept, const char* promise) {
  if (kept) return;
  std::fprintf(stderr, "not kept: %s\n", promise);
  std::abort();
}

}  // namespace sluice::fuzz
