// The files of a cgroup that contain lines of a name and a number: cpu.stat, memory.stat,
// memory.events, io.stat, blkio.throttle.io_service_bytes.
#include "base/parse.h"
#include "process/cgroup/numbers.h"
#include "sensors/cgroup.h"
#include "support/reading.h"

namespace sluice::fuzz {
namespace {

void check_throttling(const ThrottleCounts& counts) {
  GrowthRatio growth;
  const TimePoint start{std::chrono::hours(1)};
  growth.update(start, 0, 0);
  const auto ratio =
      growth.update(start + std::chrono::seconds(1), counts.throttled, counts.periods);
  check(cgroup_reading({}, Throttling{ratio, "/sys/fs/cgroup/job"}, {}));
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  if (const auto counts = parse_throttle_counts(text)) check_throttling(*counts);
  MemoryLevel level;
  level.current = Bytes{number_of(text, "current").value_or(0)};
  level.inactive_file = Bytes{number_of(text, "inactive_file").value_or(0)};
  require(level.working_set() <= level.current, "a working set is no larger than all of it");
  number_of(text, "oom_kill");
  parse_io_stat(text);
  parse_blkio_bytes(text);
}
