#include "reference/plain_locks.h"

#include <algorithm>
#include <array>

namespace sluice::reference {
namespace {

/// The modes in the order of the table's rows.
enum Mode { none, shared, unknown_shared, all_shared, exclusive, unknown_exclusive, all_exclusive };
constexpr int kModes = 7;

/// Empty sets are no lock, and a level without any lock is `none`.
std::array<bool, kModes> modes_of(const LevelLocks& locks) {
  std::array<bool, kModes> modes{false,
                                 !locks.shared.empty(),
                                 locks.unknown_shared,
                                 locks.all_shared,
                                 !locks.exclusive.empty(),
                                 locks.unknown_exclusive,
                                 locks.all_exclusive};
  modes[none] = std::none_of(modes.begin(), modes.end(), [](bool mode) { return mode; });
  return modes;
}

bool meet(const std::vector<std::string>& some, const std::vector<std::string>& others) {
  return std::any_of(some.begin(), some.end(), [&](const std::string& name) {
    return std::find(others.begin(), others.end(), name) != others.end();
  });
}

/// Whether the names that a mode locks are among `names`; only sets have names.
bool hits(const LevelLocks& locks, int mode, const std::vector<std::string>& names) {
  if (mode == shared) return meet(locks.shared, names);
  if (mode == exclusive) return meet(locks.exclusive, names);
  return false;
}

LockTable::Column column_of(const LevelLocks& pending, int row, const LevelLocks& running,
                            int mode) {
  switch (mode) {
    case shared:
      return hits(pending, row, running.shared) ? LockTable::shared_hit : LockTable::shared_miss;
    case unknown_shared:
      return LockTable::unknown_shared;
    case all_shared:
      return LockTable::all_shared;
    case exclusive:
      return hits(pending, row, running.exclusive) ? LockTable::exclusive_hit
                                                   : LockTable::exclusive_miss;
    case unknown_exclusive:
      return LockTable::unknown_exclusive;
    case all_exclusive:
      return LockTable::all_exclusive;
    default:
      return LockTable::none;
  }
}

}  // namespace

std::vector<LevelLocks> spread(const ContentionOptions& options,
                               const std::optional<std::vector<LevelLocks>>& declared) {
  std::vector<LevelLocks> locks;
  for (const std::string& level : options.levels) {
    LevelLocks& here = locks.emplace_back();
    here.level = level;
    here.all_exclusive = !declared && options.undeclared == Undeclared::all_exclusive;
    if (!declared) continue;
    for (const LevelLocks& named : *declared) {
      if (named.level == level) here = named;
    }
  }
  return locks;
}

int value(const LockTable& table, const LevelLocks& pending, const LevelLocks& running) {
  const auto rows = modes_of(pending);
  const auto modes = modes_of(running);
  int worst = 0;
  for (int row = 0; row < kModes; ++row) {
    for (int mode = 0; mode < kModes; ++mode) {
      if (!rows[row] || !modes[mode]) continue;
      worst = std::max<int>(worst, table.tenths[row][column_of(pending, row, running, mode)]);
    }
  }
  return worst;
}

int certain(const LockTable& table) {
  int most = 0;
  for (const auto& row : table.tenths) most = std::max<int>(most, *std::ranges::max_element(row));
  return most;
}

}  // namespace sluice::reference
