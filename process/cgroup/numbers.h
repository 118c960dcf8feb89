#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sluice/units.h"

namespace sluice {

/// What the files of a cgroup say, each in its own words. All are pure.

/// What cannot be given up of what is charged: without the page cache that is not in use.
/// `inactive_file` is the line of that name of memory.stat (v1: total_inactive_file).
Bytes working_set_of(std::uint64_t charged, std::uint64_t inactive_file);

/// Bytes from and to block devices.
struct BlockIo {
  Bytes read, written;
};

/// blkio.throttle.io_service_bytes_recursive of v1: "8:0 Read 4096".
BlockIo parse_blkio_bytes(std::string_view text);

/// io.stat of v2: "8:0 rbytes=4096 wbytes=0 …".
BlockIo parse_io_stat(std::string_view text);

/// What is known of the largest working set of a job at its end.
struct PeakEvidence {
  Bytes sampled;  ///< The largest that was seen at a look.
  int looks = 0;
  Bytes largest_process;               ///< The largest resident set of one process.
  std::optional<Bytes> most_charged;   ///< The kernel's own high-water mark, page cache included.
  std::optional<Bytes> inactive_file;  ///< At the end: page cache that nothing uses.
};

/// The largest working set. The kernel's mark is exact in time but counts page cache, so it is only
/// the upper bound; looks and the largest process are the lower one. A job that ended before
/// `kEnoughLooks` may have peaked unseen: of it, the mark without the cache that was left over
/// counts too.
inline constexpr int kEnoughLooks = 4;
Bytes peak_of(const PeakEvidence& evidence);

}  // namespace sluice
