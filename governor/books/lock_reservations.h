#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "governor/books/contention.h"

namespace sluice {

/// Locks reserved for aged jobs under `contention: hold`: no job that arrived later starts on one,
/// so that the aged job is not overtaken forever. Not thread-safe.
class LockReservations {
 public:
  explicit LockReservations(const ContentionOptions& options);

  /// A job with a reservation: ordered by arrival, identified by the caller's slot.
  struct Holder {
    std::uint64_t arrival = 0;
    std::uint32_t slot = 0;

    auto operator<=>(const Holder&) const = default;
  };
  void add(const LockProfile& locks, const LockShape& shape, Holder holder);
  void remove(const LockProfile& locks, const LockShape& shape, Holder holder);

  /// The first holder that arrived before `arrival`, for which `binds(slot)` is true, and with
  /// which a job of these locks would certainly block, in either direction.
  using Binds = std::function<bool(std::uint32_t slot)>;
  std::optional<Holder> first_against(const LockProfile& locks, const LockShape& shape,
                                      std::uint64_t arrival, const Binds& binds) const;

  bool empty() const { return all_.empty(); }

 private:
  using Holders = std::set<Holder>;

  template <typename Visit>
  void visit_sets(const LockProfile& locks, const LockShape& shape, Visit visit);

  std::size_t levels_;
  /// Whether two classes certainly block on each other, without and with a common name.
  std::array<std::array<bool, kLockClasses>, kLockClasses> clash_{}, clash_on_name_{};
  Holders all_, global_;
  std::vector<std::array<Holders, kLockClasses>> by_class_;
  std::unordered_map<std::uint32_t, Holders> by_use_;  ///< By `NameUse::number`.
};

}  // namespace sluice
