#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/process_table.h"
#include "sluice/units.h"

namespace sluice {

/// Now, on the clock that dates processes.
Duration time_since_boot();
/// The same in ticks, as the kernel tells when a process started.
std::uint64_t ticks_since_boot();

/// The CPU time of one tree of processes, from sample to sample.
///
///   growth = Σ of each process (now - before) - Σ of those ended, as last seen
///
/// The kernel adds the time of an ended child to that of the parent that waited for it, so the time
/// of an ended process is taken off its nearest ancestor that is left, down to zero growth. Pure
/// except for its memory of the last sample; not thread-safe.
class TreeCpu {
 public:
  struct Growth {
    Duration cpu{0};
    std::size_t vanished = 0;  ///< Processes that ended without an ancestor in the tree.
  };

  /// `began`: when the reading begins, in ticks since boot. CPU time that `known` processes used
  /// before does not count, nor what others, started earlier, had used when they are first seen.
  TreeCpu(std::uint64_t began, const std::vector<ProcessFacts>& known)
      : began_(began), seen_(by_number(known)) {}

  /// Takes in the processes of the tree, with those that have ended and nobody has waited for.
  Growth sample(const std::vector<ProcessFacts>& members);

  /// Of the last sample.
  std::vector<pid_t> pids() const;
  /// Whether the process was in the last sample.
  bool knows(const ProcessFacts& process) const;

 private:
  struct Seen {
    std::uint64_t started = 0;
    pid_t parent = 0;
    Duration cpu{0};
  };
  using ByNumber = std::map<pid_t, Seen>;

  static ByNumber by_number(const std::vector<ProcessFacts>& members);
  pid_t heir_of(pid_t ended, const ByNumber& now) const;
  Duration growth_of(pid_t pid, const Seen& now, Duration inherited) const;

  std::uint64_t began_;
  ByNumber seen_;
};

}  // namespace sluice
