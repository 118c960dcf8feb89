#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sensors/files/result.h"
#include "sluice/reading.h"
#include "sluice/units.h"

namespace sluice {

/// The result of statvfs for a path.
struct DiskSpace {
  std::string path;
  std::uint64_t block_size = 0;        ///< f_frsize
  std::uint64_t blocks = 0;            ///< f_blocks; 0 if the filesystem does not count them.
  std::uint64_t blocks_available = 0;  ///< f_bavail: free without root's reserve.
  std::uint64_t inodes = 0;            ///< f_files; 0 if not counted (btrfs).
  std::uint64_t inodes_available = 0;  ///< f_favail
  double least = 0;                    ///< Part of the space and of the inodes that must be free.
};

/// least / (available / total) for blocks and for inodes of each filesystem; uncounted ones do not
/// limit. Conditions are named by path: "/tmp" and "/tmp inodes".
Reading disk_reading(const std::vector<DiskSpace>& spaces);

/// A folder, and the part of its filesystem that must be free.
struct WatchedFolder {
  std::string path;
  double least = 0;
};

/// The `disk` sensor. Blocks while a filesystem hangs. Not thread-safe.
class DiskSensor {
 public:
  /// Counts folders on one filesystem once, by the one with the highest minimum.
  explicit DiskSensor(std::vector<WatchedFolder> folders);

  /// Fails if statvfs fails for any path.
  Result<Reading> read(TimePoint now);

 private:
  std::vector<WatchedFolder> folders_;  ///< Highest minimum first.
};

}  // namespace sluice
