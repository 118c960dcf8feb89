// The files of a cgroup that contain a limit or a count: *.max, *.current, cpu.max, cpu.cfs_*.
#include "sensors/cgroup.h"
#include "sensors/pids.h"
#include "support/reading.h"
#include "support/split.h"

namespace sluice::fuzz {
namespace {

void check_quota(const Result<std::optional<double>>& quota) {
  if (!value_in(quota)) return check(failure_in(quota));
  const std::optional<double>& cpus = *value_in(quota);
  require(!cpus || *cpus > 0, "a quota is above 0");
}

void check_memory(std::uint64_t limit, std::uint64_t current) {
  MemoryLevel level;
  level.where = "/sys/fs/cgroup/job";
  set_limit(level, limit, "memory.max", Bytes{std::uint64_t{1} << 40});
  level.current = Bytes{current};
  level.inactive_file = Bytes{limit};
  check(cgroup_reading({{level}, {}}, std::nullopt, {}));
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  check_quota(parse_cpu_max(text));
  const std::string_view first = cut(text, ";");
  check_quota(parse_cfs_quota(first, text));
  const auto limit = parse_limit(first);
  const auto current = parse_count(text);
  if (!value_in(limit)) check(failure_in(limit));
  if (!value_in(current)) return check(failure_in(current));
  if (!value_in(limit) || !*value_in(limit)) return;
  const std::uint64_t most = **value_in(limit);
  const PidsLevel level{"/sys/fs/cgroup/job", *value_in(current), most};
  check(pids_reading({level}, level, {}));
  check_memory(most, *value_in(current));
}
