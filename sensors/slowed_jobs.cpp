#include "sensors/slowed_jobs.h"

#include <algorithm>
#include <set>

#include "base/folder.h"
#include "base/parse.h"
#include "sensors/cgroup/cgroupfs.h"

namespace sluice {
namespace {

/// The kernel throttles a task for at most two seconds at a time, and counts it once.
constexpr Duration kSlowed = std::chrono::seconds(3);

/// Time between two walks through the tree, which may have thousands of groups. New groups in a
/// known home, or right below this process's group, are seen at once.
constexpr Duration kSearch = std::chrono::seconds(5);
constexpr int kDeepestGroup = 32;

bool is_named(const std::string& folder, std::string_view beginning) {
  return folder.substr(folder.rfind('/') + 1).starts_with(beginning);
}

void add_homes(const std::string& folder, int levels, std::set<std::string>& homes) {
  if (levels == 0) return;
  for (const std::string& each : folders_in(folder)) {
    if (is_named(each, "sluice.")) homes.insert(each);
    add_homes(each, levels - 1, homes);
  }
}

}  // namespace

void SlowedJobs::find_homes(TimePoint now) {
  const auto place = find_cgroups(paths_).unified.place;
  std::set<std::string> homes;
  if (place) {
    const std::vector<std::string> levels = folders_of(*place);
    const bool is_due = !searched_ || now - *searched_ >= kSearch;
    if (is_due) {
      searched_ = now;
      homes_.clear();
      // For a group that is held open, no path leads from its ancestors down to it.
      const std::string& top = place->held ? levels.front() : levels.back();
      add_homes(paths_.at(top), kDeepestGroup, homes);
    } else {
      add_homes(paths_.at(levels.front()), 1, homes);
    }
  }
  homes.insert(homes_.begin(), homes_.end());
  homes_.assign(homes.begin(), homes.end());
}

void SlowedJobs::sample(TimePoint now) {
  find_homes(now);
  std::set<std::string> found;
  for (const std::string& home : homes_) {
    for (const std::string& job : folders_in(home)) {
      if (is_named(job, "job.")) found.insert(job);
    }
  }
  ended_.clear();
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    if (found.contains(job->first)) {
      ++job;
      continue;
    }
    const auto& slowed = job->second.slowed;
    if (slowed && now - *slowed <= kSlowed) ended_.push_back(job->first);
    job = jobs_.erase(job);
  }
  for (const std::string& each : found) sample_job(each, now);
}

void SlowedJobs::sample_job(const std::string& folder, TimePoint now) {
  const auto psi = read_parsed(folder + "/memory.pressure", parse_psi);
  if (!value_in(psi)) return;
  const auto events = read_once(folder + "/memory.events");
  const std::uint64_t held_back =
      value_in(events) ? number_of(*value_in(events), "high").value_or(0) : 0;
  const auto [found, is_new] = jobs_.try_emplace(folder);
  Job& job = found->second;
  if (held_back > job.held_back) job.slowed = now;
  const std::uint64_t total = value_in(psi)->some.total;
  const bool is_slowed = job.slowed && now - *job.slowed <= kSlowed;
  const std::uint64_t grown = total > job.total ? total - job.total : 0;
  job.waited = is_slowed ? static_cast<double>(grown) / 1e6 : 0;
  job.total = total;
  job.held_back = held_back;
  job.some = is_slowed ? 0 : value_in(psi)->some.avg10;
  job.full = is_slowed || !value_in(psi)->full ? 0 : value_in(psi)->full->avg10;
}

SlowedStall SlowedJobs::below(const std::string& folder) const {
  const auto is_below = [&](const std::string& job) {
    return folder.empty() || job.starts_with(folder + "/");
  };
  SlowedStall stall;
  for (const auto& [place, job] : jobs_) {
    if (!is_below(place)) continue;
    stall.waited += job.waited;
    if (job.waited > 0) ++stall.jobs;
    stall.other_some = std::max(stall.other_some, job.some);
    stall.other_full = std::max(stall.other_full, job.full);
  }
  stall.is_whole = std::none_of(ended_.begin(), ended_.end(), is_below);
  return stall;
}

}  // namespace sluice
