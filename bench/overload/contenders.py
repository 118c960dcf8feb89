"""The contenders: a name, and how its command is made."""

import dataclasses
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

# What the oracle adds to a measured peak: two runs of one compiler differ by about 1 %.
ORACLE_MARGIN = 1.03
# Of the limit, for itself and for the kernel's batches of charges.
ORACLE_SPARE_MB = 48
# Sluice admits into what its default `memory.reserve: 10%` leaves.
SLUICE_SHARE = 0.9


@dataclasses.dataclass(frozen=True)
class Setting:
    """What a contender's command is made from. Memory in MB."""

    folder: pathlib.Path  # of the jobs
    state: pathlib.Path  # for this cell's state folders
    sluice: str
    jobs: tuple
    alone: dict  # kind -> figures.Alone
    limit_mb: int
    batch_options: tuple = ()  # words that every sluice batch gets

    def largest_mb(self):
        return max(each.peak_mb for each in self.alone.values())


@dataclasses.dataclass(frozen=True)
class Contender:
    name: str
    command: object  # Setting -> list of words
    needs: str = ""  # a program, or "sluice"
    after: str = ""  # the contender whose state folder it starts with
    joblog: str = ""  # the file, in the folder of the jobs, in which it tells what happened

    def is_sluice(self):
        return self.needs == "sluice"


def make(*words):
    return lambda setting: ["make", "-k", *words]


def parallel(*words):
    def command(setting):
        chosen = [word.format(largest=round(setting.largest_mb())) for word in words]
        line = shlex.join(["parallel", *chosen])
        return ["sh", "-c", f"exec {line} <jobs.txt"]
    return command


def packing(path, jobs, peaks_mb, budget_mb, order):
    """The words that run the jobs as the oracle would; writes its plan. `peaks_mb` by kind."""
    path.write_text(json.dumps({
        "jobs": [[job.name, job.kind, job.command] for job in jobs],
        "weights": {kind: [peak * ORACLE_MARGIN, 0 if kind == "wait" else 1]
                    for kind, peak in peaks_mb.items()},
        "budget_mb": budget_mb, "cpus": len(os.sched_getaffinity(0)), "order": order}))
    return [sys.executable, str(HERE / "packing.py"), str(path)]


def oracle(order, budget_of):
    return lambda setting: packing(
        setting.folder / "oracle.json", setting.jobs,
        {kind: alone.peak_mb for kind, alone in setting.alone.items()},
        budget_of(setting.limit_mb), order)


def whole(limit_mb):
    return limit_mb - ORACLE_SPARE_MB


def sluices(limit_mb):
    return limit_mb * SLUICE_SHARE


JOBLOG = "joblog.tsv"


def state_of(name, setting):
    return setting.state / name


def batch(name, *words):
    return lambda setting: [setting.sluice, "batch", "-f", "jobs.txt", "--joblog", JOBLOG,
                            "--state-dir", str(state_of(name, setting)), *words,
                            *setting.batch_options]


def jobserver(name):
    return lambda setting: [setting.sluice, "jobserver",
                            "--state-dir", str(state_of(name, setting)), "--", "make", "-k"]


def build(name):
    return lambda setting: [setting.sluice, "build", "--alone", "-v",
                            "--state-dir", str(state_of(name, setting)), "--", "make", "-k"]


def served(sluice, state, *command):
    return [sys.executable, str(HERE / "served.py"), sluice, str(state), *command]


def launcher_of(setting):
    return str(pathlib.Path(setting.sluice).parent / "sluice-launch")


def launch_make(name):
    return lambda setting: served(setting.sluice, state_of(name, setting), "make", "-k",
                                  f"-j{len(setting.jobs)}", "-f", "launched.mk",
                                  f"LAUNCHER={launcher_of(setting)}")


def launch_ninja(name):
    def command(setting):
        folder = setting.folder / "cmake"
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(["cmake", "-S", str(setting.folder), "-B", str(folder), "-G", "Ninja",
                        f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher_of(setting)}"],
                       check=True, capture_output=True)
        return served(setting.sluice, state_of(name, setting), "ninja", "-C", str(folder), "-k",
                      "0", f"-j{len(setting.jobs)}")
    return command


def all_contenders():
    fixed = [Contender(f"make-j{n}", make(f"-j{n}"), "make") for n in (1, 2, 4, 8)]
    found = fixed + [
        Contender("make-j8-l2", make("-j8", "-l2"), "make"),
        Contender("ninja", lambda setting: ["ninja", "-k", "0"], "ninja"),
        Contender("parallel-load", parallel("-j8", "--load", "100%"), "parallel"),
        Contender("parallel-memfree", parallel("-j8", "--memfree", "{largest}M"), "parallel"),
        Contender("oracle-first-fit", oracle("arrival", whole)),
        Contender("oracle-biggest", oracle("biggest-first", whole)),
        Contender("oracle-first-fit-90", oracle("arrival", sluices)),
        Contender("oracle-biggest-90", oracle("biggest-first", sluices)),
        Contender("batch-cold", batch("batch-cold"), "sluice", joblog=JOBLOG),
        Contender("batch-warm", batch("batch-warm"), "sluice", "batch-cold", JOBLOG),
        Contender("batch-arrival", batch("batch-arrival", "--order", "arrival"), "sluice",
                  joblog=JOBLOG),
    ]
    for kind, command in (("jobserver", jobserver), ("build", build),
                          ("launch-make", launch_make), ("launch-ninja", launch_ninja)):
        cold, warm = f"{kind}-cold", f"{kind}-warm"
        found += [Contender(cold, command(cold), "sluice"),
                  Contender(warm, command(warm), "sluice", cold)]
    return found


def own(text):
    """A contender from NAME=COMMAND, a shell command that runs in the folder of the jobs."""
    name, equals, command = text.partition("=")
    if not equals or not name or not command:
        raise ValueError(f"--contender {text}: NAME=COMMAND is expected")
    return Contender(name, lambda setting: ["sh", "-c", command])


PACKAGES = {"parallel": "parallel", "make": "make", "ninja": "ninja-build", "g++": "g++",
            "cmake": "cmake"}
