#include "service/jobs/lease_trees.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sluice {
namespace {

/// Between two polls; longer if a poll takes more than a twentieth of it.
constexpr Duration kPollEvery = std::chrono::milliseconds(50);
constexpr int kPollPart = 20;

/// Smaller trees are not worth a walk.
constexpr Bytes kSmallTree{std::uint64_t{64} << 20};
constexpr Duration kWalkHolds = std::chrono::seconds(2);

/// Growth of a tree since its last walk that triggers the next one.
constexpr double kGrowth = 1.25;
constexpr double kGrowthWhileShared = 1.1;

/// Trees in which a process counts. Without a bound, leases of a chain of processes, each started
/// by the one before, would cost the square of their number.
constexpr std::size_t kMostTrees = 8;

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

std::vector<ProcessFacts> alive_of(std::vector<ProcessFacts> tree) {
  std::erase_if(tree, [](const ProcessFacts& each) { return !each.is_alive(); });
  return tree;
}

bool are_stopped(const std::vector<ProcessFacts>& alive) {
  return !alive.empty() &&
         std::ranges::all_of(alive, [](const ProcessFacts& each) { return each.is_stopped(); });
}

using Trees = std::map<pid_t, std::vector<ProcessFacts>>;

/// The tree of each root together with those of the nearest roots below it.
Trees whole_trees(const Trees& trees, const ByNumber& by_number,
                  const std::map<pid_t, std::uint64_t>& roots) {
  Trees whole;
  for (const auto& [root, tree] : trees) {
    pid_t at = root;
    for (std::size_t steps = 0; at != 0 && steps < kMostTrees; ++steps) {
      std::vector<ProcessFacts>& into = whole[at];
      into.insert(into.end(), tree.begin(), tree.end());
      const auto itself = by_number.find(at);
      const auto parent =
          itself == by_number.end() ? by_number.end() : by_number.find(itself->second->parent);
      if (parent == by_number.end()) break;
      const auto named = [&](const ProcessFacts& up) {
        return roots.contains(up.pid) ? up.pid : 0;
      };
      at = climb(*parent->second, by_number, named);
    }
  }
  return whole;
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
    pid_t root = climb(each, by_number, itself);
    if (root == 0) root = climb(each, by_number, leader);
    if (root != 0) trees[root].push_back(each);
  }
  return trees;
}

void LeaseTrees::begin(JobId job, pid_t process, TimePoint now) {
  const auto before = jobs_.find(job.value);
  Job entry = before == jobs_.end() ? Job{process, now, {}} : before->second;
  entry.process = process;
  read_cpu_of(process);
  ++roots_[process];
  forget_job(job);
  jobs_[job.value] = entry;
}

void LeaseTrees::read_cpu_of(pid_t process) {
  const auto facts = read_process(process);
  const auto found = cpu_.find(process);
  // Another process may have got the number of one that has ended.
  if (found != cpu_.end() && (!facts || facts->started == found->second.started)) return;
  // The use so far of the processes below it must not count.
  processes_.forget();
  const std::vector<ProcessFacts> known = facts ? std::vector{*facts} : std::vector<ProcessFacts>{};
  cpu_.insert_or_assign(
      process,
      Cpu{facts ? facts->started : 0, TreeCpu(ticks_since_boot(), known), {}, facts.has_value()});
}

void LeaseTrees::admitted(JobId job, TimePoint now) {
  const auto found = jobs_.find(job.value);
  if (found == jobs_.end() || std::exchange(found->second.is_admitted, true)) return;
  if (now >= poll_at_) sample(now);
  found->second.began = now;
  found->second.used = {};
}

void LeaseTrees::forget_job(JobId job) {
  const auto found = jobs_.extract(job.value);
  if (!found) return;
  const auto root = roots_.find(found.mapped().process);
  if (--root->second > 0) return;
  held_.erase(root->first);
  resident_.erase(root->first);
  walks_.erase(root->first);
  cpu_.erase(root->first);
  roots_.erase(root);
}

std::optional<Bytes> LeaseTrees::held(JobId job, TimePoint now) {
  const auto found = jobs_.find(job.value);
  if (found == jobs_.end()) return std::nullopt;
  if (now >= poll_at_) sample(now);
  const pid_t process = found->second.process;
  const std::uint64_t sharers = roots_.at(process);
  const auto seen = held_.find(process);
  if (seen != held_.end()) return Bytes{seen->second.value / sharers};
  const auto alone = read_process_memory(process);
  if (!alone) return std::nullopt;
  return Bytes{(alone->own.value + alone->shared.value) / sharers};
}

std::optional<LeaseCpu> LeaseTrees::cpu(JobId job, TimePoint now) {
  const auto found = jobs_.find(job.value);
  if (found == jobs_.end()) return std::nullopt;
  if (now >= poll_at_) sample(now);
  const Cpu& tree = cpu_.at(found->second.process);
  if (!tree.seen) return std::nullopt;
  LeaseCpu read = found->second.used;
  read.span = std::max(Duration{0}, sampled_ - found->second.began);
  read.age = std::max(Duration{0}, now - std::max(sampled_, found->second.began));
  // The processes waited before this lease, too, and for others that share them.
  read.delay = tree.delay.of_part(read.cpu);
  return read;
}

void LeaseTrees::sample(TimePoint now) {
  std::set<pid_t> roots;
  for (const auto& [process, jobs] : roots_) roots.insert(process);
  std::vector<pid_t> followed(roots.begin(), roots.end());
  for (const auto& [process, cpu] : cpu_) {
    const std::vector<pid_t> tree = cpu.tree.pids();
    followed.insert(followed.end(), tree.begin(), tree.end());
  }
  const std::vector<ProcessFacts> all = processes_.read(followed, now);
  auto trees = trees_of(all, roots);
  sample_cpu(all, trees, now);
  for (auto& [root, tree] : trees) tree = alive_of(std::move(tree));
  std::erase_if(trees, [](const auto& each) { return each.second.empty(); });
  sample_memory(trees, now);
  sampled_ = now;
  const Duration took = Clock::now() - now;
  poll_at_ = now + std::max(kPollEvery, took * kPollPart);
}

void LeaseTrees::sample_memory(const Trees& trees, TimePoint now) {
  held_.clear();
  std::map<pid_t, Bytes> resident;
  for (const auto& [root, tree] : trees) {
    const Bytes seems = resident[root] = resident_[root].of(tree);
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
}

void LeaseTrees::sample_cpu(const std::vector<ProcessFacts>& all, const Trees& trees,
                            TimePoint now) {
  ByNumber by_number;
  for (const ProcessFacts& each : all) by_number[each.pid] = &each;
  std::set<pid_t> taken;
  for (const auto& [root, tree] : trees) {
    for (const ProcessFacts& each : tree) taken.insert(each.pid);
  }
  Trees whole = whole_trees(trees, by_number, roots_);
  std::map<pid_t, CpuSample> samples;
  for (auto& [root, cpu] : cpu_) {
    std::vector<ProcessFacts> members = std::move(whole[root]);
    const auto first = by_number.find(root);
    // Another process has got the number of the first one, which has ended.
    if (first != by_number.end() && first->second->started != cpu.started) members.clear();
    // A process that has left the tree still works for the job.
    for (const pid_t pid : cpu.tree.pids()) {
      const auto left = by_number.find(pid);
      if (left == by_number.end() || taken.contains(pid)) continue;
      if (cpu.tree.knows(*left->second)) members.push_back(*left->second);
    }
    const std::vector<ProcessFacts> alive = alive_of(members);
    cpu.seen = cpu.seen || !members.empty();
    cpu.delay.follow(alive);
    samples[root] = {cpu.tree.sample(members), are_stopped(alive)};
  }
  charge(samples, now);
}

/// Adds what the trees have used since the last poll to the admitted jobs of their roots.
void LeaseTrees::charge(const std::map<pid_t, CpuSample>& samples, TimePoint now) {
  std::map<pid_t, std::int64_t> sharers;
  for (const auto& [number, job] : jobs_) sharers[job.process] += job.is_admitted ? 1 : 0;
  for (auto& [number, job] : jobs_) {
    if (!job.is_admitted) continue;
    const CpuSample& sample = samples.at(job.process);
    const Duration gap = std::max(Duration{0}, now - std::max(sampled_, job.began));
    job.used.cpu += sample.growth.cpu / sharers.at(job.process);
    if (sample.growth.vanished > 0) job.used.unseen += gap;
    if (sample.stopped) job.used.stopped += gap;
  }
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
