#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sluice {

/// A frame of SQLite's write-ahead log that ends what is read of it, although more was committed.
struct WalDamage {
  std::uint64_t frame = 0;  ///< From 1; 0: the header of the log.
  std::uint64_t lost = 0;   ///< Transactions in it or behind it that were committed.

  bool operator==(const WalDamage&) const = default;

  /// "frame 12 does not match its checksum, and 29 transactions from there on are lost"
  std::string sentence() const;
};

/// Whether SQLite, when it next opens the database whose log this is, silently drops transactions
/// that were committed. None where all of it is sound, where a writer was killed before it had
/// committed what is last, and where there is no log. Others may be writing to it meanwhile.
std::optional<WalDamage> damage_of_wal(const std::string& path);

}  // namespace sluice
