#include "sensors/disk.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <utility>

#include "base/text.h"
#include "sensors/files/file.h"
#include "sensors/pressure.h"

namespace sluice {
namespace {

/// The available part of `total`. If root's reserve is overdrawn, some filesystems report a
/// negative number, which reads as a huge one.
double left(std::uint64_t available, std::uint64_t total) {
  if (available >> 63) return 0;
  return static_cast<double>(std::min(available, total));
}

Condition disk_condition(std::string name, double available, double total, double least,
                         Unit unit) {
  return {
      std::move(name), available, least * total,
      total,           unit,      pressure_at_least(available / total, least, AtLimit::allowed)};
}

void add_filesystem(Reading& reading, const DiskSpace& space) {
  if (space.blocks > 0) {
    const auto size = static_cast<double>(space.block_size);
    reading.conditions.push_back(
        disk_condition(printable(space.path), size * left(space.blocks_available, space.blocks),
                       size * static_cast<double>(space.blocks), space.least, Unit::bytes));
  }
  if (space.inodes > 0) {
    reading.conditions.push_back(disk_condition(
        printable(space.path) + " inodes", left(space.inodes_available, space.inodes),
        static_cast<double>(space.inodes), space.least, Unit::count));
  }
}

std::string disk_sentence(const Condition& worst) {
  const bool is_space = worst.unit == Unit::bytes;
  const auto amount = [is_space](double number) {
    return is_space ? bytes_text(number) : number_text(number, 0);
  };
  return worst.name + ": " + amount(worst.value) + " of " + amount(*worst.total) + " available (" +
         percent_text(worst.value / *worst.total) + "), at least " +
         percent_text(*worst.limit / *worst.total);
}

}  // namespace

Reading disk_reading(const std::vector<DiskSpace>& spaces) {
  Reading reading;
  for (const DiskSpace& space : spaces) {
    add_filesystem(reading, space);
    reading.source += (reading.source.empty() ? "" : ", ") + printable(space.path);
  }
  settle_worst(reading);
  reading.sentence = reading.conditions.empty()
                         ? "unlimited: no filesystem here counts space or inodes"
                         : disk_sentence(reading.conditions[reading.worst]);
  return reading;
}

DiskSensor::DiskSensor(std::vector<WatchedFolder> folders) : folders_(std::move(folders)) {
  std::ranges::stable_sort(folders_, std::greater{}, &WatchedFolder::least);
}

Result<Reading> DiskSensor::read(TimePoint) {
  std::vector<DiskSpace> spaces;
  std::vector<dev_t> seen;
  for (const auto& [path, least] : folders_) {
    struct stat place {};
    struct statvfs space {};
    if (::stat(path.c_str(), &place) != 0 || ::statvfs(path.c_str(), &space) != 0) {
      return ReadFailure{"statvfs " + printable(path) + ": " + error_text(errno)};
    }
    if (std::find(seen.begin(), seen.end(), place.st_dev) != seen.end()) continue;
    seen.push_back(place.st_dev);
    spaces.push_back({path, space.f_frsize, space.f_blocks, space.f_bavail, space.f_files,
                      space.f_favail, least});
  }
  return disk_reading(spaces);
}

}  // namespace sluice
