#include "costmodel/user_runs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "costmodel/variants.h"

namespace sluice {
namespace {

RunGroup& at(RunGroups& groups, std::string_view name) {
  const auto found = groups.find(name);
  return found != groups.end() ? found->second : groups[std::string(name)];
}

void drop_if_empty(RunGroups& groups, std::string_view name) {
  const auto found = groups.find(name);
  if (found != groups.end() && found->second.empty()) groups.erase(found);
}

/// In the order of their ages, the oldest first: what still runs comes last.
std::pair<int, std::int64_t> age_of(const RunGroup& group) {
  if (!group.running.empty()) return {1, 0};
  return {0, group.runs.empty() ? 0 : group.runs.back().ended};
}

}  // namespace

std::uint64_t key_hash(std::string_view key) { return TextHash{}(key); }

std::uint64_t variant_hash(std::string_view variant) {
  return variant.empty() ? 0 : TextHash{}(variant);
}

const Estimate& RunGroup::known(Kinship kinship) const {
  if (!std::exchange(stale_, false)) return cached_;
  cached_ = estimate(runs, running, kinship);
  disagrees_ = kinship == Kinship::same_job && variants_disagree(runs);
  variants_.clear();
  return cached_;
}

const Estimate& RunGroup::known(Kinship kinship, std::uint64_t variant) const {
  const Estimate& all = known(kinship);
  if (!disagrees_) return all;
  const auto [own, is_new] = variants_.try_emplace(variant);
  if (is_new) own->second = estimate_of_variant(runs, running, variant);
  return own->second.runs > 0 ? own->second : all;
}

const Estimate& RunGroup::known_to_all(Kinship kinship) const {
  if (!std::exchange(vouched_stale_, false)) return vouched_;
  std::vector<PastRun> measured;
  std::ranges::copy_if(runs, std::back_inserter(measured),
                       [](const PastRun& run) { return run.seen_by == SeenBy::governor; });
  vouched_ = estimate(measured, {}, kinship);
  return vouched_;
}

std::shared_ptr<const MemoryProfile> RunGroup::growth(Kinship kinship) const {
  if (!known(kinship).is_steady) return nullptr;
  if (std::exchange(growth_stale_, false)) growth_ = growth_of(runs);
  return growth_;
}

bool RunGroup::has_run(std::uint64_t variant) const {
  return std::ranges::any_of(runs, [&](const PastRun& run) { return run.variant == variant; });
}

void RunGroup::add(const PastRun& run) {
  if (runs.size() == kSamplesPerKey) runs.erase(runs.begin());
  runs.push_back(run);
  if (runs.size() > kRunsWithProfile) runs[runs.size() - 1 - kRunsWithProfile].profile.reset();
  stale_ = vouched_stale_ = growth_stale_ = true;
}

void RunGroup::update(const SoFar& so_far) {
  stale_ = true;
  const auto found = std::ranges::find(running, so_far.run, &SoFar::run);
  if (found == running.end()) {
    running.push_back(so_far);
    return;
  }
  found->peak_memory = std::max(found->peak_memory, so_far.peak_memory);
  found->wall = std::max(found->wall, so_far.wall);
}

void RunGroup::drop_running(std::uint64_t run) {
  stale_ |= std::erase_if(running, [&](const SoFar& each) { return each.run == run; }) > 0;
}

bool RunGroup::drop_runs(const RunFilter& which) {
  if (std::erase_if(runs, which) == 0) return false;
  stale_ = vouched_stale_ = growth_stale_ = true;
  return true;
}

const RunGroup* find(const RunGroups& groups, std::string_view name) {
  const auto found = groups.find(name);
  return found == groups.end() ? nullptr : &found->second;
}

RunGroups::iterator oldest_of(RunGroups& groups) {
  return std::ranges::min_element(groups, {}, [](const auto& each) { return age_of(each.second); });
}

void UserRuns::add(const Sample& sample) {
  const bool is_known = sample.profile.count > 0;
  const bool has_memory = sample.memory.count > 0;
  const PastRun run{
      .key = key_hash(sample.key),
      .ended = sample.ended,
      .outcome = sample.outcome,
      .busy_cores = sample.busy_cores,
      .peak_memory = sample.peak_memory,
      .wall = sample.wall,
      .seen_by = sample.seen_by,
      .variant = variant_hash(sample.variant),
      .profile = is_known ? std::make_shared<const CpuProfile>(sample.profile) : nullptr,
      .memory = has_memory ? std::make_shared<const MemoryCourse>(sample.memory) : nullptr};
  everything.add(run);
  if (!sample.program.empty()) at(programs, sample.program).add(run);
  if (sample.key.empty()) return;
  RunGroup& group = at(keys, sample.key);
  repeatability.remove(Repeatability::evidence_of(group.runs));
  group.add(run);
  repeatability.add(Repeatability::evidence_of(group.runs));
  group.program = sample.program;
}

void UserRuns::drop_oldest_key() {
  const auto oldest = oldest_of(keys);
  repeatability.remove(Repeatability::evidence_of(oldest->second.runs));
  keys.erase(oldest);
}

void UserRuns::update(std::string_view key, std::string_view program, const SoFar& so_far) {
  everything.update(so_far);
  if (!key.empty()) at(keys, key).update(so_far);
  if (!program.empty()) at(programs, program).update(so_far);
}

void UserRuns::drop_running(std::string_view key, std::string_view program, std::uint64_t run) {
  everything.drop_running(run);
  const auto drop = [&](RunGroups& groups, std::string_view name) {
    const auto group = groups.find(name);
    if (group != groups.end()) group->second.drop_running(run);
    drop_if_empty(groups, name);
  };
  drop(keys, key);
  drop(programs, program);
}

bool UserRuns::drop_runs(const RunFilter& which) {
  for (auto& [name, group] : keys) {
    const auto before = Repeatability::evidence_of(group.runs);
    if (!group.drop_runs(which)) continue;
    repeatability.remove(before);
    repeatability.add(Repeatability::evidence_of(group.runs));
  }
  for (auto& [name, group] : programs) group.drop_runs(which);
  for (RunGroups* groups : {&keys, &programs}) {
    std::erase_if(*groups, [](const auto& entry) { return entry.second.empty(); });
  }
  return everything.drop_runs(which);
}

const UserRuns* RunsByUser::find(std::string_view user) const {
  if (user.empty()) return &common_;
  const auto found = others_.find(user);
  return found == others_.end() ? nullptr : &found->second;
}

void RunsByUser::add(const Sample& sample) {
  if (!is_believed(sample.peak_memory)) return;
  at(sample.user).add(sample);
  enforce_limits();
}

void RunsByUser::enforce_limits() {
  while (common_.keys.size() > kMostKeys) common_.drop_oldest_key();
  while (common_.programs.size() > kMostKeys) common_.drop_oldest_program();
  if (others_.size() > kMostUsers) {
    const auto age = [](const auto& entry) { return age_of(entry.second.everything); };
    others_.erase(std::ranges::min_element(others_, {}, age));
  }
  // At most one is too many, since this runs after each sample.
  if (UserRuns* const user = with_too_many(&UserRuns::keys)) user->drop_oldest_key();
  if (UserRuns* const user = with_too_many(&UserRuns::programs)) user->drop_oldest_program();
}

/// The other user with the most groups if all others together have too many, else null.
UserRuns* RunsByUser::with_too_many(RunGroups UserRuns::*groups) {
  std::size_t all = 0;
  for (const auto& [user, runs] : others_) all += (runs.*groups).size();
  if (all <= kMostKeys) return nullptr;
  const auto size = [&](const auto& entry) { return (entry.second.*groups).size(); };
  return &std::ranges::max_element(others_, {}, size)->second;
}

bool RunsByUser::forget(const SampleFilter& which) {
  const std::uint64_t key = key_hash(which.key.value_or(""));
  const RunFilter matches = [&](const PastRun& run) {
    return (!which.key || run.key == key) && (!which.since || run.ended >= *which.since);
  };
  const auto is_meant = [&](std::string_view user) { return !which.user || *which.user == user; };
  bool any = is_meant("") && common_.drop_runs(matches);
  for (auto& [user, runs] : others_) any |= is_meant(user) && runs.drop_runs(matches);
  std::erase_if(others_, [](const auto& entry) { return entry.second.empty(); });
  return any;
}

void RunsByUser::update_running(std::uint64_t run, const JobRequest& job, const JobUsage& so_far) {
  if (!is_believed(so_far.peak_memory)) return;
  const Names& names =
      running_.try_emplace(run, Names{job.user, job.key, job.program}).first->second;
  at(names.user)
      .update(names.key, names.program,
              {run, so_far.peak_memory, so_far.wall, variant_hash(job.variant)});
}

void RunsByUser::ended(std::uint64_t run) {
  const auto node = running_.extract(run);
  if (!node || !find(node.mapped().user)) return;
  const auto& [user, key, program] = node.mapped();
  at(user).drop_running(key, program, run);
  const auto other = others_.find(user);
  if (other != others_.end() && other->second.empty()) others_.erase(other);
}

}  // namespace sluice
