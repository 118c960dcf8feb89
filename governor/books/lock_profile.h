#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sluice/locks.h"

namespace sluice {

/// The lock classes of Ganeti's "Predictive Queue System", in the order of the table's rows.
enum class LockClass : std::uint8_t {
  none,
  shared,
  unknown_shared,
  all_shared,
  exclusive,
  unknown_exclusive,
  all_exclusive
};
inline constexpr std::size_t kLockClasses = 7;

/// A set of lock classes, one bit each. A job that locks nothing on a level has {none} there.
using ClassSet = std::uint8_t;

constexpr ClassSet class_bit(LockClass lock_class) {
  return static_cast<ClassSet>(1U << static_cast<unsigned>(lock_class));
}

/// A declaration without its names.
struct LockShape {
  std::array<ClassSet, kMostLevels> classes{};
  bool global = false;

  auto operator<=>(const LockShape&) const = default;
};

/// One name that a job locks, and how.
class NameUse {
 public:
  static NameUse shared(std::uint32_t name) { return NameUse(name << 1); }
  static NameUse exclusive(std::uint32_t name) { return NameUse(name << 1 | 1U); }

  std::uint32_t name() const { return both_ >> 1; }
  bool is_exclusive() const { return (both_ & 1U) != 0; }
  /// Name and mode as one number.
  std::uint32_t number() const { return both_; }

  std::uint32_t at = 0;  ///< For use by the job's container.

 private:
  explicit NameUse(std::uint32_t both) : both_(both) {}

  std::uint32_t both_;
};

/// A job's locks, with names and shape as numbers.
struct LockProfile {
  std::uint32_t shape = 0;
  std::vector<NameUse> names;
};

/// The names of a pending job that running jobs lock too: four bits per level.
using Hits = std::uint64_t;

}  // namespace sluice
