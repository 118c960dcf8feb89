#pragma once

#include <concepts>

namespace sluice {

/// How often a property is tried on random input: `count` times, and an eighth of that under a
/// sanitizer, which is an order of magnitude slower and looks for what the first repetitions show.
constexpr auto repetitions(std::integral auto count) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return count / 8;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return count / 8;
#else
  return count;
#endif
#else
  return count;
#endif
}

}  // namespace sluice
