#include "sensors/use_meter.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/parse.h"
#include "sensors/cgroup/cgroupfs.h"
#include "sensors/files/file.h"
#include "sensors/files/procfs.h"
#include "sensors/psi.h"

namespace sluice {
namespace {

/// A line for each CPU, and one of interrupts that is as long again.
constexpr std::size_t kMostStat = std::size_t{4} << 20;
constexpr std::size_t kMostDiskstats = std::size_t{1} << 20;

std::optional<CpuTimes> parse_times(std::string_view line, Duration tick) {
  // user nice system idle iowait irq softirq steal; guests are part of user and nice.
  std::int64_t ticks[8]{};
  for (std::int64_t& each : ticks) {
    const std::string_view word = next_word(line);
    const auto number = parse_as<std::int64_t>(word);
    if (!number || *number < 0 || *number > INT64_MAX / tick.count()) return std::nullopt;
    each = *number;
  }
  const auto [user, nice, system, idle, iowait, irq, softirq, steal] = ticks;
  return CpuTimes{(user + system + irq + softirq) * tick, nice * tick, (idle + iowait) * tick,
                  steal * tick};
}

class HostUseMeter {
 public:
  HostUseMeter(HostPaths paths, const HostFacts& host)
      : paths_(std::move(paths)),
        tick_(std::chrono::nanoseconds(std::chrono::seconds(1)) /
              std::max(1L, ::sysconf(_SC_CLK_TCK))),
        counts_niced_(host.is_niced),
        cpus_(host.cpus_usable),
        stat_(paths_.at("/proc/stat"), kMostStat, KeptFile::Content::one_record),
        disks_(paths_.at("/proc/diskstats"), kMostDiskstats, KeptFile::Content::short_records) {
    if (host.measures_cpu_pressure) cpu_stall_.emplace(paths_, PsiKind::cpu);
    if (host.measures_io_pressure) io_stall_.emplace(paths_, PsiKind::io);
    const std::string delays = paths_.at("/proc/schedstat");
    if (::access(delays.c_str(), R_OK) == 0) delays_.emplace(delays, kMostStat);
  }

  UseCounters read(TimePoint now) {
    if (rescan_.is_due(now)) rescan(now);
    UseCounters counters;
    counters.at = now;
    counters.cpus = cpus_;
    add_host(counters);
    for (Quota& quota : quotas_) add_quota(quota, now, counters);
    counters.cpu_stall = stall(cpu_stall_, now);
    counters.io_stall = stall(io_stall_, now);
    const auto disks = disks_.read();
    if (value_in(disks)) counters.sectors = parse_diskstats(*value_in(disks));
    return counters;
  }

 private:
  struct Quota {
    CpuQuota quota;
    KeptFile usage;
    TimePoint since;
    Duration available{0};  ///< At `since`.
  };

  /// Quotas and affinity may change while this process runs.
  void rescan(TimePoint now) {
    const HostFacts host = read_host_facts(paths_);
    cpus_ = host.cpus_usable;
    allowed_.clear();
    // The CPUs of an executor in another container are its own; only their number is known here.
    const auto status = paths_.executor ? Result<std::string>(ReadFailure{})
                                        : read_once(paths_.at("/proc/self/status"));
    if (value_in(status)) {
      allowed_ = parse_cpu_list(cpus_allowed_list(*value_in(status))).value_or(allowed_);
    }
    std::vector<Quota> found;
    for (CpuQuota& quota : find_quotas(paths_, host.cgroups)) {
      const auto known = std::ranges::find(
          quotas_, quota.usage_file,
          [](const Quota& each) -> const std::string& { return each.quota.usage_file; });
      if (known == quotas_.end()) {
        KeptFile usage(paths_.at(quota.usage_file));
        found.push_back({std::move(quota), std::move(usage), now});
        continue;
      }
      known->available = available_at(*known, now);
      known->since = now;
      known->quota = std::move(quota);
      found.push_back(std::move(*known));
    }
    quotas_ = std::move(found);
  }

  static Duration available_at(const Quota& quota, TimePoint now) {
    const double grown = static_cast<double>((now - quota.since).count()) * quota.quota.cpus;
    return quota.available + Duration(static_cast<Duration::rep>(grown));
  }

  void add_host(UseCounters& counters) {
    const auto parsed =
        read_parsed(stat_, [this](std::string_view text) { return parse_proc_stat(text, tick_); });
    if (!value_in(parsed)) return;
    const ProcStat& stat = *value_in(parsed);
    counters.running = stat.running;
    counters.blocked = stat.blocked;
    const bool all = allowed_.empty() || allowed_.size() >= stat.each.size();
    std::vector<int> counted;
    UseCounters::Level level;
    if (all) add(stat.all, level);
    for (const int cpu : all ? std::vector<int>{} : allowed_) {
      const auto at = static_cast<std::size_t>(cpu);
      if (at >= stat.each.size() || !stat.each[at]) continue;
      add(*stat.each[at], level);
      counted.push_back(cpu);
    }
    level.where = host_level(std::move(counted));
    if (!counts_niced_) counters.yielding = stat.all.niced;
    counters.levels.push_back(std::move(level));
    if (all) counters.run_delay = run_delay();
  }

  /// The name of the level that sums these CPUs (empty: all). A sum over others gets another name:
  /// by the difference of the two, a CPU that came would have been used since the boot.
  std::string host_level(std::vector<int> counted) {
    if (counted_ && *counted_ != counted) ++changes_;
    counted_ = std::move(counted);
    return changes_ == 0 ? "host" : "host, change of CPUs " + std::to_string(changes_);
  }

  std::optional<UseCounters::RunDelay> run_delay() {
    if (!delays_) return std::nullopt;
    const auto parsed = read_parsed(*delays_, parse_host_schedstat);
    return value_in(parsed) ? std::optional(*value_in(parsed)) : std::nullopt;
  }

  void add(const CpuTimes& times, UseCounters::Level& level) const {
    level.used += times.busy + (counts_niced_ ? times.niced : Duration(0));
    level.available += times.busy + times.niced + times.idle;
  }

  static void add_quota(Quota& quota, TimePoint now, UseCounters& counters) {
    const auto text = quota.usage.read();
    const auto used = value_in(text) ? quota.quota.used_in(*value_in(text)) : std::nullopt;
    if (used) counters.levels.push_back({quota.quota.where, *used, available_at(quota, now)});
  }

  static std::optional<UseCounters::Stall> stall(std::optional<NearestPsi>& psi, TimePoint now) {
    if (!psi) return std::nullopt;
    const auto sample = psi->read(now);
    if (!value_in(sample)) return std::nullopt;
    const std::chrono::microseconds some(value_in(sample)->psi.some.total);
    return UseCounters::Stall{value_in(sample)->source, some};
  }

  HostPaths paths_;
  Duration tick_;
  bool counts_niced_;
  RescanTimer rescan_;
  double cpus_;
  std::vector<int> allowed_;                 ///< Empty: all, or unknown.
  std::optional<std::vector<int>> counted_;  ///< In the last reading; empty: all.
  std::uint64_t changes_ = 0;                ///< Of `counted_`.
  std::vector<Quota> quotas_;
  KeptFile stat_, disks_;
  std::optional<KeptFile> delays_;
  std::optional<NearestPsi> cpu_stall_, io_stall_;
};

}  // namespace

Result<ProcStat> parse_proc_stat(std::string_view text, Duration tick) {
  constexpr std::uint64_t kMostCpus = 1 << 20;
  std::optional<CpuTimes> all;
  ProcStat stat;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view name = next_word(line);
    if (name == "procs_running") stat.running = parse_u64(trimmed(line)).value_or(0);
    if (name == "procs_blocked") stat.blocked = parse_u64(trimmed(line)).value_or(0);
    if (!name.starts_with("cpu")) continue;
    const auto times = parse_times(line, tick);
    if (!times) return ReadFailure{"the line '" + std::string(name) + "' is malformed"};
    if (name == "cpu") {
      all = times;
      continue;
    }
    const auto number = parse_u64(name.substr(3));
    if (!number || *number >= kMostCpus) return ReadFailure{"malformed cpu line"};
    if (*number >= stat.each.size()) stat.each.resize(*number + 1);
    stat.each[*number] = times;
  }
  if (!all) return ReadFailure{"no line 'cpu'"};
  stat.all = *all;
  return stat;
}

Result<UseCounters::RunDelay> parse_host_schedstat(std::string_view text) {
  constexpr std::uint64_t kFirstInNanoseconds = 15;
  UseCounters::RunDelay sum;
  std::uint64_t version = 0;
  bool has_cpus = false;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view name = next_word(line);
    if (name == "version") version = parse_u64(trimmed(line)).value_or(0);
    if (!name.starts_with("cpu")) continue;
    // Six counts of the scheduler's decisions, then the time run, the time waited, a count.
    for (int field = 1; field <= 6; ++field) next_word(line);
    const auto ran = parse_as<std::int64_t>(next_word(line));
    const auto waited = parse_as<std::int64_t>(next_word(line));
    const bool is_valid = ran && waited && *ran >= 0 && *waited >= 0;
    if (!is_valid || *ran > INT64_MAX - sum.ran.count() ||
        *waited > INT64_MAX - sum.waited.count()) {
      return ReadFailure{"the line '" + std::string(name) + "' is malformed"};
    }
    sum.ran += Duration(*ran);
    sum.waited += Duration(*waited);
    has_cpus = true;
  }
  if (version < kFirstInNanoseconds) return ReadFailure{"its version does not count nanoseconds"};
  if (!has_cpus) return ReadFailure{"no cpu line"};
  return sum;
}

std::uint64_t parse_diskstats(std::string_view text) {
  std::uint64_t sectors = 0;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    // major minor name reads merged sectors time writes merged sectors
    for (int field = 1; field <= 10; ++field) {
      const std::string_view word = next_word(line);
      if (field == 6 || field == 10) sectors += parse_u64(word).value_or(0);
    }
  }
  return sectors;
}

UseMeter use_meter(const HostPaths& paths, const HostFacts& host) {
  auto meter = std::make_shared<HostUseMeter>(paths, host);
  return [meter](TimePoint now) { return meter->read(now); };
}

}  // namespace sluice
