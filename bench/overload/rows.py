"""One run of one contender as a row of a TSV file; rows that are there are not run again."""

import dataclasses

import tsv


@dataclasses.dataclass(frozen=True)
class Cell:
    """What all contenders meet alike. `factor`: the limit as a multiple of the largest peak."""

    factor: float
    seed: int
    order: str = "shuffled"  # or heavy-first
    tenant: int = 0  # 1: a second tenant is in the group

    def title(self):
        extra = ", second tenant" if self.tenant else ""
        return f"{self.factor:g} x the largest peak, seed {self.seed}, {self.order}{extra}"


@dataclasses.dataclass(frozen=True)
class Row:
    """The figures of one run. Times in seconds, memory in MB (2^20 bytes)."""

    jobset: str
    factor: float
    seed: int
    order: str
    tenant: int
    contender: str
    when: str  # UTC
    limit_mb: int
    jobs: int
    first_s: float  # the contender's own pass
    repair_s: float  # make -k -j1 for what failed
    total_s: float  # until everything is built
    failed: int  # jobs without success after the first pass
    unbuilt: int  # after the repair, too; anything but 0 makes the row worthless
    oom_kills: int  # host-wide, over the whole run
    poisoned: int  # outputs that failed jobs left behind
    repeated: int  # compilers that ran beyond the first of a job, in the first pass
    braked: int  # jobs it says itself that it ended and queued again; -1: it says nothing
    cpu_s: float  # of everything in the group, repair included
    wasted_s: float  # CPU of compilers whose work was lost
    idle_pct: float  # of the host, in the first pass
    peak_mb: float  # working set
    over_90_s: float  # working set above 90 % of the limit
    small_wait_mean_s: float  # from the start of the run to the start of a light or waiting job
    small_wait_max_s: float
    tenant_killed: int
    status: int  # exit status of the contender, negative: a signal, 1000: given up
    starts: dict  # job -> seconds after the start of the run

    def key(self):
        return (self.jobset, self.cell(), self.contender)

    def cell(self):
        return Cell(self.factor, self.seed, self.order, self.tenant)


to_line = tsv.to_line
append = tsv.append


def from_line(line):
    return tsv.from_line(Row, line)


def load(path):
    return tsv.load(Row, path)
