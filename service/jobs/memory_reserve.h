#pragma once

#include <cstddef>

#include "base/non_copyable.h"

namespace sluice {

/// Reserved memory that lets a change of the accounts complete once it has begun: a failing
/// allocation draws on it and succeeds. std::bad_alloc is thrown only in a `Fallible` scope, at
/// once, and everywhere when the reserve is used up.
///
/// One per process, because there is one new handler; a second one reserves nothing.
class MemoryReserve : NonCopyable {
 public:
  /// Untouched pages take address space but no memory. The size is the growth of the largest table
  /// of a hundred thousand jobs.
  static constexpr std::size_t kBytes = std::size_t{16} << 20;

  MemoryReserve();
  ~MemoryReserve();

  /// Restores the reserve if it was used; true if all of it is there. No change may begin without.
  bool refill();

 private:
  bool is_first_;
};

/// While this exists, allocations of this thread may fail: nothing has changed yet.
class Fallible : NonCopyable {
 public:
  Fallible();
  ~Fallible();

 private:
  bool before_;
};

/// The reverse, within a `Fallible`: changes from here on complete.
class Infallible : NonCopyable {
 public:
  Infallible();
  ~Infallible();

 private:
  bool before_;
};

}  // namespace sluice
