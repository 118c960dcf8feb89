#!/usr/bin/env python3
"""What `sluice-attach --once` takes, against a real daemon: bench/attach_bench.py build/release/bin"""
import statistics
import subprocess
import sys
import tempfile

from start_bench import milliseconds, serving

RUNS = 50


def resident(command):
    """The most that one which stays has had resident, in KiB; not that of who started it."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        process.stderr.readline()  # "attached"
        with open(f"/proc/{process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    finally:
        process.kill()
        process.wait()


def main():
    programs = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        socket = folder + "/s.sock"
        with serving(programs + "/sluice", folder, "sensors: {cgroup: {source: attach}}\n"):
            command = [programs + "/sluice-attach", "--once", "--socket", socket]
            milliseconds(command)  # Warms up.
            times = sorted(milliseconds(command) for _ in range(RUNS))
            most = resident([programs + "/sluice-attach", "--socket", socket])
    print(f"sluice-attach --once, {RUNS} runs: median {statistics.median(times):.1f} ms, "
          f"worst {times[-1]:.1f} ms; at most {most} KiB resident")


if __name__ == "__main__":
    main()
