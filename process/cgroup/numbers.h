#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sluice/units.h"

namespace sluice {

/// Parsers of cgroup files and figures derived from them. All are pure.

/// The charged memory that cannot be reclaimed: all of it except unused page cache. `inactive_file`
/// is the line of that name in memory.stat (v1: total_inactive_file).
Bytes working_set_of(std::uint64_t charged, std::uint64_t inactive_file);

/// Bytes read from and written to block devices.
struct BlockIo {
  Bytes read, written;
};

/// blkio.throttle.io_service_bytes_recursive of v1: "8:0 Read 4096".
BlockIo parse_blkio_bytes(std::string_view text);

/// io.stat of v2: "8:0 rbytes=4096 wbytes=0 …".
BlockIo parse_io_stat(std::string_view text);

/// The evidence for a job's peak working set, available at its end.
struct PeakEvidence {
  Bytes sampled;  ///< The largest sample.
  int sample_count = 0;
  Bytes largest_process;               ///< The largest resident set of one process.
  std::optional<Bytes> most_charged;   ///< The kernel's high-water mark, page cache included.
  std::optional<Bytes> inactive_file;  ///< At the end: page cache not in use.
};

/// The peak working set. The kernel's high-water mark is exact in time but counts page cache, so it
/// is only the upper bound; the samples and the largest process are the lower bound. A job that
/// ended before `kEnoughSamples` samples may have peaked unseen, so for it the high-water mark less
/// the remaining cache is a lower bound as well.
inline constexpr int kEnoughSamples = 4;
Bytes peak_of(const PeakEvidence& evidence);

}  // namespace sluice
