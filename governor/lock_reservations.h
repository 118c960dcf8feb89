#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "governor/contention.h"

namespace sluice {

/// Locks that aged jobs wait for, under `contention: hold`: no job that arrived later is started
/// on one, so that the aged one is not passed for ever. Not thread-safe.
class LockReservations {
 public:
  explicit LockReservations(const ContentionOptions& options);

  /// A job that reserves: in order of arrival, and by any number of the caller's.
  struct Holder {
    std::uint64_t arrival = 0;
    std::uint32_t slot = 0;

    auto operator<=>(const Holder&) const = default;
  };
  void add(const LockProfile& locks, const LockShape& shape, Holder holder);
  void remove(const LockProfile& locks, const LockShape& shape, Holder holder);

  /// The first holder that arrived before `arrival`, for which `binds(slot)` is true, and with
  /// which a job of these locks would certainly block, the one way or the other.
  using Binds = std::function<bool(std::uint32_t slot)>;
  std::optional<Holder> first_against(const LockProfile& locks, const LockShape& shape,
                                      std::uint64_t arrival, const Binds& binds) const;

  bool empty() const { return all_.empty(); }

 private:
  using Holders = std::set<Holder>;

  template <typename Visit>
  void visit_sets(const LockProfile& locks, const LockShape& shape, Visit visit);

  std::size_t levels_;
  /// Whether two classes certainly block on each other, with names that meet and that do not.
  std::array<std::array<bool, kLockClasses>, kLockClasses> clash_{}, clash_on_name_{};
  Holders all_, global_;
  std::vector<std::array<Holders, kLockClasses>> by_class_;
  std::unordered_map<std::uint32_t, Holders> by_use_;  ///< By `NameUse::number`.
};

}  // namespace sluice
