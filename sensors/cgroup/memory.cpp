#include "sensors/cgroup/memory.h"

#include <utility>

#include "base/parse.h"

namespace sluice {
namespace {

/// v1 writes "no limit" as the largest signed number in whole pages; no machine is half as large.
constexpr std::uint64_t kBeyondAnyMachine = std::uint64_t{1} << 62;

bool is_limit(std::uint64_t bytes, std::optional<Bytes> host_total) {
  return bytes < kBeyondAnyMachine && (!host_total || bytes < host_total->value);
}

}  // namespace

Bytes MemoryLevel::working_set() const {
  return {current.value > inactive_file.value ? current.value - inactive_file.value : 0};
}

void set_limit(MemoryLevel& level, std::optional<std::uint64_t> limit, std::string_view file,
               std::optional<Bytes> host_total) {
  if (!limit || !is_limit(*limit, host_total)) return;
  if (level.limit && level.limit->value <= *limit) return;
  level.limit = Bytes{*limit};
  level.limited_by = file;
}

Result<MemorySnapshot> CgroupMemory::read(TimePoint now) {
  return rescan_.read_found(
      now, [this] { return find_group(); }, [this] { return read_levels(); });
}

std::optional<ReadFailure> CgroupMemory::find_group() {
  const CgroupFinding finding = find_cgroups(paths_).memory;
  if (!finding.problem.empty()) return ReadFailure{finding.problem};
  if (finding.place) return open_levels(*finding.place);
  folders_.clear();
  levels_.clear();
  events_.reset();
  return std::nullopt;
}

std::optional<ReadFailure> CgroupMemory::open_levels(const CgroupPlace& place) {
  const bool is_v2 = place.version == CgroupVersion::v2;
  auto found = folders_with(paths_, place, is_v2 ? "memory.current" : "memory.usage_in_bytes");
  if (!value_in(found)) return failure_in(found);
  const auto& folders = *value_in(found);
  if (folders == folders_ && place.version == version_ && !levels_.empty()) return std::nullopt;
  folders_ = folders;
  version_ = place.version;
  levels_.clear();
  events_.reset();
  for (const std::string& folder : folders_) {
    if (!levels_.empty() && ends_hierarchy(folder, version_)) break;
    levels_.push_back(files_in(place, folder));
  }
  if (folders_.empty()) return std::nullopt;
  events_.emplace(paths_.at(folders_.front()) + (is_v2 ? "/memory.events" : "/memory.oom_control"));
  return std::nullopt;
}

CgroupMemory::Files CgroupMemory::files_in(const CgroupPlace& place,
                                           const std::string& folder) const {
  const std::string base = paths_.at(folder) + "/";
  Files files{place.called(folder),
              {},
              {},
              KeptFile(""),
              KeptFile(base + "memory.stat"),
              KeptFile(base + "memory.oom.group")};
  if (place.version == CgroupVersion::v2) {
    files.limit_names = {"memory.max", "memory.high"};
    files.current = KeptFile(base + "memory.current");
  } else {
    files.limit_names = {"memory.limit_in_bytes"};
    files.current = KeptFile(base + "memory.usage_in_bytes");
  }
  for (const std::string_view name : files.limit_names) {
    files.limits.emplace_back(base + std::string(name));
  }
  return files;
}

// In v1 a group that does not account hierarchically neither counts nor limits the groups below it.
bool CgroupMemory::ends_hierarchy(const std::string& folder, CgroupVersion version) const {
  if (version == CgroupVersion::v2) return false;
  const auto text = read_once(paths_.at(folder) + "/memory.use_hierarchy");
  return value_in(text) && trimmed(*value_in(text)) == "0";
}

Result<MemoryLevel> CgroupMemory::read_limit(Files& files) const {
  MemoryLevel level;
  level.where = files.where;
  for (std::size_t i = 0; i < files.limits.size(); ++i) {
    const auto limit = read_parsed(files.limits[i], parse_limit);
    // If memory is accounted, a hard limit exists; memory.high came later.
    if (i > 0 && files.limits[i].is_absent()) continue;
    if (!value_in(limit)) return failure_in(limit);
    set_limit(level, *value_in(limit), files.limit_names[i], host_total_);
  }
  return level;
}

std::optional<ReadFailure> CgroupMemory::read_usage(Files& files, MemoryLevel& level) const {
  const auto bytes = read_parsed(files.current, parse_count);
  if (!value_in(bytes)) return failure_in(bytes);
  const auto stat = files.stat.read();
  if (!value_in(stat)) return failure_in(stat);
  level.current = {*value_in(bytes)};
  // Without the line nothing counts as reclaimable, which errs on the safe side.
  const bool is_v2 = version_ == CgroupVersion::v2;
  const char* const key = is_v2 ? "inactive_file" : "total_inactive_file";
  level.inactive_file = {number_of(*value_in(stat), key).value_or(0)};
  return std::nullopt;
}

Result<MemorySnapshot> CgroupMemory::read_levels() {
  MemorySnapshot snapshot;
  for (Files& files : levels_) {
    auto read = read_limit(files);
    if (!value_in(read)) return failure_in(read);
    auto& level = std::get<MemoryLevel>(read);
    if (kills_all(files)) snapshot.kill = MemoryLimit::Kill::group;
    level.kill = snapshot.kill;
    if (!level.limit && &files != &levels_.front()) continue;
    if (const auto failure = read_usage(files, level)) return *failure;
    snapshot.levels.push_back(std::move(level));
  }
  snapshot.events = read_events();
  return snapshot;
}

/// Without the file the kernel kills one process: v1, the root of v2, and Linux before 4.19.
bool CgroupMemory::kills_all(Files& files) const {
  if (version_ != CgroupVersion::v2) return false;
  const auto text = files.oom_group.read();
  return value_in(text) && trimmed(*value_in(text)) == "1";
}

MemoryEvents CgroupMemory::read_events() {
  if (!events_) return {};
  const auto text = events_->read();
  if (!value_in(text)) return {};
  return {number_of(*value_in(text), "oom_kill"), number_of(*value_in(text), "high")};
}

}  // namespace sluice
