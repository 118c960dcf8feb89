"""Looks at a group from outside while a contender runs in it: its memory, each job's processes.

Nothing is asked of the contender, so that all are measured alike: a job's start is the start of its
first process, an attempt is one compiler, both as the kernel tells them.
"""

import pathlib
import re

import sampling
from sampling import Memory, TICKS, stat_of  # noqa: F401  for those who look

NAMED = re.compile(rb"\bo/(\w+)\.o\b|\b(\w+)\.cpp\b")
SAMPLE_S = 0.1
SAMPLES_A_SCAN = 2  # Processes are looked at half as often as memory.


class Attempts:
    """The jobs' processes, seen again and again."""

    def __init__(self, names):
        self.names = set(names)
        self.named = {}  # (pid, start) -> job
        self.starts = {}  # job -> seconds after boot
        self.compilers = {}  # job -> {(pid, start): CPU seconds}

    def see(self, pid, stat_text, command_line):
        """One process; `command_line` is a function that reads it, called until it names a job."""
        command, cpu, start = stat_of(stat_text)
        key = (pid, start)
        if key not in self.named:
            name = self._name_in(command_line())
            if name is None:
                return
            self.named[key] = name
            self.starts[name] = min(start, self.starts.get(name, start))
        if command == "cc1plus":
            self.compilers.setdefault(self.named[key], {})[key] = cpu

    def _name_in(self, line):
        found = NAMED.search(line)
        name = (found.group(1) or found.group(2)).decode() if found else None
        return name if name in self.names else None

    def repeated(self):
        """How many compilers ran beyond the first of each job."""
        return sum(len(attempts) - 1 for attempts in self.compilers.values())

    def wasted_cpu(self, built):
        """CPU seconds of all compilers but the last of each job that was built in the end."""
        wasted = 0.0
        for name, attempts in self.compilers.items():
            wasted += sum(attempts.values())
            if name in built:
                wasted -= attempts[max(attempts, key=lambda key: key[1])]
        return wasted


def scan(group, attempts):
    for pid, text in sampling.stats_in(group):
        try:
            attempts.see(pid, text, pathlib.Path(f"/proc/{pid}/cmdline").read_bytes)
        except OSError:
            pass  # It has ended meanwhile.


def until_end(process, group, memory, attempts=None, sample_s=SAMPLE_S, timeout_s=900.0):
    """Samples until the process ends; false where it had to be given up at its timeout."""
    def look(samples):
        if attempts is not None and samples % SAMPLES_A_SCAN == 0:
            scan(group, attempts)
    return sampling.until_end(process, group, memory, look, sample_s, timeout_s)
