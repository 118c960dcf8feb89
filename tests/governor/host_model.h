#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace sluice::model {

/// A machine.
struct HostShape {
  int cores = 16;
  double memory_gib = 64;
};

/// A job's load on its machine.
struct JobSpec {
  double setup_cores = 0.5;  ///< Clone and unpack: mostly network.
  double setup_seconds = 30;
  double cores = 1;          ///< Runnable tasks after the set-up.
  double work_seconds = 60;  ///< After the set-up, on a machine with enough capacity.
  double peak_gib = 1;       ///< Three tenths are used from the end of the set-up.
  double climb_from = 0.1;   ///< Part of the work after which memory climbs to the peak.
};

/// An endless stream of lint (1 core, 1 GiB, 90 s), build (4 cores, 5 GiB, 300 s) and test jobs (2
/// cores, 12 GiB, 480 s, memory late), a third each, lognormal around these medians. No job needs
/// more than the cores or 45 % of the memory of `host`. The same seed gives the same stream.
class JobStream {
 public:
  JobStream(HostShape host, std::uint64_t seed);
  JobSpec next();

 private:
  double uniform();
  double lognormal(double median, double sigma);

  HostShape host_;
  std::mt19937_64 random_;
};

/// The sensors' view of the machine.
struct HostView {
  double load1 = 0;
  double cpu_some = 0;     ///< PSI, avg10, as a ratio.
  double memory_some = 0;  ///< PSI, avg10, as a ratio.
  double memory_full = 0;  ///< PSI, avg10, as a ratio.
  double available = 1;    ///< MemAvailable / MemTotal.
  int running = 0;         ///< All jobs, including those in set-up.
  int starting = 0;        ///< Jobs in set-up.
};

/// Totals since the start.
struct HostTally {
  std::int64_t seconds = 0;
  int finished = 0;
  int killed = 0;                  ///< By the kernel, for memory.
  double busy_core_seconds = 0;    ///< Cores neither idle nor waiting for memory.
  double useful_core_seconds = 0;  ///< Work of finished jobs, at its cost on an idle machine.
};

/// A machine that runs CI jobs, in steps of one virtual second, without randomness of its own.
///
/// Runnable tasks share the CPU evenly; each multiple of oversubscription loses 3 % to switching
/// and cold caches. load1 is the kernel's: sampled every 5 s, fixed-point, 60 s decay; PSI averages
/// are sampled every 2 s with 10 s decay. Memory: below 6 % available the page cache no longer
/// holds the working set, and the time lost to refaults grows linearly to 90 % when nothing is left
/// (`full` is half of it). When nothing is left the kernel kills the largest job, and the next
/// largest, until the rest fits; a killed job is not retried.
class HostModel {
 public:
  explicit HostModel(HostShape shape);

  void start(const JobSpec& job);

  /// Advances the time by one second.
  void advance();

  HostView view() const;
  const HostTally& tally() const { return tally_; }

 private:
  struct Job {
    JobSpec spec;
    double setup_left;
    double work_left;
  };

  static double memory_of(const Job& job);
  double used_gib() const;
  double demand() const;
  void kill_for_memory();
  void sample(double runnable, double stalled);

  HostShape shape_;
  std::vector<Job> jobs_;
  HostTally tally_;
  std::uint64_t load_ = 0;  ///< Fixed point, 11 bits of fraction.
  HostView averages_;
};

}  // namespace sluice::model
