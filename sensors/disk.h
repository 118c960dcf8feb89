#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sensors/result.h"
#include "sluice/reading.h"
#include "sluice/units.h"

namespace sluice {

/// What statvfs says of the filesystem of a path.
struct DiskSpace {
  std::string path;
  std::uint64_t block_size = 0;        ///< f_frsize
  std::uint64_t blocks = 0;            ///< f_blocks; 0: the filesystem does not count them.
  std::uint64_t blocks_available = 0;  ///< f_bavail: what is left without root's reserve.
  std::uint64_t inodes = 0;            ///< f_files; 0: it does not count them (btrfs).
  std::uint64_t inodes_available = 0;  ///< f_favail
  double least = 0;                    ///< Part of the space and of the inodes that must be left.
};

/// least / (available / total) for blocks and for inodes of each filesystem. What a filesystem
/// does not count does not limit. Conditions are named by path: "/tmp" and "/tmp inodes".
Reading disk_reading(const std::vector<DiskSpace>& spaces);

/// A folder, and the part of its file system that must be left.
struct WatchedFolder {
  std::string path;
  double least = 0;
};

/// The `disk` sensor. Blocks while a filesystem hangs. Not thread-safe.
class DiskSensor {
 public:
  /// Folders on one filesystem are counted once, by the first of those that must have most left.
  explicit DiskSensor(std::vector<WatchedFolder> folders);

  /// A path that cannot be asked is a failure of the sensor.
  Result<Reading> read(TimePoint now);

 private:
  std::vector<WatchedFolder> folders_;  ///< Those that must have most left first.
};

}  // namespace sluice
