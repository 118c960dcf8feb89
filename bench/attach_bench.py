#!/usr/bin/env python3
"""What `sluice-attach --once` takes, against a real daemon: bench/attach_bench.py build/release/bin"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 50


def once(command):
    """(seconds, KiB) of one run; ends everything if it fails."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - began
    if status != 0:
        sys.exit(f"{' '.join(command)}: status {status}")
    return took, usage.ru_maxrss


def main():
    programs = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        config, socket = folder + "/sluice.yaml", folder + "/s.sock"
        with open(config, "w") as file:
            file.write("sensors: {cgroup: {source: attach}}\n")
        daemon = subprocess.Popen(
            [programs + "/sluice", "serve", "--config", config, "--socket", socket, "--listen", "off"],
            stderr=subprocess.DEVNULL)
        try:
            command = [programs + "/sluice-attach", "--once", "--socket", socket]
            once(command)  # Waits for the daemon.
            runs = [once(command) for _ in range(RUNS)]
        finally:
            daemon.terminate()
            daemon.wait()
    times = sorted(1000 * took for took, _ in runs)
    print(f"sluice-attach --once, {RUNS} runs: median {statistics.median(times):.1f} ms, "
          f"worst {times[-1]:.1f} ms, at most {max(kib for _, kib in runs)} KiB resident")


if __name__ == "__main__":
    main()
