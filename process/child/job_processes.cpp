#include "process/child/job_processes.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "base/seconds.h"

namespace sluice {
namespace {

/// `read` returns what one of them holds; nullopt if that is not known.
template <class Read>
Bytes memory_by(const std::vector<ProcessFacts>& processes, Read read) {
  Bytes own, most_shared;
  for (const ProcessFacts& each : processes) {
    const std::optional<ProcessMemory> memory = read(each);
    if (!memory) continue;
    own.value += memory->own.value;
    most_shared = std::max(most_shared, memory->shared);
  }
  return Bytes{own.value + most_shared.value};
}

}  // namespace

bool JobProcesses::knows(const ProcessFacts& process) const {
  if (process.pid == leader_ || process.group == leader_ || process.session == leader_) return true;
  const auto found = seen_.find(process.pid);
  return found != seen_.end() && found->second == process.started;
}

std::vector<ProcessFacts> JobProcesses::members(const std::vector<ProcessFacts>& all) {
  std::vector<pid_t> begins;
  for (const ProcessFacts& each : all) {
    if (knows(each)) begins.push_back(each.pid);
  }
  if (begins.empty()) return {};
  std::vector<ProcessFacts> found = descendants_of(all, begins);
  for (const ProcessFacts& each : found) adopt(each);
  return found;
}

std::vector<ProcessFacts> JobProcesses::alive(const std::vector<ProcessFacts>& all) {
  std::vector<ProcessFacts> found = members(all);
  std::erase_if(found, [](const ProcessFacts& each) { return !each.is_alive(); });
  return found;
}

void JobProcesses::note_ended(const rusage& usage) {
  constexpr std::uint64_t kBlock = 512;  // The unit of ru_inblock and ru_oublock on Linux.
  ended_cpu_ += duration_of(usage.ru_utime) + duration_of(usage.ru_stime);
  read_.value += static_cast<std::uint64_t>(usage.ru_inblock) * kBlock;
  written_.value += static_cast<std::uint64_t>(usage.ru_oublock) * kBlock;
  largest_ = std::max(largest_, Bytes{static_cast<std::uint64_t>(usage.ru_maxrss) * 1024});
}

JobProcesses::Sample JobProcesses::sample(const std::vector<ProcessFacts>& all) {
  Sample sample{members(all), ended_cpu_};
  for (const ProcessFacts& each : sample.alive) sample.cpu += each.cpu;
  std::erase_if(sample.alive, [](const ProcessFacts& each) { return !each.is_alive(); });
  return sample;
}

Bytes memory_of(const std::vector<ProcessFacts>& processes) {
  return memory_by(processes,
                   [](const ProcessFacts& each) { return read_process_memory(each.pid); });
}

Bytes ResidentMemory::of(const std::vector<ProcessFacts>& processes) {
  std::map<pid_t, Known> now;
  const Bytes together = memory_by(processes, [&](const ProcessFacts& each) {
    const auto before = known_.find(each.pid);
    const bool is_same = before != known_.end() && before->second.started == each.started &&
                         before->second.pages == each.pages;
    const auto memory = is_same ? before->second.memory : read_process_memory(each.pid);
    now.emplace(each.pid, Known{each.started, each.pages, memory});
    return memory;
  });
  known_ = std::move(now);
  return together;
}

Bytes memory_without_sharing(const std::vector<ProcessFacts>& processes) {
  return memory_by(processes, [](const ProcessFacts& each) {
    auto memory = read_process_memory(each.pid);
    if (memory)
      memory->own = std::min(memory->own, read_anonymous_part(each.pid).value_or(memory->own));
    return memory;
  });
}

void signal_each(const std::vector<ProcessFacts>& processes, int number) {
  for (const ProcessFacts& each : processes) kill(each.pid, number);
}

}  // namespace sluice
