"""Looks at a group from outside while a contender runs in it: its memory, each job's processes.

Nothing is asked of the contender, so that all are measured alike: a job's start is the start of its
first process, an attempt is one compiler, both as the kernel tells them.
"""

import os
import pathlib
import re
import select
import time

TICKS = os.sysconf("SC_CLK_TCK")
NAMED = re.compile(rb"\bo/(\w+)\.o\b|\b(\w+)\.cpp\b")
SAMPLE_S = 0.1
SAMPLES_A_SCAN = 2  # Processes are looked at half as often as memory.


def stat_of(text):
    """(command, CPU seconds, start in seconds after boot) of a /proc/PID/stat."""
    command = text[text.index("(") + 1:text.rindex(")")]
    fields = text[text.rindex(")") + 2:].split()
    return command, (int(fields[11]) + int(fields[12])) / TICKS, int(fields[19]) / TICKS


def host_cpu():
    """(idle, all) ticks of the host so far."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


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
    for pid in group.pids():
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                text = file.read()
            attempts.see(pid, text, pathlib.Path(f"/proc/{pid}/cmdline").read_bytes)
        except OSError:
            pass  # It has ended meanwhile.


class Memory:
    """The group's working set over time, in bytes."""

    def __init__(self, limit=None):
        self.limit = limit
        self.peak = 0
        self.over_90_s = 0.0

    def add(self, working_set, seconds):
        self.peak = max(self.peak, working_set)
        if self.limit and working_set > 0.9 * self.limit:
            self.over_90_s += seconds


def until_end(process, group, memory, attempts=None, sample_s=SAMPLE_S, timeout_s=900.0):
    """Samples until the process ends; false where it had to be given up at its timeout."""
    started = last = time.monotonic()
    poller = select.poll()
    poller.register(descriptor := os.pidfd_open(process.pid), select.POLLIN)
    try:
        samples = 0
        while not poller.poll(1000 * sample_s):
            now = time.monotonic()
            if now - started > timeout_s:
                return False
            memory.add(group.working_set(), now - last)
            last = now
            if attempts is not None and samples % SAMPLES_A_SCAN == 0:
                scan(group, attempts)
            samples += 1
        return True
    finally:
        os.close(descriptor)
