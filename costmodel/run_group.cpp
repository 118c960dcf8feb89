#include "costmodel/run_group.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "costmodel/sample.h"
#include "costmodel/variants.h"

namespace sluice {

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
  const auto age = [](const auto& entry) {
    if (!entry.second.running.empty()) return std::pair{1, std::int64_t{0}};
    return std::pair{0, entry.second.runs.back().ended};
  };
  return std::ranges::min_element(groups, {}, age);
}

}  // namespace sluice
