#!/usr/bin/env python3
"""How much of a core `sluice build` itself takes to follow a build, as root by the kernel's events and as another
user by reading /proc: bench/watch_bench.py build/release/bin"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NOBODY = 65534
SECONDS = 20  # Of each build; half of them are measured.
# How many processes stay, and how many start one after the other in each second.
BUILDS = {"1 process": (1, 0), "100 processes": (100, 0), "400 processes": (400, 0),
          "100 processes, 50 starts per second": (100, 50)}
CONFIG = """\
window: {law: adaptive, initial: 10000, minimum: 10000, maximum: 10000}
sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off, cgroup: off,
          disk: off, pids: off, starting: off}
"""


def line_of(stay, starts):
    """A line of the shell that runs such a build."""
    line = f"n=0; while [ $n -lt {stay} ]; do sleep {SECONDS} & n=$((n+1)); done; "
    if starts:
        line += f"n=0; while [ $n -lt {starts * SECONDS} ]; do sleep {1 / starts}; n=$((n+1)); done; "
    return line + "wait"


def cpu_of(process):
    """Seconds that it has used, without those of its children."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def share_of_a_core(sluice, user, line):
    """Of `sluice build` itself while the build runs, once all of it has started."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "sluice.yaml").write_text(CONFIG)
        Path(folder, "run").mkdir(mode=0o700)
        # Another user may not reach the folder of the programs.
        sluice = shutil.copy(sluice, folder)
        for path in (folder, f"{folder}/run", f"{folder}/sluice.yaml"):
            os.chown(path, user, -1)
        environment = dict(os.environ, XDG_RUNTIME_DIR=f"{folder}/run", XDG_STATE_HOME=folder, HOME=folder)
        for name in ("SLUICE_SOCKET", "SLUICE_PERMIT"):
            environment.pop(name, None)
        build = subprocess.Popen([sluice, "build", "--alone", "--config", f"{folder}/sluice.yaml", "--", "sh", "-c",
                                  line], cwd=folder, env=environment, user=user, stdin=subprocess.DEVNULL)
        try:
            time.sleep(SECONDS / 4)
            began, before = time.monotonic(), cpu_of(build.pid)
            time.sleep(SECONDS / 2)
            return (cpu_of(build.pid) - before) / (time.monotonic() - began)
        finally:
            build.wait()


def main():
    programs = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)
    sluice = os.path.abspath(programs + "/sluice")
    users = {"by reading /proc": os.getuid() or NOBODY}
    if os.getuid() == 0:
        users = {"by the kernel's events": 0, **users}
    for source, user in users.items():
        for name, build in BUILDS.items():
            share = share_of_a_core(sluice, user, line_of(*build))
            print(f"{source:22}  {name:36} {100 * share:5.2f} % of a core", flush=True)


if __name__ == "__main__":
    main()
