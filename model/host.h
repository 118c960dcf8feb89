#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/load.h"
#include "sluice/job.h"
#include "sluice/machine_use.h"
#include "sluice/prediction.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice::model {

/// A part of a job's life. It first moves `disk`, then computes or waits. A job takes at least one
/// step of the host.
struct Phase {
  double seconds = 0;  ///< Its length on an idle host, without `disk`; >= 0.
  double cores = 0;    ///< Runnable threads throughout; 0: it waits for something else; >= 0.
  Bytes disk{0};       ///< Read from or written to the disk; blocked until done.
  Bytes memory{0};     ///< Held at its begin.
  Bytes growth{0};     ///< Of the memory by its end, evenly.
};

/// Threads and memory of other programs, for a time.
struct Neighbour {
  enum class Yields { no, to_ours };  ///< `to_ours`: at nice 19, it gets what is left over.
  Duration from{0}, until{Duration::max()};
  double threads = 1;  ///< Always runnable; >= 0.
  Yields yields = Yields::no;
  Bytes memory{0};
};

struct HostOptions {
  double cpus = 2;                       ///< > 0
  Bytes memory{std::uint64_t{8} << 30};  ///< > 0; a twenty-fifth is the system's.
  /// Of the one disk; > 0.
  Bytes disk_per_second{std::uint64_t{200} << 20};
  std::optional<double> quota = std::nullopt;  ///< CPUs that the jobs together may use; > 0.
  double steal = 0;  ///< Part of the CPU time that a hypervisor takes; [0, 1).
  std::vector<Neighbour> neighbours = {};
  Duration step = std::chrono::milliseconds(50);  ///< > 0
};

/// Totals since the start, in core seconds and jobs.
struct Totals {
  double seconds = 0;
  double busy = 0;    ///< Used by anyone, without time lost to a lack of memory.
  double useful = 0;  ///< Of jobs that ended well, at their length on an idle host.
  std::int64_t ended = 0, killed = 0;
  double most_runnable = 0;  ///< Threads of jobs at once.
};

/// A machine that runs jobs, in steps, with its feedback: more runnable threads than CPUs slow each
/// other down, a full disk blocks, too little memory stalls and then kills. Deterministic; no
/// randomness of its own. Not thread-safe.
///
/// - Runnable threads share the CPUs evenly; the jobs get their quota at most, and each multiple of
///   oversubscription costs them 3 % for switching and cold caches.
/// - The disk's bandwidth is shared evenly by the phases blocked on it.
/// - Below 2 % of available memory the page cache does not hold the working set any more: the time
///   lost grows to 90 % when nothing is left. Then the kernel kills the largest job.
class Host {
 public:
  explicit Host(HostOptions options);

  using Number = std::size_t;
  /// Starts a job; the number is its own until it is taken from `take_ended`.
  Number start(std::vector<Phase> phases);

  /// A suspended job keeps its memory and does nothing else.
  void suspend(Number job) { jobs_[job].suspended = true; }
  void resume(Number job) { jobs_[job].suspended = false; }
  bool is_suspended(Number job) const { return jobs_[job].suspended; }

  /// Lets one step pass.
  void advance();
  TimePoint now() const { return now_; }

  struct Ended {
    Number job;
    Outcome outcome;  ///< ok or oom.
    JobUsage usage;
  };
  /// The jobs that ended since the last call, in order.
  std::vector<Ended> take_ended();

  /// What its processes have used so far.
  JobUsage usage(Number job) const;
  /// The counters of /proc and PSI, exact.
  UseCounters counters() const;
  MemoryLimit memory() const;

  double load1() const { return load_.value(); }
  double available() const;  ///< MemAvailable / MemTotal
  double memory_some() const { return memory_stall_.value(); }
  double memory_full() const { return memory_stall_.value() / 2; }
  std::size_t running() const { return running_; }
  double runnable() const;  ///< Threads of jobs that run or wait for a CPU.
  double cpus() const { return options_.cpus; }
  const Totals& totals() const { return totals_; }

  // The machine changes while it runs:
  void set_cpus(double cpus) { options_.cpus = cpus; }
  void set_quota(std::optional<double> quota) { options_.quota = quota; }
  void set_steal(double steal) { options_.steal = steal; }

 private:
  struct Job {
    std::vector<Phase> phases;
    std::size_t phase = 0;
    double left = 0, disk_left = 0;  ///< Seconds and bytes of the phase.
    double cpu = 0, delay = 0;       ///< Seconds.
    double moved = 0;                ///< Bytes.
    double held = 0, peak = 0;       ///< Bytes.
    TimePoint started;
    Duration idle{0};  ///< Suspended.
    bool in_use = false, suspended = false;
  };
  /// What a step gives to a runnable thread and to a blocked job.
  struct Share {
    double cpu = 1;    ///< CPU time of a thread.
    double speed = 1;  ///< Its progress.
    double disk = 0;   ///< Bytes per second.
  };
  /// The demand for CPUs and disk in this step.
  struct Demand {
    double own = 0, neighbours = 0, yielding = 0;  ///< Runnable threads.
    double blocked = 0;                            ///< Jobs.
  };

  bool is_blocked(const Job& job) const { return !job.suspended && job.disk_left > 0; }
  double threads_of(const Job& job) const;
  Demand demand() const;
  double stall() const;
  double memory_held() const;
  Share share_out(const Demand& demand);
  void count(const Demand& demand, double used, double neighbours, double yielding);
  void proceed(Job& job, const Share& share);
  void begin_phase(Job& job);
  void hold_memory(Job& job);
  void end(Job& job, Outcome outcome);
  void kill_for_memory();
  void sample(const Demand& demand, double stalled);
  bool is_each(Duration period) const;

  HostOptions options_;
  double step_;  ///< Seconds.
  TimePoint now_{};
  std::vector<Job> jobs_;
  std::vector<Number> free_;
  std::vector<Ended> ended_;
  std::size_t running_ = 0;
  Totals totals_;
  LoadAverage load_;
  StallAverage memory_stall_;
  // Counters, in seconds:
  double used_ = 0, own_used_ = 0, available_ = 0, quota_available_ = 0, yielding_ = 0;
  double cpu_stalled_ = 0, io_stalled_ = 0, moved_ = 0;
  Demand last_;
};

}  // namespace sluice::model
