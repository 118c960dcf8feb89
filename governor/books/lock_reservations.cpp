#include "governor/books/lock_reservations.h"

#include <algorithm>

namespace sluice {
namespace {

constexpr std::size_t kShared = static_cast<std::size_t>(LockClass::shared);
constexpr std::size_t kExclusive = static_cast<std::size_t>(LockClass::exclusive);

}  // namespace

LockReservations::LockReservations(const ContentionOptions& options)
    : levels_(options.levels.size()), by_class_(options.levels.size()) {
  const auto& table = options.table.tenths;
  std::int16_t largest = 0;
  for (const auto& row : table)
    largest = std::max(largest, *std::max_element(row.begin(), row.end()));
  if (largest == 0) return;
  for (std::size_t one = 0; one < kLockClasses; ++one) {
    for (std::size_t other = 0; other < kLockClasses; ++other) {
      clash_[one][other] =
          table[one][kMissColumns[other]] == largest || table[other][kMissColumns[one]] == largest;
    }
  }
  const auto on_hit = [&](std::size_t one, std::size_t other) {
    const auto column = [](std::size_t lock_class) {
      return lock_class == kShared ? LockTable::shared_hit : LockTable::exclusive_hit;
    };
    clash_on_name_[one][other] =
        table[one][column(other)] == largest || table[other][column(one)] == largest;
  };
  for (const std::size_t one : {kShared, kExclusive}) {
    on_hit(one, kShared);
    on_hit(one, kExclusive);
  }
}

template <typename Visit>
void LockReservations::visit_sets(const LockProfile& locks, const LockShape& shape, Visit visit) {
  visit(all_);
  if (shape.global) visit(global_);
  for (std::size_t level = 0; level < levels_; ++level) {
    for (std::size_t each = 0; each < kLockClasses; ++each) {
      if ((shape.classes[level] >> each & 1U) != 0) visit(by_class_[level][each]);
    }
  }
  for (const NameUse use : locks.names) visit(by_use_[use.number()]);
}

void LockReservations::add(const LockProfile& locks, const LockShape& shape, Holder holder) {
  visit_sets(locks, shape, [&](Holders& holders) { holders.insert(holder); });
}

void LockReservations::remove(const LockProfile& locks, const LockShape& shape, Holder holder) {
  visit_sets(locks, shape, [&](Holders& holders) { holders.erase(holder); });
  for (const NameUse use : locks.names) {
    const auto found = by_use_.find(use.number());
    if (found != by_use_.end() && found->second.empty()) by_use_.erase(found);
  }
}

std::optional<LockReservations::Holder> LockReservations::first_against(const LockProfile& locks,
                                                                        const LockShape& shape,
                                                                        std::uint64_t arrival,
                                                                        const Binds& binds) const {
  std::optional<Holder> first;
  const auto consider = [&](const Holders& holders) {
    for (const Holder& holder : holders) {
      if (holder.arrival >= arrival || (first && *first < holder)) return;
      if (binds(holder.slot)) {
        first = holder;
        return;
      }
    }
  };
  if (shape.global) {
    consider(all_);
    return first;
  }
  consider(global_);
  for (std::size_t level = 0; level < levels_; ++level) {
    for (std::size_t one = 0; one < kLockClasses; ++one) {
      if ((shape.classes[level] >> one & 1U) == 0) continue;
      for (std::size_t other = 0; other < kLockClasses; ++other) {
        if (clash_[one][other]) consider(by_class_[level][other]);
      }
    }
  }
  for (const NameUse use : locks.names) {
    const std::size_t one = use.is_exclusive() ? kExclusive : kShared;
    for (const NameUse other : {NameUse::shared(use.name()), NameUse::exclusive(use.name())}) {
      if (!clash_on_name_[one][other.is_exclusive() ? kExclusive : kShared]) continue;
      if (const auto found = by_use_.find(other.number()); found != by_use_.end()) {
        consider(found->second);
      }
    }
  }
  return first;
}

}  // namespace sluice
