"""The jobs: real compilations of three weights, and steps that only wait.

The names of jobs say nothing about their weight, as in real projects.
"""

import dataclasses
import hashlib
import os
import pathlib
import random
import shutil

import sources

NAMES = (
    "amber birch cedar delta ember fjord grove heath islet jetty knoll larch marsh north orchid "
    "prairie quarry ridge spruce tundra umber valley willow yarrow"
).split()

KINDS = ("heavy", "medium", "light", "wait")


@dataclasses.dataclass(frozen=True)
class Shape:
    """How many jobs of each kind there are, and how large each kind is."""

    name: str
    count: dict  # kind -> jobs
    size: dict  # kind -> (records, width of each record's tuple)
    wait_s: float


# As seen with g++ 12.2: heavy 1.0 GB, medium 0.6 GB, light 0.2 GB. Every run measures its own.
FULL = Shape(
    "full",
    {"heavy": 3, "medium": 6, "light": 7, "wait": 8},
    {"heavy": (76, 32), "medium": (44, 32), "light": (13, 12)},
    4.0,
)
# The same shape for a gate: a run takes seconds.
SHORT = Shape(
    "short",
    {"heavy": 2, "medium": 3, "light": 3, "wait": 4},
    {"heavy": (30, 32), "medium": (13, 32), "light": (3, 4)},
    2.0,
)


@dataclasses.dataclass(frozen=True)
class Job:
    name: str
    kind: str
    command: str


def identity(shape):
    """Names what rows are compared within: the jobs, the compiler and the number of CPUs."""
    compiler = sources.compiler_version()
    digest = hashlib.sha256((sources.SOURCE + repr(dataclasses.astuple(shape))).encode())
    cpus = len(os.sched_getaffinity(0))
    return f"{shape.name}-{digest.hexdigest()[:8]}-gcc{compiler}-{cpus}cpu"


def command_of(name, kind, shape):
    """A job's shell command; success appends a line to o/done.log, to be seen from outside."""
    if kind == "wait":
        work = f"sleep {shape.wait_s:g} && touch o/{name}.o"
    else:
        work = f"g++ -O1 -std=c++20 -w -pipe -c {name}.cpp -o o/{name}.o"
    return f"{work} && echo ok {name} >> o/done.log"


def jobs_of(shape, seed, order):
    """The same jobs for every seed, in the seed's order; `heavy-first` then sorts by weight."""
    kinds = [kind for kind in KINDS for _ in range(shape.count[kind])]
    pairs = list(zip(NAMES, random.Random(0).sample(kinds, len(kinds))))
    random.Random(seed).shuffle(pairs)
    if order == "heavy-first":
        pairs.sort(key=lambda pair: KINDS.index(pair[1]))
    return [Job(name, kind, command_of(name, kind, shape)) for name, kind in pairs]


def makefile(jobs):
    return sources.makefile([(job.name, job.kind != "wait", job.command) for job in jobs])


def ninja_file(jobs):
    lines = ["rule job", "  command = $run", ""]
    for job in jobs:
        source = "" if job.kind == "wait" else f" {job.name}.cpp"
        lines += [f"build o/{job.name}.o: job{source}", f"  run = {job.command}", ""]
    return "\n".join(lines)


def cmake_file(jobs):
    """A library for each source, as the launcher of CMake wants it; the steps beside it are ours."""
    lines = ["cmake_minimum_required(VERSION 3.21)", "project(jobs CXX)",
             'set(CMAKE_CXX_FLAGS "-O1 -std=c++20 -w -pipe")']
    for job in jobs:
        out = f"${{CMAKE_SOURCE_DIR}}/o/{job.name}.o"
        if job.kind == "wait":
            work = f"COMMAND sh -c \"{job.command}\" WORKING_DIRECTORY ${{CMAKE_SOURCE_DIR}}"
        else:
            lines.append(f"add_library({job.name} OBJECT {job.name}.cpp)")
            work = (f"COMMAND cp $<TARGET_OBJECTS:{job.name}> {out} COMMAND sh -c "
                    f"\"echo ok {job.name} >> o/done.log\" DEPENDS $<TARGET_OBJECTS:{job.name}> "
                    "WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}")
        lines += [f"add_custom_command(OUTPUT {out} {work} VERBATIM)",
                  f"add_custom_target({job.name}_done ALL DEPENDS {out})"]
    return "\n".join(lines) + "\n"


def launched_makefile(jobs):
    return makefile(jobs).replace("@g++ ", "@$(LAUNCHER) g++ ")


def write(folder, jobs, shape):
    """Writes sources, the files of make, ninja and CMake, and jobs.txt, all in the same order."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for job in jobs:
        if job.kind == "wait":
            continue
        records, width = shape.size[job.kind]
        (folder / f"{job.name}.cpp").write_text(sources.source(job.name, records, width))
    (folder / "Makefile").write_text(makefile(jobs))
    (folder / "build.ninja").write_text(ninja_file(jobs))
    (folder / "launched.mk").write_text(launched_makefile(jobs))
    (folder / "CMakeLists.txt").write_text(cmake_file(jobs))
    (folder / "jobs.txt").write_text("".join(job.command + "\n" for job in jobs))


def clear_outputs(folder):
    """Everything that an earlier run left, so that the next one builds everything."""
    folder = pathlib.Path(folder)
    shutil.rmtree(folder / "o", ignore_errors=True)
    for left in folder.glob(".ninja_*"):
        left.unlink()
    (folder / "o").mkdir()


def done(folder):
    """The names of the jobs that said that they succeeded."""
    log = pathlib.Path(folder) / "o" / "done.log"
    if not log.exists():
        return set()
    words = [line.split() for line in log.read_text().splitlines()]
    return {line[1] for line in words if len(line) == 2 and line[0] == "ok"}


def remove_poisoned(folder):
    """Removes the outputs of jobs that failed, which make would take for good; returns their names.

    Where the compiler behind `g++ -pipe` is killed, the assembler sees the end of its input and
    leaves a valid, empty object.
    """
    succeeded = done(folder)
    poisoned = [path for path in (pathlib.Path(folder) / "o").glob("*.o")
                if path.stem not in succeeded]
    for path in poisoned:
        path.unlink()
    return sorted(path.stem for path in poisoned)
