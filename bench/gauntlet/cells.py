"""The cells: what all contenders meet alike, and who they are."""

import dataclasses
import hashlib

import jobs

NS = (1, 2, 3, 4, 6, 8, 16, 32, 64, 128, 200)

BATCH = ("batch-cold", "batch-warm")
JOBSERVER = ("jobserver-cold", "jobserver-warm")


@dataclasses.dataclass(frozen=True)
class Cell:
    name: str
    title: str
    builds: tuple  # ((folder, jobs), ...): each with its Makefile and jobs.txt
    fixed: str = "make-j"  # what runs N at once
    ns: tuple = NS
    baseline: int | None = None  # the N that ours are compared with; none: the best of pass 1
    ours: tuple = BATCH
    others: tuple = ("parallel-load", "make-j64-l2")

    def jobs(self):
        return [job for _, each in self.builds for job in each]

    def identity(self):
        text = repr([(folder, [job.command() + repr(job.size) for job in each])
                     for folder, each in self.builds])
        return hashlib.sha256(text.encode()).hexdigest()[:8]


def alone(all_jobs):
    return ((".", tuple(all_jobs)),)


def mixed(name, title, order):
    half = jobs.shuffled(jobs.compilers(24)), jobs.shuffled(jobs.sleeps(24))
    return Cell(name, title, alone(order(*half)), ours=BATCH + JOBSERVER)


def all_cells():
    return [
        Cell("cpu", "48 compilers of 0.5 to 5 s", alone(jobs.shuffled(jobs.compilers(48))),
             ours=BATCH + JOBSERVER),
        Cell("wait", "200 x sleep of 0.5 to 3 s", alone(jobs.shuffled(jobs.sleeps(200))),
             fixed="xargs-P", baseline=200, ours=BATCH + JOBSERVER),
        mixed("mixed-shuffled", "24 compilers and 24 sleeps, shuffled",
              lambda compilers, sleeps: jobs.shuffled(compilers + sleeps)),
        mixed("mixed-sleeps-first", "24 sleeps, then 24 compilers",
              lambda compilers, sleeps: sleeps + compilers),
        mixed("mixed-compilers-first", "24 compilers, then 24 sleeps",
              lambda compilers, sleeps: compilers + sleeps),
        Cell("short", "3,000 x 5 ms",
             alone([dataclasses.replace(jobs.sleep(name, 0.005), cpu_s=0.004, wall_s=0.008)
                    for name in jobs.names(3000, "s")]), fixed="xargs-P"),
    ]


def short_cells(cpus):
    """The gate's: cells of seconds, with the bounds of short.py."""
    compilers = jobs.shuffled(jobs.compilers(6 * cpus, sizes=4))
    return [
        Cell("wait", "200 x sleep of 0.5 to 3 s", alone(jobs.shuffled(jobs.sleeps(200))),
             fixed="xargs-P", ours=BATCH[:1]),
        Cell("mixed-sleeps-first", f"60 sleeps, then {6 * cpus} compilers",
             alone(jobs.shuffled(jobs.sleeps(60)) + compilers), ours=BATCH[:1]),
    ]
