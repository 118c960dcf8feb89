#include "config/start_only.h"

#include <algorithm>
#include <array>
#include <map>

#include "config/effective.h"

namespace sluice {
namespace {

/// Those that end with a dot or a bracket are groups.
constexpr std::array<std::string_view, 14> kStartOnly{
    "state_dir",
    "service.socket",
    "service.group",
    "service.listen",
    "service.record.",
    "work_sources.",  // In the reference; [N] in a configuration.
    "work_sources[",
    "sensors.cgroup.source",
    "sensors.cgroup.attach_from",
    "sensors.cgroup.process",
    "sensors.cgroup.hierarchy",
    "sensors.cgroup.podinfo",
    "sensors.cgroup.memory",
    "sensors.cgroup.cpus",
};

std::map<std::string, std::string> values_of(const Config& config) {
  std::map<std::string, std::string> values;
  for (EffectiveValue& each : effective_values(config)) {
    if (is_start_only(each.path)) values.emplace(std::move(each.path), std::move(each.value));
  }
  return values;
}

}  // namespace

bool is_start_only(std::string_view path) {
  return std::ranges::any_of(kStartOnly, [&](std::string_view each) {
    const bool is_group = each.ends_with('.') || each.ends_with('[');
    return is_group ? path.starts_with(each) : path == each;
  });
}

std::vector<std::string> changed_start_only(const Config& before, const Config& now) {
  const auto was = values_of(before), is = values_of(now);
  std::vector<std::string> changed;
  for (const auto& [path, value] : is) {
    const auto found = was.find(path);
    if (found == was.end() || found->second != value) changed.push_back(path);
  }
  for (const auto& [path, _] : was) {
    if (!is.contains(path)) changed.push_back(path);
  }
  return changed;
}

}  // namespace sluice
