"""The cells: what all contenders meet alike, and who they are."""

import dataclasses
import hashlib

import jobs
import real

NS = (1, 2, 3, 4, 6, 8, 16, 32, 64, 128, 200)

BATCH = ("batch-cold", "batch-warm")
JOBSERVER = ("jobserver-cold", "jobserver-warm")
DAEMON = ("daemon-cold", "daemon-warm")


def is_ours(name):
    return name.startswith(("batch", "jobserver", "daemon"))


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
    neighbour: str = ""
    against: str = "best"  # ours are compared with the best N, with as many by-hand, or alone
    peaks: float = 0.0  # the memory of all, in multiples of the largest job's peak; 0: unlimited

    def tried(self):
        """The Ns of pass 1: one that runs all at once is the last, larger ones do the same."""
        most = max((len(each) for _, each in self.builds), default=0)
        if self.is_real():
            return self.ns
        return tuple(n for before, n in zip((0, *self.ns), self.ns) if before < most)

    def is_real(self):
        return self.name == "real"

    def jobs(self):
        return [job for _, each in self.builds for job in each]

    def identity(self):
        text = repr([(folder, [job.command() + repr(job.size) for job in each])
                     for folder, each in self.builds])
        return hashlib.sha256(text.encode()).hexdigest()[:8]


def alone(all_jobs):
    return ((".", tuple(all_jobs)),)


def mixed(name, title, order):
    half = jobs.shuffled(jobs.compilers(16)), jobs.shuffled(jobs.sleeps(16))
    return Cell(name, title, alone(order(*half)), ours=BATCH + JOBSERVER)


def all_cells():
    cpu = alone(jobs.shuffled(jobs.compilers(48)))
    two = tuple((name, tuple(jobs.shuffled(jobs.compilers(10, name)))) for name in "ab")
    return [
        Cell("cpu", "48 compilers of 0.5 to 5 s", cpu, ours=BATCH + JOBSERVER),
        Cell("wait", "200 x sleep of 0.5 to 3 s", alone(jobs.shuffled(jobs.sleeps(200))),
             fixed="xargs-P", baseline=200, ours=BATCH + JOBSERVER),
        mixed("mixed-shuffled", "16 compilers and 16 sleeps, shuffled",
              lambda compilers, sleeps: jobs.shuffled(compilers + sleeps)),
        mixed("mixed-sleeps-first", "16 sleeps, then 16 compilers",
              lambda compilers, sleeps: sleeps + compilers),
        mixed("mixed-compilers-first", "16 compilers, then 16 sleeps",
              lambda compilers, sleeps: compilers + sleeps),
        Cell("threads", "12 jobs of 1 to 4 threads, xz -T",
             alone(jobs.shuffled([jobs.threads(name, 1 + number % 4)
                                  for number, name in enumerate(jobs.names(12))]))),
        Cell("io", "40 jobs that write, sync and read 50 MB",
             alone([jobs.disk(name) for name in jobs.names(40)])),
        Cell("short", "3,000 x 5 ms",
             alone([dataclasses.replace(jobs.sleep(name, 0.005), cpu_s=0.004, wall_s=0.008)
                    for name in jobs.names(3000, "s")]), fixed="xargs-P"),
        Cell("two-builds", "two times 10 compilers, at once", two,
             baseline=2, ours=BATCH + JOBSERVER + DAEMON, others=("make-j64-l2",)),
        Cell("two-builds-memory", "the same in 2.9 times the largest peak", two, ns=(), others=(),
             baseline=2, ours=BATCH + JOBSERVER + DAEMON, peaks=2.9),
        Cell("neighbour-thread", "48 compilers, beside a thread from 8 s to 20 s", cpu, ns=(),
             others=(), neighbour="thread"),
        # Few, since ours get but a small share of the CPUs.
        Cell("neighbour-make-j8", "12 compilers, beside make -j8",
             alone(jobs.shuffled(jobs.compilers(12))), ns=(), others=(),
             neighbour="make-j8", against="by-hand"),
        Cell("neighbour-nice19", "24 compilers, beside two threads at nice 19",
             alone(jobs.shuffled(jobs.compilers(24))), ns=(), others=(),
             ours=("batch-cold-alone", "batch-cold", "batch-warm-alone", "batch-warm"),
             neighbour="nice19", against="alone"),
        Cell("real", "redis, re2, nlohmann-json3's tests", real.builds(), ns=NS[:7],
             ours=JOBSERVER, others=("make-j64-l2",)),
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
