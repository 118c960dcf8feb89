"""What the jobs do: compile, sleep, compress with several threads, write to the disk.

Every job says itself when it started and ended, without a further process: its shell reads its own
start from /proc and the time since boot, both to 10 ms. The program comes first in each command, as
in real ones, so that whoever looks at a command sees what it would see of a real one.
"""

import dataclasses
import pathlib
import random
import shutil

import sources

# (records, width) of a source by size; the seconds that g++ 12.2 takes for each at -O1, for
# estimates only. Memory: 100 to 470 MB.
SIZES = ((1, 2), (4, 12), (8, 12), (13, 12), (20, 16), (26, 20), (30, 24), (40, 24))
SIZE_S = (0.5, 0.7, 1.0, 1.5, 2.2, 2.9, 3.4, 4.8)
IO_MB = 50
XZ_MB = 8
XZ_S = 3.4

SAID = ("read e x </proc/uptime && read s </proc/$$/stat && "
        'echo "ok {name} $e $s" >>o/done.log')


@dataclasses.dataclass(frozen=True)
class Job:
    name: str
    kind: str  # jobs of one kind do the same
    work: str  # shell
    cpu_s: float  # about, for estimates
    wall_s: float  # the same alone
    size: tuple = ()  # of its source; none: it has none

    def compiles(self):
        return bool(self.size)

    def command(self):
        return f"{self.work} && {SAID.format(name=self.name)}"


def compiler(name, size):
    work = f"g++ -O1 -std=c++20 -w -pipe -c {name}.cpp -o o/{name}.o"
    return Job(name, f"compile{size}", work, SIZE_S[size], SIZE_S[size], SIZES[size])


def sleep(name, seconds):
    return Job(name, f"sleep{seconds:g}", f"sleep {seconds:g} && : >o/{name}.o", 0.003, seconds)


def threads(name, count):
    work = f"xz -T{count} -6 --block-size=1MiB -c ../xz.data >o/{name}.o"
    return Job(name, f"xz{count}", work, XZ_S, XZ_S / count)


def disk(name):
    work = (f"dd if=/dev/zero of=o/{name}.data bs=1M count={IO_MB} conv=fsync status=none && "
            f"tar -cf o/{name}.tar -C o {name}.data && cat o/{name}.tar >/dev/null && "
            f"rm o/{name}.data o/{name}.tar && : >o/{name}.o")
    return Job(name, "disk", work, 0.15, 0.5)


def names(count, prefix="u"):
    return [f"{prefix}{number:04d}" for number in range(count)]


def compilers(count, prefix="u", sizes=len(SIZES)):
    """Sizes in turn, so that the work is the same for every seed; the order is shuffled."""
    return [compiler(name, number % sizes) for number, name in enumerate(names(count, prefix))]


def sleeps(count, least_s=0.5, most_s=3.0):
    """Evenly spread lengths."""
    step = (most_s - least_s) / max(1, count - 1)
    return [sleep(name, round(least_s + step * number, 2))
            for number, name in enumerate(names(count, "w"))]


def shuffled(jobs):
    """Always the same order."""
    return random.Random(1).sample(jobs, len(jobs))


def makefile(jobs):
    return sources.makefile([(job.name, job.compiles(), job.command().replace("$", "$$"))
                             for job in jobs])


def write(folder, jobs):
    """Writes sources, Makefile and jobs.txt; the order is the same in both."""
    folder.mkdir(parents=True, exist_ok=True)
    for job in jobs:
        if job.compiles():
            (folder / f"{job.name}.cpp").write_text(sources.source(job.name, *job.size))
    if any(job.kind.startswith("xz") for job in jobs):
        write_data(folder.parent / "xz.data")
    (folder / "Makefile").write_text(makefile(jobs))
    (folder / "jobs.txt").write_text("".join(job.command() + "\n" for job in jobs))


def write_data(path):
    """Words in random order: what compresses like text. Always the same bytes."""
    if path.exists():
        return
    chance = random.Random(2)
    words = [f"{chance.getrandbits(20):x}" for _ in range(20000)]
    part = path.with_suffix(".part")
    with open(part, "w", encoding="ascii") as file:
        while file.tell() < XZ_MB << 20:
            file.write(" ".join(chance.choices(words, k=20000)) + "\n")
    part.rename(path)


def clear_outputs(folder):
    """Everything that an earlier run left, so that the next one builds everything."""
    shutil.rmtree(folder / "o", ignore_errors=True)
    (folder / "o").mkdir()


@dataclasses.dataclass(frozen=True)
class Span:
    """When a job ran, in seconds after boot."""

    start: float
    end: float


def spans_of(text, ticks):
    """{job: Span} of what jobs wrote into done.log; of two of one job the later counts."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        # ok NAME NOW and then a /proc/PID/stat, whose 22nd word is the start in ticks.
        if len(words) >= 25 and words[0] == "ok":
            found[words[1]] = Span(int(words[24]) / ticks, float(words[2]))
    return found


def spans(folders, ticks):
    found = {}
    for folder in folders:
        log = pathlib.Path(folder) / "o" / "done.log"
        if log.exists():
            found.update(spans_of(log.read_text(encoding="utf-8", errors="replace"), ticks))
    return found


def remove_poisoned(folder, done):
    """Removes the outputs of jobs that failed, which make would take for good."""
    for path in (folder / "o").glob("*.o"):
        if path.stem not in done:
            path.unlink()
