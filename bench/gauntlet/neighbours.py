"""What others run on the host beside a contender, in the same session and control group."""

import pathlib
import time

import jobs
import process
import sampling
import sources

BUSY = "while :; do :; done"
FROM_S, UNTIL_S = 8.0, 20.0
BEFORE_S = 2.0  # A neighbour that is there first has come this long before.
COMPILATIONS = 2000  # More than any run takes.


class Nobody:
    """The neighbour of most cells."""

    def begin(self):
        pass

    def look(self, at):
        pass

    def end(self):
        pass

    def share(self, _since):
        return -1.0

    def left(self):
        """When it went, in seconds since the contender's start; none: it stayed to the end."""
        return None


class Stays(Nobody):
    """Commands that run from before the contender until it has ended. `start` starts one."""

    def __init__(self, commands, folder, start):
        self.commands, self.folder, self.start = commands, folder, start
        self.processes = []

    def begin(self):
        self.processes = [self.start(each, self.folder) for each in self.commands]
        time.sleep(BEFORE_S)

    def end(self):
        for each in self.processes:
            process.end(each)


class Thread(Nobody):
    """One busy thread that comes and goes while the contender runs."""

    def __init__(self, folder, start):
        self.folder, self.start = folder, start
        self.process, self.used = None, []  # (seconds since the contender's start, CPU seconds)

    def look(self, at):
        if self.process is None and at >= FROM_S:
            self.process = self.start(["sh", "-c", BUSY], self.folder)
        if self.process is None or self.process.poll() is not None:
            return
        stat = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
        self.used.append((at, sampling.stat_of(stat)[1]))
        if at >= UNTIL_S:
            process.end(self.process)

    def end(self):
        if self.process is not None:
            process.end(self.process)

    def share(self, since):
        return share_since(self.used, since)

    def left(self):
        return self.used[-1][0] if self.used and self.used[-1][0] >= UNTIL_S else None


def share_since(used, since):
    """CPU seconds by seconds, from the first sample at or after `since`; -1 below a second."""
    later = [each for each in used if each[0] >= since]
    if not later or later[-1][0] - later[0][0] < 1.0:
        return -1.0
    return (later[-1][1] - later[0][1]) / (later[-1][0] - later[0][0])


def settled(spans, came):
    """When the jobs that ran as it came have ended; `came` and spans on one clock."""
    return max([span.end for span in spans if span.start <= came < span.end], default=came)


def write_compilations(folder):
    """A Makefile that compiles eight sources again and again."""
    some = jobs.compilers(8, "n")
    for job in some:
        (folder / f"{job.name}.cpp").write_text(sources.source(job.name, *job.size))
    names = [f"c{number}" for number in range(COMPILATIONS)]
    lines = [".PHONY: " + " ".join(names), "all: " + " ".join(names)]
    for number, name in enumerate(names):
        line = some[number % len(some)].work.split(" -o ")[0]
        lines += [f"{name}:", f"\t@{line} -o /dev/null"]
    (folder / "Makefile").write_text("\n".join(lines) + "\n")


def of(kind, folder, start):
    """The neighbour of that name; `folder` is for what it compiles."""
    folder.mkdir(parents=True, exist_ok=True)
    if kind == "thread":
        return Thread(folder, start)
    if kind == "make-j8":
        write_compilations(folder)
        return Stays([["make", "-k", "-j8"]], folder, start)
    if kind == "nice19":
        return Stays([["nice", "-n", "19", "sh", "-c", BUSY]] * 2, folder, start)
    return Nobody()
