#pragma once

#include <cstddef>

namespace sluice {

/// Memory that is kept back, so that a change of the accounts is finished once it has begun: an
/// allocation that fails draws on it and succeeds. Only in a `Fallible` scope it throws
/// std::bad_alloc at once, as it does everywhere when the reserve is used up.
///
/// One for each process, as a new handler is; of two, the second keeps nothing back.
class MemoryReserve {
 public:
  /// Never touched, it takes address space and no memory. As much as the largest table of a hundred
  /// thousand jobs may grow by.
  static constexpr std::size_t kBytes = std::size_t{16} << 20;

  MemoryReserve();
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  /// Whether all of it is there, taken again where it was used: no change may begin without.
  bool refill();

 private:
  bool is_first_;
};

/// While this lives, allocations of this thread may fail: nothing has been changed yet.
class Fallible {
 public:
  Fallible();
  ~Fallible();
  Fallible(const Fallible&) = delete;
  Fallible& operator=(const Fallible&) = delete;

 private:
  bool before_;
};

/// The other way round, within a `Fallible`: what is changed from here on is changed whole.
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
