"""One run of one contender as a row of a TSV file; runs that have a row are not run again."""

import dataclasses

import tsv

SCAN, PAIR = "scan", "pair"
NONE = -1.0  # A figure that this run does not have, or that was not recorded yet.


@dataclasses.dataclass(frozen=True)
class Run:
    """Which run: pass 1 has one of each N (round and slot 0), pass 2 rounds of slots in order."""

    cell: str
    phase: str  # SCAN or PAIR
    round: int
    slot: int
    contender: str

    def title(self):
        where = "" if self.phase == SCAN else f", pair {self.round}"
        return f"{self.cell}/{self.contender}{where}"

    def folder(self):
        return f"{self.cell}/{self.phase}-{self.round}-{self.slot}-{self.contender}"


@dataclasses.dataclass(frozen=True)
class Row:
    """The figures of one run. Times in seconds, memory in MB (2^20 bytes)."""

    jobset: str
    cell: str
    phase: str
    round: int
    slot: int
    contender: str
    when: str  # UTC
    jobs: int
    total_s: float  # until everything is done, repair included
    first_s: float  # the contender's own pass
    cpu_s: float  # of everything in the group, repair included
    peak_mb: float  # working set
    failed: int  # jobs without success after the first pass
    undone: int  # after the repair, too; anything but 0 makes the row worthless
    oom_kills: int  # host-wide, over the whole run
    stretch_median: float  # a job's time by its time alone
    stretch_p95: float
    jobs_most: int  # at once
    compilers_most: int
    compilers_mean: float  # over the contender's own pass
    idle_pct: float  # of the host, in the first pass
    neighbour_share: float  # of one CPU, what a neighbour got over its stay
    neighbour_later_share: float  # the same once the jobs that ran when it came have ended
    status: int  # exit status of the contender, negative: a signal, 1000: given up
    # Columns that older rows do not have:
    busy_again_s: float = NONE  # from the end of a busy thread until the CPUs are busy
    below_half_s: float = NONE  # the longest with fewer compilers than half of the CPUs
    limit_mb: float = NONE  # of the group's memory

    def run(self):
        return Run(self.cell, self.phase, self.round, self.slot, self.contender)

    def key(self):
        return (self.jobset, self.run())

    def clean(self):
        return self.failed == 0 and self.oom_kills == 0 and self.undone == 0 and self.status == 0


def load(path):
    return tsv.load(Row, path)


append = tsv.append
