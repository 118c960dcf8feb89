#pragma once

#include <cstddef>

namespace sluice {

/// Reserved memory that lets a change of the accounts complete once it has begun: a failing
/// allocation draws on it and succeeds. std::bad_alloc is thrown only in a `Fallible` scope, at
/// once, and everywhere when the reserve is used up.
///
/// One per process, because there is one new handler; a second one reserves nothing.
class MemoryReserve {
 public:
  /// Untouched pages take address space but no memory. The size is the growth of the largest table
  /// of a hundred thousand jobs.
  static constexpr std::size_t kBytes = std::size_t{16} << 20;

  MemoryReserve();
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  /// Restores the reserve if it was used; true if all of it is there. No change may begin without.
  bool refill();

 private:
  bool is_first_;
};

/// While this exists, allocations of this thread may fail: nothing has changed yet.
class Fallible {
 public:
  Fallible();
  ~Fallible();
  Fallible(const Fallible&) = delete;
  Fallible& operator=(const Fallible&) = delete;

 private:
  bool before_;
};

/// The reverse, within a `Fallible`: changes from here on complete.
class Infallible {
 public:
  Infallible();
  ~Infallible();
  Infallible(const Infallible&) = delete;
  Infallible& operator=(const Infallible&) = delete;

 private:
  bool before_;
};

}  // namespace sluice
