#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "governor/books/lock_profile.h"
#include "sluice/locks.h"
#include "sluice/queueing.h"

namespace sluice {

/// The column of the table for each class of a running job's locks whose names do not meet.
inline constexpr std::array<LockTable::Column, kLockClasses> kMissColumns{
    LockTable::none,          LockTable::shared_miss,    LockTable::unknown_shared,
    LockTable::all_shared,    LockTable::exclusive_miss, LockTable::unknown_exclusive,
    LockTable::all_exclusive,
};

/// The locks of all running jobs, indexed so that a pending job is compared with all of them at
/// once: per level the number of running jobs of each class, and per name how many lock it shared
/// and exclusive. The maximum over all running jobs is then a lookup by the set of classes present,
/// since a set's cell is never below its cell for other names. Costs the same for ten running jobs
/// as for ten thousand. Not thread-safe.
class Contention {
 public:
  explicit Contention(const ContentionOptions& options);

  /// Converts a declaration to numbers. Its names are kept until `forget`. Levels must be known.
  LockProfile learn(const std::optional<std::vector<LevelLocks>>& locks, bool global);
  void forget(const LockProfile& profile);
  /// The inverse of `learn`: levels in the order of the options, without those that lock nothing.
  std::vector<LevelLocks> tell(const LockProfile& profile) const;

  /// A job starts or ends. `flipped` receives the names whose set of modes locked by running jobs
  /// changed.
  void start(const LockProfile& profile, std::vector<std::uint32_t>& flipped) {
    change(profile, 1, flipped);
  }
  void finish(const LockProfile& profile, std::vector<std::uint32_t>& flipped) {
    change(profile, -1, flipped);
  }

  /// The bits that one name of a pending job sets. Bits that change no value are never set.
  Hits hits_of(NameUse use) const;
  Hits hits_of(const LockProfile& profile) const;

  /// The value of one level, and the SPV, in tenths: SPV = base + sum; base + 15.0 with a global
  /// lock.
  int level_value(std::uint32_t shape, Hits hits, std::size_t level) const;
  int spv(std::uint32_t shape, Hits hits) const;

  /// Where a job would certainly block: the first level whose value is the table's largest;
  /// `levels().size()` for the global lock; nullopt if nowhere.
  std::optional<std::size_t> certain_conflict(std::uint32_t shape, Hits hits) const;

  /// The value that one running job alone adds to a level of a pending job, in tenths.
  int value_against(const LockProfile& pending, const LockProfile& running,
                    std::size_t level) const;
  /// Whether the pending job would certainly block on the running one.
  bool certainly_blocks(const LockProfile& pending, const LockProfile& running) const;

  const LockShape& shape(std::uint32_t number) const { return shapes_[number]; }
  const std::vector<std::string>& levels() const { return options_.levels; }
  int base() const { return options_.base_tenths; }
  std::size_t running() const { return running_; }
  /// Changes whenever the SPV of a shape may have changed while its hits did not.
  std::uint64_t version() const { return version_; }

 private:
  static constexpr std::uint32_t kPlain = 0;  ///< The shape of a job that locks nothing.

  struct Name {
    std::string text;
    std::uint32_t uses = 0;  ///< Profiles that name it; 0 if free.
  };
  /// The use of a name by running jobs. Apart from its text because it is read all the time.
  struct Held {
    std::uint8_t level = 0;
    std::uint32_t shared = 0, exclusive = 0;  ///< Running jobs that lock it.
  };
  struct Level {
    std::array<std::uint32_t, kLockClasses> running{};
    ClassSet present = 0;
    std::unordered_map<std::string_view, std::uint32_t> by_text;
  };
  std::uint32_t learn_shape(const LockShape& shape);
  std::uint32_t learn_name(std::size_t level, const std::string& text);
  void change_plain(int by);
  int value_of(ClassSet pending, ClassSet running, Hits hits) const;
  Hits hits_between(const LockProfile& pending, const LockProfile& running,
                    std::size_t level) const;
  void change(const LockProfile& profile, int by, std::vector<std::uint32_t>& flipped);

  ContentionOptions options_;
  /// By pending class and set of classes present, for names that do not intersect.
  std::array<std::array<std::int16_t, 1U << kLockClasses>, kLockClasses> row_value_{};
  std::array<std::int16_t, 4> hit_value_{};
  std::uint8_t telling_hits_ = 0;  ///< Those of the four whose value exceeds that of a miss.
  int largest_ = 0;

  std::vector<LockShape> shapes_;
  std::map<LockShape, std::uint32_t> shape_numbers_;
  std::deque<Name> names_;  ///< Never moved: `by_text` points into the texts.
  std::vector<Held> held_;
  std::vector<std::uint32_t> free_names_;
  std::vector<Level> levels_;
  std::size_t running_global_ = 0;
  std::size_t running_ = 0;
  std::uint32_t plain_ = 0;  ///< Those of `running_` that lock nothing at all.
  std::uint64_t version_ = 0;
};

}  // namespace sluice
