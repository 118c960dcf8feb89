#include "governor/books/contention.h"

#include <algorithm>
#include <bit>

namespace sluice {
namespace {

/// Ganeti's constant: the worst value, 3, on each of its five levels.
constexpr int kGlobalTenths = 150;

/// The four ways two sets of names can meet, as bit numbers within a level's hits.
constexpr unsigned meeting(bool pending_exclusive, bool running_exclusive) {
  return (pending_exclusive ? 2U : 0U) + (running_exclusive ? 1U : 0U);
}

constexpr std::size_t row(LockClass lock_class) { return static_cast<std::size_t>(lock_class); }

}  // namespace

Contention::Contention(const ContentionOptions& options)
    : options_(options), levels_(options.levels.size()) {
  const auto& table = options_.table.tenths;
  for (std::size_t pending = 0; pending < kLockClasses; ++pending) {
    for (std::size_t present = 1; present < row_value_[pending].size(); ++present) {
      std::int16_t worst = 0;
      for (std::size_t running = 0; running < kLockClasses; ++running) {
        if (present >> running & 1U) {
          worst = std::max(worst, table[pending][kMissColumns[running]]);
        }
      }
      row_value_[pending][present] = worst;
    }
    for (const std::int16_t cell : table[pending]) largest_ = std::max<int>(largest_, cell);
  }
  const auto add_hit = [&](LockClass pending, LockTable::Column hit, LockTable::Column miss) {
    const unsigned bit = meeting(pending == LockClass::exclusive, hit == LockTable::exclusive_hit);
    hit_value_[bit] = table[row(pending)][hit];
    if (table[row(pending)][hit] > table[row(pending)][miss]) {
      telling_hits_ |= static_cast<std::uint8_t>(1U << bit);
    }
  };
  LockShape plain;
  std::fill_n(plain.classes.begin(), levels_.size(), class_bit(LockClass::none));
  learn_shape(plain);
  for (const LockClass pending : {LockClass::shared, LockClass::exclusive}) {
    add_hit(pending, LockTable::shared_hit, LockTable::shared_miss);
    add_hit(pending, LockTable::exclusive_hit, LockTable::exclusive_miss);
  }
}

LockProfile Contention::learn(const std::optional<std::vector<LevelLocks>>& locks, bool global) {
  LockShape shape;
  shape.global = global;
  const bool all = !locks && options_.undeclared == Undeclared::all_exclusive;
  const LockClass otherwise = all ? LockClass::all_exclusive : LockClass::none;
  std::fill_n(shape.classes.begin(), levels_.size(), class_bit(otherwise));
  LockProfile profile;
  if (locks) {
    std::size_t names = 0;
    for (const LevelLocks& level : *locks) names += level.shared.size() + level.exclusive.size();
    profile.names.reserve(names);
  }
  for (const LevelLocks& locked : locks ? *locks : std::vector<LevelLocks>{}) {
    const auto found = std::find(options_.levels.begin(), options_.levels.end(), locked.level);
    const auto level = static_cast<std::size_t>(found - options_.levels.begin());
    ClassSet classes = 0;
    const auto add = [&](bool present, LockClass lock_class) {
      if (present) classes |= class_bit(lock_class);
    };
    add(!locked.shared.empty(), LockClass::shared);
    add(locked.unknown_shared, LockClass::unknown_shared);
    add(locked.all_shared, LockClass::all_shared);
    add(!locked.exclusive.empty(), LockClass::exclusive);
    add(locked.unknown_exclusive, LockClass::unknown_exclusive);
    add(locked.all_exclusive, LockClass::all_exclusive);
    if (classes != 0) shape.classes[level] = classes;
    for (const std::string& name : locked.shared) {
      profile.names.push_back(NameUse::shared(learn_name(level, name)));
    }
    for (const std::string& name : locked.exclusive) {
      profile.names.push_back(NameUse::exclusive(learn_name(level, name)));
    }
  }
  profile.shape = learn_shape(shape);
  return profile;
}

std::uint32_t Contention::learn_shape(const LockShape& shape) {
  const auto [found, is_new] =
      shape_numbers_.emplace(shape, static_cast<std::uint32_t>(shapes_.size()));
  if (is_new) shapes_.push_back(shape);
  return found->second;
}

std::uint32_t Contention::learn_name(std::size_t level, const std::string& text) {
  auto& by_text = levels_[level].by_text;
  if (const auto found = by_text.find(text); found != by_text.end()) {
    ++names_[found->second].uses;
    return found->second;
  }
  std::uint32_t number = static_cast<std::uint32_t>(names_.size());
  if (free_names_.empty()) {
    names_.emplace_back();
    held_.emplace_back();
  } else {
    number = free_names_.back();
    free_names_.pop_back();
  }
  names_[number] = {text, 1};
  held_[number] = {static_cast<std::uint8_t>(level), 0, 0};
  by_text.emplace(names_[number].text, number);
  return number;
}

void Contention::forget(const LockProfile& profile) {
  for (const NameUse use : profile.names) {
    Name& name = names_[use.name()];
    if (--name.uses > 0) continue;
    levels_[held_[use.name()].level].by_text.erase(name.text);
    free_names_.push_back(use.name());
  }
}

std::vector<LevelLocks> Contention::tell(const LockProfile& profile) const {
  const LockShape& declared = shapes_[profile.shape];
  std::vector<LevelLocks> locks;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const auto has = [&](LockClass lock_class) {
      return (declared.classes[level] & class_bit(lock_class)) != 0;
    };
    if (has(LockClass::none)) continue;
    LevelLocks& told = locks.emplace_back();
    told.level = options_.levels[level];
    told.unknown_shared = has(LockClass::unknown_shared);
    told.all_shared = has(LockClass::all_shared);
    told.unknown_exclusive = has(LockClass::unknown_exclusive);
    told.all_exclusive = has(LockClass::all_exclusive);
    for (const NameUse use : profile.names) {
      if (held_[use.name()].level != level) continue;
      (use.is_exclusive() ? told.exclusive : told.shared).push_back(names_[use.name()].text);
    }
  }
  return locks;
}

/// Most jobs lock nothing: they are counted once, not per level.
void Contention::change_plain(int by) {
  running_ += static_cast<std::size_t>(by);
  const bool were_some = plain_ > 0;
  plain_ += static_cast<std::uint32_t>(by);
  if (were_some == (plain_ > 0)) return;
  for (Level& level : levels_) {
    const bool is_present = plain_ > 0 || level.running[row(LockClass::none)] > 0;
    const ClassSet others = level.present & static_cast<ClassSet>(~class_bit(LockClass::none));
    level.present =
        is_present ? static_cast<ClassSet>(others | class_bit(LockClass::none)) : others;
  }
  ++version_;
}

void Contention::change(const LockProfile& profile, int by, std::vector<std::uint32_t>& flipped) {
  if (profile.shape == kPlain) return change_plain(by);
  const LockShape& declared = shapes_[profile.shape];
  const auto count = static_cast<std::uint32_t>(by);  // Unsigned: -1 wraps to a decrement.
  running_ += static_cast<std::size_t>(by);
  if (declared.global) {
    running_global_ += static_cast<std::size_t>(by);
    ++version_;
  }
  for (std::size_t at = 0; at < levels_.size(); ++at) {
    Level& level = levels_[at];
    ClassSet present = level.present;
    for (unsigned left = declared.classes[at]; left != 0; left &= left - 1) {
      const auto lock_class = static_cast<unsigned>(std::countr_zero(left));
      level.running[lock_class] += count;
      const auto bit = static_cast<ClassSet>(1U << lock_class);
      if (bit == class_bit(LockClass::none) && plain_ > 0) continue;
      present =
          static_cast<ClassSet>(level.running[lock_class] > 0 ? present | bit : present & ~bit);
    }
    if (present != level.present) ++version_;
    level.present = present;
  }
  for (const NameUse use : profile.names) {
    Held& name = held_[use.name()];
    std::uint32_t& holders = use.is_exclusive() ? name.exclusive : name.shared;
    const bool was_held = holders > 0;
    holders += count;
    if (was_held != (holders > 0)) flipped.push_back(use.name());
  }
}

Hits Contention::hits_of(NameUse use) const {
  const Held& name = held_[use.name()];
  unsigned met = 0;
  if (name.shared > 0) met |= 1U << meeting(use.is_exclusive(), false);
  if (name.exclusive > 0) met |= 1U << meeting(use.is_exclusive(), true);
  return static_cast<Hits>(met & telling_hits_) << (4 * name.level);
}

Hits Contention::hits_of(const LockProfile& profile) const {
  Hits hits = 0;
  for (const NameUse use : profile.names) hits |= hits_of(use);
  return hits;
}

int Contention::value_of(ClassSet pending, ClassSet running, Hits hits) const {
  if (running == 0) return 0;
  int value = 0;
  for (unsigned left = pending; left != 0; left &= left - 1) {
    const auto lock_class = static_cast<std::size_t>(std::countr_zero(left));
    value = std::max<int>(value, row_value_[lock_class][running]);
  }
  for (unsigned left = static_cast<unsigned>(hits); left != 0; left &= left - 1) {
    const auto met = static_cast<std::size_t>(std::countr_zero(left));
    value = std::max<int>(value, hit_value_[met]);
  }
  return value;
}

int Contention::level_value(std::uint32_t shape, Hits hits, std::size_t level) const {
  return value_of(shapes_[shape].classes[level], levels_[level].present, hits >> (4 * level) & 0xf);
}

int Contention::spv(std::uint32_t shape, Hits hits) const {
  if (shapes_[shape].global || running_global_ > 0) return base() + kGlobalTenths;
  int sum = base();
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    sum += level_value(shape, hits, level);
  }
  return sum;
}

std::optional<std::size_t> Contention::certain_conflict(std::uint32_t shape, Hits hits) const {
  if (running_ == 0) return std::nullopt;
  if (shapes_[shape].global || running_global_ > 0) return levels_.size();
  if (largest_ == 0) return std::nullopt;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    if (level_value(shape, hits, level) == largest_) return level;
  }
  return std::nullopt;
}

Hits Contention::hits_between(const LockProfile& pending, const LockProfile& running,
                              std::size_t level) const {
  unsigned met = 0;
  for (const NameUse mine : pending.names) {
    if (held_[mine.name()].level != level) continue;
    for (const NameUse theirs : running.names) {
      if (mine.name() == theirs.name())
        met |= 1U << meeting(mine.is_exclusive(), theirs.is_exclusive());
    }
  }
  return met & telling_hits_;
}

int Contention::value_against(const LockProfile& pending, const LockProfile& running,
                              std::size_t level) const {
  return value_of(shapes_[pending.shape].classes[level], shapes_[running.shape].classes[level],
                  hits_between(pending, running, level));
}

bool Contention::certainly_blocks(const LockProfile& pending, const LockProfile& running) const {
  if (shapes_[pending.shape].global || shapes_[running.shape].global) return true;
  if (largest_ == 0) return false;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    if (value_against(pending, running, level) == largest_) return true;
  }
  return false;
}

}  // namespace sluice
