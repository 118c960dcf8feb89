#include "base/process_list.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string_view>

namespace sluice {
namespace {

constexpr Duration kWholeEvery = std::chrono::seconds(4);

}  // namespace

std::size_t most_kept_processes(std::uint64_t limit) {
  constexpr std::uint64_t kMost = 256, kPart = 32;
  return static_cast<std::size_t>(std::min(kMost, limit / kPart));
}

std::optional<pid_t> NewestProcesses::below_new() const {
  // Numbers are given in ascending order until they start over.
  const bool ascend = now && last && earlier && *earlier <= *last && *last <= *now;
  return ascend ? earlier : std::nullopt;
}

/// In a container, another file system may lie over the file, whose text is seconds old.
ProcessList::ProcessList() : loadavg_(open("/proc/loadavg", O_RDONLY | O_CLOEXEC)) {
  struct statfs system {};
  if (!loadavg_ || fstatfs(loadavg_.get(), &system) != 0) return;
  if (system.f_type != PROC_SUPER_MAGIC) loadavg_.reset();
}

std::optional<pid_t> ProcessList::newest_process() const {
  char text[128];
  const ssize_t got = loadavg_ ? pread(loadavg_.get(), text, sizeof text, 0) : 0;
  return parse_newest_process({text, static_cast<std::size_t>(std::max<ssize_t>(got, 0))});
}

/// Reads the processes above the newest of an earlier listing, as long as numbers ascend.
void ProcessList::list(TimePoint now) {
  newest_ = {newest_process(), newest_.now, newest_.last};
  const bool starts_over = newest_.start_over();
  const std::optional<pid_t> since = newest_.below_new();
  const bool is_whole = known_.empty() || starts_over || now - whole_at_ >= kWholeEvery;
  // Others may have got the numbers since, in a pause too.
  if (starts_over || now - whole_at_ >= 2 * kWholeEvery) known_.clear();
  if (is_whole) whole_at_ = now;
  for (auto& [pid, known] : known_) {
    if (!is_whole) break;
    known.is_new = false;
    // A kernel thread joins nothing.
    if (!since || !known.facts->is_kernel_thread) known.facts.reset();
  }
  if (is_whole || !since) return take_all(list_processes());
  if (newest_.now == since) return;
  for (const pid_t pid : list_processes(*since + 1)) {
    const auto [at, is_new] = known_.try_emplace(pid);
    if (is_new) at->second.is_new = true;
  }
}

/// Those that are not listed have ended.
void ProcessList::take_all(const std::vector<pid_t>& listed) {
  const bool are_others_new = !known_.empty();
  std::map<pid_t, Known> current;
  for (const pid_t pid : listed) {
    if (auto known = known_.extract(pid)) {
      current.insert(std::move(known));
    } else {
      current[pid].is_new = are_others_new;
    }
  }
  known_ = std::move(current);
}

void ProcessList::update(pid_t pid, Known& known) {
  known.facts = read_process(known.stat);
  if (known.facts) return;
  // Another may have got the number of one that has ended.
  Descriptor stat = open_process_stat(pid);
  known.facts = read_process(stat);
  known.stat.reset();
  if (!known.is_followed || kept_ >= most_kept_processes(descriptor_limit())) return;
  known.stat = std::move(stat);
  ++kept_;
}

std::vector<ProcessFacts> ProcessList::read(const std::vector<pid_t>& followed, TimePoint now) {
  for (auto& [pid, known] : known_) known.is_followed = false;
  for (const pid_t pid : followed) {
    const auto known = known_.find(pid);
    if (known != known_.end()) known->second.is_followed = true;
  }
  list(now);
  std::vector<ProcessFacts> processes;
  std::size_t kept = 0;
  for (auto at = known_.begin(); at != known_.end();) {
    Known& known = at->second;
    if (!known.is_followed) known.stat.reset();
    const bool is_settled = known.facts && known.facts->is_alive() && !known.is_new;
    if (known.is_followed || !is_settled) update(at->first, known);
    if (known.stat) ++kept;
    if (known.facts) processes.push_back(*known.facts);
    at = known.facts ? std::next(at) : known_.erase(at);
  }
  kept_ = kept;
  return processes;
}

}  // namespace sluice
