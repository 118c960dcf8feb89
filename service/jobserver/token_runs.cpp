#include "service/jobserver/token_runs.h"

#include <algorithm>
#include <cmath>

namespace sluice::jobserver {
namespace {

/// The CPU time of a shorter run is too inexact to divide by its length.
constexpr Duration kShort = std::chrono::milliseconds(200);

/// The processes as a tree.
class Tree {
 public:
  explicit Tree(const std::vector<ClientProcess>& processes) : processes_(processes) {
    for (std::size_t at = 0; at < processes.size(); ++at) {
      children_[processes[at].facts.parent].push_back(at);
    }
  }

  /// The first processes of the runs below a process that hands out jobs.
  std::vector<std::size_t> runs_below(pid_t pid) const {
    std::vector<std::size_t> begins;
    for (const std::size_t child : children_of(pid)) {
      const pid_t own = processes_[child].facts.pid;
      if (starts_jobs_below(child)) {
        const auto inner = runs_below(own);
        begins.insert(begins.end(), inner.begin(), inner.end());
      } else {
        begins.push_back(child);
      }
    }
    return begins;
  }

  /// All processes of one run.
  std::vector<ClientProcess> whole(std::size_t begin) const {
    std::vector<ClientProcess> all{processes_[begin]};
    for (std::size_t next = 0; next < all.size(); ++next) {
      for (const std::size_t child : children_of(all[next].facts.pid)) {
        all.push_back(processes_[child]);
      }
    }
    return all;
  }

 private:
  const std::vector<std::size_t>& children_of(pid_t pid) const {
    static const std::vector<std::size_t> none;
    const auto found = children_.find(pid);
    return found == children_.end() ? none : found->second;
  }

  bool starts_jobs_below(std::size_t at) const {
    if (starts_jobs(processes_[at].name)) return true;
    const auto& children = children_of(processes_[at].facts.pid);
    return std::ranges::any_of(children, [&](std::size_t each) { return starts_jobs_below(each); });
  }

  const std::vector<ClientProcess>& processes_;
  std::map<pid_t, std::vector<std::size_t>> children_;
};

/// A run that had to share the CPUs needs more of them than it got.
Duration waited_by(const CpuDelay& delay, const JobUsage& usage, std::size_t tasks) {
  const double most = static_cast<double>(usage.wall.count()) * static_cast<double>(tasks);
  const auto waited = static_cast<double>(delay.of_job(usage.cpu).count());
  return Duration(std::llround(std::min(waited, most)));
}

/// `ran`: CPU time by the scheduler's clock. A tick is longer than a sleep runs in its whole life,
/// and who seems to have used none at all is taken for unmeasured.
void add_usage(JobUsage& usage, const std::vector<ClientProcess>& processes, Duration wall,
               Duration ran) {
  usage.wall = std::max(usage.wall, wall);
  Duration cpu{0};
  for (const ClientProcess& each : processes) cpu += each.facts.cpu;
  usage.cpu = std::max({usage.cpu, cpu, ran});
  usage.memory = memory_of_client(processes);
  usage.peak_memory = std::max(usage.peak_memory, usage.memory);
}

}  // namespace

std::vector<ProcessFacts> members_of(const std::vector<ProcessFacts>& all, pid_t client) {
  std::vector<ProcessFacts> members;
  for (const ProcessFacts& each : all) {
    if (each.pid == client) members.push_back(each);
  }
  std::multimap<pid_t, const ProcessFacts*> by_parent;
  for (const ProcessFacts& each : all) by_parent.emplace(each.parent, &each);
  for (std::size_t next = 0; next < members.size(); ++next) {
    const auto [first, last] = by_parent.equal_range(members[next].pid);
    for (auto child = first; child != last; ++child) members.push_back(*child->second);
  }
  return members;
}

std::vector<ClientProcess> read_client(const std::vector<ProcessFacts>& members) {
  std::vector<ClientProcess> processes;
  for (const ProcessFacts& each : members) {
    if (!each.is_alive()) continue;
    const auto memory = read_process_memory(each.pid);
    std::string name = first_line_of(proc_path(each.pid, "comm"));
    processes.push_back({each, std::move(name), memory.value_or(ProcessMemory{}), {}});
  }
  return processes;
}

void read_times(std::vector<ClientProcess>& processes) {
  for (ClientProcess& each : processes) {
    each.times = parse_schedstat(read_schedstat(each.facts.pid));
  }
}

std::map<pid_t, SchedulerTimes> times_of(const std::vector<ClientProcess>& processes) {
  std::map<pid_t, SchedulerTimes> times;
  for (const ClientProcess& each : processes) {
    if (each.times) times[each.facts.pid] = *each.times;
  }
  return times;
}

Bytes memory_of_client(const std::vector<ClientProcess>& processes) {
  Bytes own, shared;
  for (const ClientProcess& each : processes) {
    own.value += each.memory.own.value;
    shared = std::max(shared, each.memory.shared);
  }
  return Bytes{own.value + shared.value};
}

bool starts_jobs(std::string_view name) {
  constexpr std::string_view kNames[] = {"make",  "gmake", "gnumake", "remake",
                                         "ninja", "samu",  "cargo"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

TokenRuns::Sample TokenRuns::sample(const std::vector<ClientProcess>& processes, pid_t client,
                                    Duration since_boot, Duration tick) {
  const Tree tree(processes);
  std::map<Identity, Run> seen;
  std::map<Identity, CpuDelay> delays;
  Sample result;
  for (const std::size_t begin : tree.runs_below(client)) {
    const ProcessFacts& facts = processes[begin].facts;
    const Identity identity{facts.pid, facts.started};
    const auto known = runs_.find(identity);
    Run run = known == runs_.end() ? Run{next_++, {}, facts.pid, facts.started} : known->second;
    const Duration age = since_boot - tick * static_cast<std::int64_t>(facts.started);
    const std::vector<ClientProcess> whole = tree.whole(begin);
    CpuDelay delay = delays_[identity];
    delay.update(times_of(whole));
    add_usage(run.usage, whole, std::max(age, tick), delay.together().ran);
    run.usage.cpu_delay = waited_by(delay, run.usage, whole.size());
    delays.emplace(identity, std::move(delay));
    seen.emplace(identity, run);
    result.alive.push_back(run);
  }
  for (auto& [identity, run] : runs_) {
    if (seen.contains(identity)) continue;
    if (run.usage.wall < kShort) run.usage.cpu = std::max(run.usage.cpu, run.usage.wall);
    run.usage.memory = Bytes{0};
    result.ended.push_back(run);
  }
  runs_ = std::move(seen);
  delays_ = std::move(delays);
  return result;
}

}  // namespace sluice::jobserver
