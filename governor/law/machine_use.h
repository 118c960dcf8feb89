#pragma once

#include <optional>

#include "sluice/machine_use.h"
#include "sluice/units.h"

namespace sluice {

/// What the CPUs and disks did between two readings: integrals over that time. A decayed average,
/// such as load1, would show what was admitted a moment ago only after a minute.
struct MachineUse {
  Duration span{0};
  double cpus = 1;        ///< CPU time there was, per second: usable CPUs less steal; > 0.
  double busy = 0;        ///< CPU time used / CPU time there was, of the tightest level; 0 to 1.
  double cores = 0;       ///< CPU time used per second, of the level with the least left.
  double yielding = 0;    ///< CPU time per second of work that yields to ours; not in `cores`.
  double waiting = 0;     ///< Mean number of tasks waiting for a CPU, per CPU; >= 0.
  double io_waiting = 0;  ///< Part of the time in which some task waited for I/O; 0 to 1.
  double sectors = 0;     ///< Read and written per second.
  // Of our jobs; the caller adds them:
  double own_waiting = 0;  ///< The part of `waiting` that is measured of jobs, per CPU.
  double ended = 0;        ///< Jobs that ended, per second.
};

/// The use between two readings; nullopt if they cannot be compared: a level appeared or went, a
/// counter went backwards, or the counters stand still.
///
/// `waiting` is what the host's tasks waited for a CPU, where the kernel counts it and the host is
/// the tightest level: a quota holds back tasks that the host's figure does not tell from others.
/// Else it is the stall of the CPUs (PSI `some`), which on many CPUs is weighted by CPU: one job
/// too many is 1/64 of it on 64. While others' work that yields to ours runs, that work
/// waits and stalls whatever ours does: then `waiting` is 0 here, and the caller adds what the jobs
/// themselves waited. Where the
/// kernel does not measure I/O stalls, `io_waiting` is the blocked part of the tasks that run or
/// are blocked.
std::optional<MachineUse> use_between(const UseCounters& before, const UseCounters& after);

/// Mean number of tasks of the host that ran or waited for a CPU between two readings; nullopt
/// where the kernel does not count them. Unlike `MachineUse::waiting` it has all tasks of the load
/// average but those that wait for a disk.
std::optional<double> tasks_between(const UseCounters& before, const UseCounters& after);

/// Counts the niced part of the jobs' own work, which the kernel books as work that yields. `own`:
/// CPU time of the jobs per second, >= 0. The part that does not fit in the work that does not
/// yield must be niced, and no more is counted: a lower bound, exact while no other program is
/// busy.
void count_own_work(MachineUse& use, double own);

}  // namespace sluice
