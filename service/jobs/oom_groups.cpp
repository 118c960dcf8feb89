#include "service/jobs/oom_groups.h"

#include <chrono>

#include "base/parse.h"
#include "sensors/files/procfs.h"

namespace sluice {
namespace {

/// How long the groups found for one process are reused for the next job there.
constexpr Duration kRemembered = std::chrono::seconds(10);
constexpr std::size_t kMostRemembered = 1024;

bool kills_all(const HostPaths& paths, const std::string& folder) {
  const auto text = read_once(paths.at(folder) + "/memory.oom.group");
  return value_in(text) && trimmed(*value_in(text)) == "1";
}

}  // namespace

void OomGroups::begin(JobId job, pid_t process, TimePoint now) {
  forget_job(job);
  const auto lines = read_once(paths_.at("/proc/" + std::to_string(process) + "/cgroup"));
  if (!value_in(lines)) return;
  const std::vector<std::string>& folders = groups_of(*value_in(lines), now);
  if (folders.empty()) return;
  jobs_[job.value] = {folders, now};
  for (const std::string& folder : folders) {
    const std::string base = paths_.at(folder);
    // Only kills of the group itself: groups below it have their own.
    const auto [found, is_new] =
        groups_.try_emplace(folder, Group{KeptFile(base + "/memory.events.local"),
                                          KeptFile(base + "/memory.peak"),
                                          0,
                                          {},
                                          {},
                                          {},
                                          {}});
    ++found->second.jobs;
    if (is_new) sample(found->second, now);
  }
}

void OomGroups::forget_job(JobId job) {
  const auto found = jobs_.extract(job.value);
  if (!found) return;
  for (const std::string& folder : found.mapped().folders) {
    const auto group = groups_.find(folder);
    if (--group->second.jobs == 0) groups_.erase(group);
  }
}

void OomGroups::sample(TimePoint now) {
  for (auto& [folder, group] : groups_) sample(group, now);
}

std::optional<GroupKill> OomGroups::kill_of(JobId job, TimePoint now) {
  const auto found = jobs_.find(job.value);
  if (found == jobs_.end()) return std::nullopt;
  std::optional<GroupKill> last;
  for (const std::string& folder : found->second.folders) {
    Group& group = groups_.at(folder);
    sample(group, now);
    if (!group.killed || *group.killed < found->second.since) continue;
    if (!last || *group.killed > last->seen) last = GroupKill{*group.killed, group.peaked};
  }
  return last;
}

/// A file that can no longer be read keeps its last values.
void OomGroups::sample(Group& group, TimePoint now) {
  const auto events = group.events.read();
  const auto kills =
      value_in(events) ? number_of(*value_in(events), "oom_group_kill") : std::nullopt;
  if (kills && group.kills && *kills > *group.kills) group.killed = now;
  if (kills) group.kills = kills;
  const auto peak = group.peak.read();
  const auto most = value_in(peak) ? parse_u64(trimmed(*value_in(peak))) : std::nullopt;
  if (most && (!group.most || *most > *group.most)) group.peaked = now;
  if (most) group.most = most;
}

const std::vector<std::string>& OomGroups::groups_of(const std::string& lines, TimePoint now) {
  const auto found = known_.find(lines);
  if (found != known_.end() && now < found->second.until) return found->second.folders;
  if (known_.size() >= kMostRemembered) known_.clear();
  Known& known = known_[lines];
  known = {find_groups(lines, now), now + kRemembered};
  return known.folders;
}

std::vector<std::string> OomGroups::find_groups(const std::string& lines, TimePoint now) {
  if (rescan_.is_due(now)) {
    const auto mounts = read_cgroup_mounts(paths_);
    mounts_ = value_in(mounts) ? *value_in(mounts) : std::vector<Mount>{};
  }
  const auto parsed = parse_proc_cgroup(lines);
  if (!value_in(parsed)) return {};
  const auto place = find_cgroups(*value_in(parsed), mounts_).memory.place;
  if (!place || place->version != CgroupVersion::v2) return {};
  std::vector<std::string> folders = folders_of(*place);
  std::erase_if(folders, [&](const std::string& each) { return !kills_all(paths_, each); });
  return folders;
}

}  // namespace sluice
