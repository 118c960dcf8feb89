#include "service/jobs/lease_trees.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "process/job_processes.h"

namespace sluice {
namespace {

/// Between two polls; longer if a poll takes more than a twentieth of it.
constexpr Duration kLook = std::chrono::milliseconds(50);
constexpr int kLookPart = 20;

/// Smaller trees are not worth a walk.
constexpr Bytes kSmallTree{std::uint64_t{64} << 20};
constexpr Duration kWalkHolds = std::chrono::seconds(2);

/// Growth of a tree since its last walk that triggers the next one.
constexpr double kGrowth = 1.25;
constexpr double kGrowthWhileShared = 1.1;

using ByNumber = std::unordered_map<pid_t, const ProcessFacts*>;

/// The first root that `names` yields for the process or one of its ancestors; 0 if there is none.
template <class Names>
pid_t climb(const ProcessFacts& from, const ByNumber& by_number, const Names& names) {
  const ProcessFacts* at = &from;
  // A table read while processes came and went may have cycles.
  for (std::size_t steps = 0; at && steps <= by_number.size(); ++steps) {
    if (const pid_t root = names(*at)) return root;
    const auto parent = by_number.find(at->parent);
    at = parent == by_number.end() ? nullptr : parent->second;
  }
  return 0;
}

}  // namespace

std::map<pid_t, std::vector<ProcessFacts>> trees_of(const std::vector<ProcessFacts>& processes,
                                                    const std::set<pid_t>& roots) {
  std::map<pid_t, std::vector<ProcessFacts>> trees;
  if (roots.empty()) return trees;
  ByNumber by_number;
  for (const ProcessFacts& each : processes) by_number[each.pid] = &each;
  const auto itself = [&](const ProcessFacts& at) { return roots.contains(at.pid) ? at.pid : 0; };
  const auto leader = [&](const ProcessFacts& at) {
    return roots.contains(at.group) ? at.group : roots.contains(at.session) ? at.session : 0;
  };
  for (const ProcessFacts& each : processes) {
    if (!each.is_alive()) continue;
    pid_t root = climb(each, by_number, itself);
    if (root == 0) root = climb(each, by_number, leader);
    if (root != 0) trees[root].push_back(each);
  }
  return trees;
}

void LeaseTrees::begin(JobId job, pid_t process) {
  over(job);
  jobs_[job.value] = process;
  ++roots_[process];
}

void LeaseTrees::over(JobId job) {
  const auto found = jobs_.extract(job.value);
  if (!found) return;
  const auto root = roots_.find(found.mapped());
  if (--root->second > 0) return;
  held_.erase(root->first);
  walks_.erase(root->first);
  roots_.erase(root);
}

std::optional<Bytes> LeaseTrees::held(JobId job, TimePoint now) {
  const auto found = jobs_.find(job.value);
  if (found == jobs_.end()) return std::nullopt;
  if (now >= look_at_) sample(now);
  const pid_t process = found->second;
  const std::uint64_t sharers = roots_.at(process);
  const auto seen = held_.find(process);
  if (seen != held_.end()) return Bytes{seen->second.value / sharers};
  const auto alone = read_process_memory(process);
  if (!alone) return std::nullopt;
  return Bytes{(alone->own.value + alone->shared.value) / sharers};
}

void LeaseTrees::sample(TimePoint now) {
  std::set<pid_t> roots;
  for (const auto& [process, jobs] : roots_) roots.insert(process);
  held_.clear();
  const auto trees = trees_of(read_processes(), roots);
  std::map<pid_t, Bytes> resident;
  for (const auto& [root, tree] : trees) {
    const Bytes seems = resident[root] = memory_of(tree);
    held_[root] = is_confirmed(root, tree, seems) ? seems : without_sharing(root, tree, seems, now);
  }
  const double in_use = most_in_use(now);
  // Leases may name processes that share memory with each other, each with its own tree.
  if (in_use > 0 && together() > in_use) {
    for (const auto& [root, tree] : trees) {
      held_[root] = without_sharing(root, tree, resident[root], now);
    }
  }
  if (const double all = together(); in_use > 0 && all > in_use) {
    for (auto& [root, bytes] : held_) {
      bytes.value =
          static_cast<std::uint64_t>(std::floor(static_cast<double>(bytes.value) * in_use / all));
    }
  }
  const Duration took = Clock::now() - now;
  look_at_ = now + std::max(kLook, took * kLookPart);
}

bool LeaseTrees::is_confirmed(pid_t root, const std::vector<ProcessFacts>& tree,
                              Bytes resident) const {
  if (tree.size() == 1 || resident <= kSmallTree) return true;
  const auto walk = walks_.find(root);
  return walk != walks_.end() && static_cast<double>(resident.value) <=
                                     kGrowth * static_cast<double>(walk->second.most.value);
}

Bytes LeaseTrees::without_sharing(pid_t root, const std::vector<ProcessFacts>& tree, Bytes resident,
                                  TimePoint now) {
  Walk& walk = walks_[root];
  const auto seems = static_cast<double>(resident.value);
  const auto seemed = static_cast<double>(walk.resident.value);
  if (now >= walk.until || seems > kGrowthWhileShared * seemed) {
    walk.resident = resident;
    walk.held = std::min(memory_without_sharing(tree), resident);
    walk.until = now + kWalkHolds;
    walk.most = std::max(walk.most, walk.held);
  }
  if (walk.resident == Bytes{0}) return resident;
  const double part =
      static_cast<double>(walk.held.value) / static_cast<double>(walk.resident.value);
  return Bytes{static_cast<std::uint64_t>(seems * part)};
}

double LeaseTrees::together() const {
  double sum = 0;
  for (const auto& [root, bytes] : held_) sum += static_cast<double>(bytes.value);
  return sum;
}

double LeaseTrees::most_in_use(TimePoint now) const {
  std::uint64_t most = 0;
  if (in_use_) {
    for (const MemoryLimit& each : in_use_(now)) most = std::max(most, each.used.value);
  }
  return static_cast<double>(most);
}

}  // namespace sluice
