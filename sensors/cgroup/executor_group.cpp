#include "sensors/cgroup/executor_group.h"

#include <algorithm>
#include <utility>

#include "base/enum_names.h"
#include "base/parse.h"

namespace sluice {
namespace {

CgroupFinding place_in(GroupSource source, const GroupFolder& folder) {
  const bool is_v2 = folder.controllers.empty();
  CgroupPlace place{is_v2 ? CgroupVersion::v2 : CgroupVersion::v1,
                    std::string(to_string(source)) + ":" + folder.held->path(), "/", folder.held,
                    folder.held->count_above()};
  return {std::move(place), {}};
}

}  // namespace

std::string_view to_string(GroupSource source) {
  static constexpr EnumNames<GroupSource::config> kNames{"attach", "procroot", "hostpath",
                                                         "downward", "config"};
  return kNames.of(source);
}

ExecutorGroup executor_group(GroupSource source, std::vector<GroupFolder> folders) {
  ExecutorGroup group;
  group.source = source;
  group.folders = std::move(folders);
  CgroupPlaces& places = group.places;
  for (const GroupFolder& folder : group.folders) {
    if (folder.controllers.empty()) places.unified = place_in(source, folder);
  }
  // Controllers without a v1 hierarchy are in v2, if there is one.
  places.memory = places.cpu = places.cpuacct = places.pids = places.unified;
  for (const GroupFolder& folder : group.folders) {
    if (has_item(folder.controllers, "memory")) places.memory = place_in(source, folder);
    if (has_item(folder.controllers, "cpu")) places.cpu = place_in(source, folder);
    if (has_item(folder.controllers, "cpuacct")) places.cpuacct = place_in(source, folder);
    if (has_item(folder.controllers, "pids")) places.pids = place_in(source, folder);
  }
  return group;
}

bool is_same_group(const std::vector<GroupFolder>& one, const std::vector<GroupFolder>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const GroupFolder& each, const GroupFolder& its) {
                      return each.controllers == its.controllers && each.held->is_same(*its.held);
                    });
}

std::optional<std::string> why_gone(const ExecutorGroup& group) {
  for (const GroupFolder& folder : group.folders) {
    if (folder.held->has("cgroup.procs")) continue;
    return "the executor's cgroup " + folder.held->path() +
           " has been removed: its container has ended, and no new one is known yet";
  }
  return std::nullopt;
}

}  // namespace sluice
