"""What goes on over time, four times a second: jobs, CPUs, memory, the window of ours."""

import dataclasses
import json
import pathlib

import sampling

COMPILERS = ("cc1plus", "cc1")
PRESSURE = pathlib.Path("/proc/pressure/cpu")
BUSY = 0.95  # From this share on the CPUs count as busy.


@dataclasses.dataclass(frozen=True)
class Look:
    """`at`: seconds since the start. Shares are those since the look before."""

    at: float
    compilers: int
    busy: float  # of the host's CPUs, 0 to 1
    waiting: float  # share of the time in which a task waited for a CPU; -1: not known
    memory_mb: float


def stalled_us(text):
    """The total of `some` in a pressure file."""
    return int(text.split("total=", 1)[1].split()[0])


class Looker:
    """Remembers the counters of the look before."""

    def __init__(self, group):
        self.group = group
        self.looks = []
        self.cpu = sampling.host_cpu()
        self.stalled, self.at = self._stalled(), 0.0

    @staticmethod
    def _stalled():
        try:
            return stalled_us(PRESSURE.read_text())
        except (OSError, IndexError, ValueError):
            return None

    def look(self, at):
        cpu, stalled = sampling.host_cpu(), self._stalled()
        idle, ticks = cpu[0] - self.cpu[0], cpu[1] - self.cpu[1]
        busy = 1.0 - idle / ticks if ticks > 0 else 0.0
        waiting = -1.0
        if stalled is not None and self.stalled is not None and at > self.at:
            waiting = (stalled - self.stalled) / 1e6 / (at - self.at)
        compilers = sum(sampling.stat_of(text)[0] in COMPILERS
                        for _, text in sampling.stats_in(self.group))
        self.looks.append(Look(at, compilers, busy, waiting,
                               self.group.working_set() / (1 << 20)))
        self.cpu, self.stalled, self.at = cpu, stalled, at


def busy_again(looks, left):
    """Seconds from then until a look shows that the CPUs have been busy since the one before, or
    until the last look; none where there is no look after it."""
    after = [look for before, look in zip(looks, looks[1:]) if before.at >= left]
    if not after:
        return None
    return next((look.at for look in after if look.busy >= BUSY), after[-1].at) - left


def windows_of(log):
    """[(seconds, points)] from the events of `--json`; empty for all others."""
    found = []
    for line in log.splitlines():
        if not line.startswith('{"event":"window"'):
            continue
        try:
            event = json.loads(line)
        except ValueError:
            continue  # Cut off by an end.
        found = (found or [(0.0, event["from"])]) + [(event["t"], event["size"])]
    return found


def window_at(windows, at):
    """The points of the latest change until then; empty text where none is known."""
    past = [size for when, size in windows if when <= at]
    return past[-1] if past else ""


COLUMNS = ("t", "jobs", "compilers", "busy", "waiting", "memory_mb", "window")


def write(path, run, spans, windows):
    """One line a look. A job that did not succeed has said nothing and is not counted."""
    lines = ["\t".join(COLUMNS)]
    for look in run.seen:
        now = run.started + look.at
        running = sum(span.start <= now < span.end for span in spans.values())
        lines.append(f"{look.at:.2f}\t{running}\t{look.compilers}\t{look.busy:.3f}\t"
                     f"{look.waiting:.3f}\t{look.memory_mb:.0f}\t{window_at(windows, look.at)}")
    path.write_text("\n".join(lines) + "\n")
