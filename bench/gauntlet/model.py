"""The same cells on the model of a host, by `sluice replay`: do the recorded totals agree?

A modelled job has the length that jobs.py says, times the CPU seconds of the recorded run by those
that jobs.py says: the model knows no machine. Nothing here takes time on a real CPU.
"""

import dataclasses
import json
import pathlib
import statistics
import subprocess
import tempfile

import neighbours
import plan
from rows import PAIR

WITHIN = 0.15
MEMORY = "24GiB"  # Of the machines of the recorded sessions; no cell but `memory` lacks any.
# Not `io`, whose disk nobody measured, nor `short`, whose jobs are shorter than a step of the
# model, nor `real`, whose jobs nobody knows, nor two builds, whose tokens a scenario does not have.
# Beside `make -j8` it would need the half of the CPUs that `batch` takes, and a replay does not.
CELLS = ("cpu", "wait", "mixed-shuffled", "mixed-sleeps-first", "mixed-compilers-first", "threads",
         "neighbour-thread", "neighbour-nice19")
CONTENDERS = ("batch-cold", "batch-warm")
BESIDE = {"thread": f"{{from: {neighbours.FROM_S:g}s, until: {neighbours.UNTIL_S:g}s, threads: 1}}",
          "nice19": "{threads: 2, yields: true}"}
START_CORES = 0.06  # Of a `sleep` in its first step of 50 ms: it computes for 3 ms.


def nominal_cpu_s(cell):
    """Of what computes; a sleep takes what it says on each machine."""
    return sum(job.cpu_s for job in cell.jobs() if not sleeps(job))


def slowness(row, cell):
    """CPU seconds of a run by those that jobs.py says; 1 where nothing computes."""
    nominal = nominal_cpu_s(cell)
    return row.cpu_s / nominal if nominal > 0 else 1.0


def cores_of(job):
    return int(job.kind[2:]) if job.kind.startswith("xz") else 1


def program_of(job):
    return job.work.split()[0]


def sleeps(job):
    return job.kind.startswith("sleep")


def length_s(job, slow):
    return job.wall_s if sleeps(job) else slow * job.wall_s


def named(job):
    """Numbers in a command are its variant, not its key: as `sluice batch` derives them."""
    program = program_of(job)
    return f"key: {program}, program: {program}, variant: {job.name}"


def phases(job, slow):
    if sleeps(job):
        return f"[{{runs: 50ms, cores: {START_CORES:g}}}, {{runs: {job.wall_s:.3f}s}}]"
    return f"[{{runs: {length_s(job, slow):.3f}s, cores: {cores_of(job)}}}]"


def learned(job, slow):
    """What a cold run has taught of a job."""
    cores = 0.003 / job.wall_s if sleeps(job) else cores_of(job)
    return (f"{{{named(job)}, runs: {length_s(job, slow):.3f}s, cores: {cores:.4f}, "
            "memory: 1MiB}")


def scenario(cell, contender, slow, cpus):
    """The text of a scenario of `sluice replay`. Warm, `batch` starts with the longest."""
    warm, jobs = contender.endswith("-warm"), cell.jobs()
    if warm:
        jobs = sorted(jobs, key=lambda job: -length_s(job, slow))
    beside = f", neighbours: [{BESIDE[cell.neighbour]}]" if cell.neighbour else ""
    history = ", ".join(learned(job, slow) for job in jobs if warm)
    lines = [f"machine: {{cpus: {cpus}, memory: {MEMORY}, model: host{beside}}}",
             f"history: [{history}]", "jobs:"]
    lines += [f"  - {{id: {job.name}, {named(job)}, phases: {phases(job, slow)}}}" for job in jobs]
    return "\n".join(lines) + "\n"


def total_s(records):
    """When the last job ended, by the output of `sluice replay --json`; none if one failed."""
    events = [json.loads(line) for line in records.splitlines()]
    ends = [event for event in events if event["event"] == "finished"]
    submitted = sum(event["event"] == "submitted" for event in events)
    if not ends or len(ends) != submitted or any("outcome" in event for event in ends):
        return None
    return max(event["t"] for event in ends)


def replay(sluice, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "cell.yaml")
        path.write_text(text)
        done = subprocess.run([sluice, "replay", str(path), "--json"], capture_output=True,
                              text=True, check=True)
    return total_s(done.stdout)


@dataclasses.dataclass(frozen=True)
class Comparison:
    """A contender in a cell: totals in seconds, medians over its runs."""

    cell: str
    contender: str
    runs: int
    recorded_s: float
    modelled_s: float

    def off(self):
        """The modelled total by the recorded one, less 1."""
        return self.modelled_s / self.recorded_s - 1.0

    def agrees(self):
        return abs(self.off()) <= WITHIN


def cpus_of(row):
    """Of the machine that ran it, by the name of its jobset: HASH-gccVERSION-2cpu."""
    return int(row.jobset.rsplit("-", 1)[1].removesuffix("cpu"))


def compared(rows, some, sluice):
    """Of each cell and contender that has runs, in the order of CELLS."""
    found, by_name = [], {cell.name: cell for cell in some}
    done = [row for row in plan.latest(rows).values() if row.phase == PAIR and row.clean()]
    for name in CELLS:
        for contender in CONTENDERS:
            runs = [row for row in done if row.cell == name and row.contender == contender]
            if not runs or name not in by_name:
                continue
            cell = by_name[name]
            modelled = [replay(sluice, scenario(cell, contender, slowness(row, cell), cpus_of(row)))
                        for row in runs]
            if None in modelled:
                raise RuntimeError(f"{name}, {contender}: not every job of the model succeeded")
            found.append(Comparison(name, contender, len(runs),
                                    statistics.median(row.total_s for row in runs),
                                    statistics.median(modelled)))
    return found


def table(comparisons):
    lines = [f"{'cell':<24}{'contender':<13}{'runs':>5}{'recorded s':>12}{'modelled s':>12}"
             f"{'off':>7}  within {100 * WITHIN:.0f} %"]
    for each in comparisons:
        lines.append(f"{each.cell:<24}{each.contender:<13}{each.runs:>5}{each.recorded_s:>12.1f}"
                     f"{each.modelled_s:>12.1f}{f'{100 * each.off():+.0f} %':>7}  "
                     f"{'yes' if each.agrees() else 'no'}")
    return "\n".join(lines)
