#pragma once

namespace sluice {

/// Base of classes whose objects are neither copied nor moved.
class NonCopyable {
 public:
  NonCopyable() = default;
  NonCopyable(const NonCopyable&) = delete;
  NonCopyable& operator=(const NonCopyable&) = delete;
};

}  // namespace sluice
