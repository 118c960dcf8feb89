"""What the gate asserts: outcomes, never times."""

import time

import sampling

SLEEPS_AT_ONCE = 50
COMPILERS_BEYOND_CPUS = 2


def problems(row, cpus):
    """What is wrong with a run of the gate, as sentences; none: nothing."""
    found = []
    if row.oom_kills:
        found.append(f"{row.oom_kills} OOM kills; 0 are expected")
    if row.failed or row.status:
        found.append(f"{row.failed} of {row.jobs} jobs not done, exit status {row.status}; "
                     "all and 0 are expected")
    if row.cell == "wait" and row.jobs_most <= SLEEPS_AT_ONCE:
        found.append(f"{row.jobs_most} sleeps at once at most; more than {SLEEPS_AT_ONCE} are "
                     "expected")
    allowed = cpus + COMPILERS_BEYOND_CPUS
    if row.cell == "mixed-sleeps-first" and row.compilers_most > allowed:
        found.append(f"{row.compilers_most} compilers at once on {cpus} CPUs; {allowed} at most "
                     "are expected")
    return [f"{row.cell}/{row.contender}: {each}" for each in found]


def cpus_are_measured(before, after):
    """Whether the host counts CPU time: (idle, all) ticks around a busy stretch."""
    idle, ticks = after[0] - before[0], after[1] - before[1]
    return ticks > 0 and idle < ticks


def measure_cpus(busy_s=0.3):
    try:
        before, end = sampling.host_cpu(), time.monotonic() + busy_s
        while time.monotonic() < end:
            pass
        return cpus_are_measured(before, sampling.host_cpu())
    except (OSError, ValueError, IndexError):
        return False
