#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice {

/// Maximum length of a lock, level, queue or manager name, in bytes.
inline constexpr std::size_t kMostNameBytes = 255;
/// Maximum number of names in one lock declaration, over all levels.
inline constexpr std::size_t kMostLockNames = 1000;

/// Maximum number of levels.
inline constexpr std::size_t kMostLevels = 16;

/// A job's locks on one level. Several members may be set: a job of several steps declares the
/// union of their locks, and the largest value counts. Nothing set: no lock on that level. Source:
/// the lock types of Ganeti's "Predictive Queue System".
struct LevelLocks {
  std::string level;
  std::vector<std::string> shared;     ///< Locked by name, shared.
  std::vector<std::string> exclusive;  ///< Locked by name, exclusive.
  bool unknown_shared = false;         ///< At least one, shared; not known which.
  bool all_shared = false;             ///< Every lock of the level, shared.
  bool unknown_exclusive = false;      ///< At least one, exclusive; not known which.
  bool all_exclusive = false;          ///< Every lock of the level, exclusive.

  bool operator==(const LevelLocks&) const = default;
};

/// Parses "exclusive:i1,i2", "unknown-shared", "none", or several of them separated by blanks:
/// "shared:a,b exclusive:c". The modes are none, shared:, unknown-shared, all-shared, exclusive:,
/// unknown-exclusive, all-exclusive. Names are sorted and deduplicated. The error is a sentence
/// without the level's name. Pure.
std::variant<LevelLocks, std::string> parse_locks(std::string level, std::string_view text);

/// The inverse of `parse_locks`, in one canonical form; "none" if nothing is set.
std::string to_text(const LevelLocks& locks);

/// The error in a name of a lock, level, queue or manager ("must not be empty"); empty if the name
/// is valid: 1 to `kMostNameBytes` bytes, no control character, blank or comma.
std::string problem_of_name(std::string_view name);

}  // namespace sluice
