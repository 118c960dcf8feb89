#include "sensors/cgroup/throttle.h"

namespace sluice {

Result<std::optional<Throttling>> CgroupThrottle::read(TimePoint now) {
  return rescan_.read_found(
      now, [this] { return find_group(); }, [&] { return read_levels(now); });
}

std::optional<ReadFailure> CgroupThrottle::find_group() {
  const CgroupFinding finding = find_cgroups(paths_).cpu;
  const auto found = folders_with(paths_, finding, "cpu.stat");
  if (!value_in(found)) return failure_in(found);
  if (*value_in(found) == folders_) return std::nullopt;
  folders_ = *value_in(found);
  levels_.clear();
  for (const std::string& folder : folders_) {
    levels_.push_back(
        {finding.place->called(folder), KeptFile(paths_.at(folder) + "/cpu.stat"), {}});
  }
  return std::nullopt;
}

Result<std::optional<Throttling>> CgroupThrottle::read_levels(TimePoint now) {
  std::optional<Throttling> worst;
  for (Level& level : levels_) {
    const auto text = level.stat.read();
    if (!value_in(text)) return failure_in(text);
    const auto counts = parse_throttle_counts(*value_in(text));
    // No period was ever counted: no quota, or nothing has run under it yet.
    if (!counts || counts->periods == 0) continue;
    const auto ratio = level.growth.update(now, counts->throttled, counts->periods);
    if (!worst || ratio > worst->ratio) worst = Throttling{ratio, level.where};
  }
  return worst;
}

}  // namespace sluice
