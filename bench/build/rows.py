"""One run of one contender of one figure as a row of a TSV file."""

import dataclasses

import tsv


@dataclasses.dataclass(frozen=True)
class Row:
    figure: str
    contender: str
    round: int
    when: str  # UTC
    load: float  # load average of a minute when it began
    limit_mb: int  # 0: none
    jobs: int
    seconds: float
    done: int  # jobs that succeeded
    oom_kills: int  # in the group
    peak_mb: float  # working set of the group
    cpu_s: float
    status: int  # exit status; negative: a signal; 1000: given up
    facts: dict  # what the figure measured besides

    def key(self):
        return (self.figure, self.contender, self.round)


def load(path):
    return tsv.load(Row, path)


append = tsv.append
