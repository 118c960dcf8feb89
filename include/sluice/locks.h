#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice {

/// Longest name of a lock, a level, a queue or a manager, in bytes.
inline constexpr std::size_t kMostNameBytes = 255;
/// Most names in one lock declaration, all levels together.
inline constexpr std::size_t kMostLockNames = 1000;

/// What a job locks on one level. Any of these may be set at once: a job of several steps declares
/// the union of what they lock, and the largest value counts. Nothing set: no lock there.
/// Source: the lock types of Ganeti's "Predictive Queue System".
struct LevelLocks {
  std::string level;
  std::vector<std::string> shared;     ///< Locked by name, shared.
  std::vector<std::string> exclusive;  ///< Locked by name, exclusive.
  bool unknown_shared = false;         ///< At least one, shared, nobody knows which.
  bool all_shared = false;             ///< Every lock of the level, shared.
  bool unknown_exclusive = false;      ///< At least one, exclusive, nobody knows which.
  bool all_exclusive = false;          ///< Every lock of the level, exclusive.

  bool operator==(const LevelLocks&) const = default;
};

/// Reads "exclusive:i1,i2", "unknown-shared", "none", or several of them separated by blanks:
/// "shared:a,b exclusive:c". The modes are none, shared:, unknown-shared, all-shared, exclusive:,
/// unknown-exclusive, all-exclusive. Names collapse and come out sorted. The error is a sentence
/// without the level's name. Pure.
std::variant<LevelLocks, std::string> parse_locks(std::string level, std::string_view text);

/// The same text back, in one canonical form; "none" where nothing is set.
std::string to_text(const LevelLocks& locks);

/// What is wrong with a name of a lock, level, queue or manager ("must not be empty"); empty:
/// nothing. Names have 1 to `kMostNameBytes` bytes, none of them a control character, a blank or a
/// comma.
std::string problem_of_name(std::string_view name);

}  // namespace sluice
