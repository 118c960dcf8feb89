#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sluice {

/// A frame of SQLite's write-ahead log where reading stops although later transactions were
/// committed.
struct WalDamage {
  std::uint64_t frame = 0;  ///< From 1; 0 for the header of the log.
  std::uint64_t lost = 0;   ///< Committed transactions in it or after it.

  bool operator==(const WalDamage&) const = default;

  /// "frame 12 does not match its checksum, and 29 transactions from there on are lost"
  std::string sentence() const;
};

/// Whether SQLite, on the next open of the database with this log, silently drops committed
/// transactions. nullopt if the log is sound, if a writer was killed before it committed its last
/// frames, or if there is no log. Others may be writing to it meanwhile.
std::optional<WalDamage> damage_of_wal(const std::string& path);

}  // namespace sluice
