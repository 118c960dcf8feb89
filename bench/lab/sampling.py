"""Looks at a group from outside while a command runs in it. Nothing is asked of the command."""

import os
import select
import time

TICKS = os.sysconf("SC_CLK_TCK")


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


def stats_in(group):
    """(pid, text of /proc/PID/stat) of each process in the group."""
    for pid in group.pids():
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                yield pid, file.read()
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


def until_end(process, group, memory, look, sample_s, timeout_s):
    """Samples until the process ends; false where it had to be given up at its timeout.

    `look` is called with the number of each sample, from 0 on.
    """
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
            look(samples)
            samples += 1
        return True
    finally:
        os.close(descriptor)
