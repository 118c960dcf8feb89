"""One run of one contender as a row of a TSV file; rows that are there are not run again."""

import dataclasses
import json
import pathlib


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


FIELDS = dataclasses.fields(Row)


def to_line(row):
    values = [getattr(row, field.name) for field in FIELDS]
    words = [json.dumps(value, separators=(",", ":")) if isinstance(value, dict)
             else f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float)
             else str(value) for value in values]
    return "\t".join(words) + "\n"


def from_line(line):
    words = line.rstrip("\n").split("\t")
    if len(words) != len(FIELDS):
        raise ValueError(f"{len(words)} columns, {len(FIELDS)} expected")
    read = {"dict": json.loads, "float": float, "int": int, "str": str}
    types = [field.type if isinstance(field.type, str) else field.type.__name__
             for field in FIELDS]
    return Row(*(read[kind](word) for kind, word in zip(types, words)))


HEADER = "\t".join(field.name for field in FIELDS) + "\n"


def load(path):
    """The rows of a file; a line that was cut off by a kill is left out, as if never run."""
    path = pathlib.Path(path)
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    if lines and lines[0] != HEADER:
        raise ValueError(f"{path}: columns of another version; move it aside or give --rows FILE")
    whole = [line for line in lines[1:] if line.endswith("\n")]
    return [from_line(line) for line in whole]


def append(path, row):
    path = pathlib.Path(path)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    with open(path, "a", encoding="utf-8") as file:
        if not text:
            file.write(HEADER)
        elif not text.endswith("\n"):
            file.truncate(text.rfind("\n") + 1)
        file.write(to_line(row))
