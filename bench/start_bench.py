#!/usr/bin/env python3
"""How long `sluice` takes to start and `sluice run` adds to a command, beside `true`:
bench/start_bench.py build/release/bin"""
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 500


def milliseconds(command):
    """One run; ends everything if it fails."""
    began = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ,
                           file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    status = os.waitpid(child, 0)[1]
    took = time.perf_counter() - began
    if status != 0:
        sys.exit(f"{' '.join(command)}: wait status {status}")
    return 1000 * took


def medians(commands):
    """By name, that of `RUNS` runs in turns: the speed of a machine drifts."""
    took = {name: [] for name in commands}
    for _ in range(RUNS):
        for name, command in commands.items():
            took[name].append(milliseconds(command))
    return {name: statistics.median(times) for name, times in took.items()}


@contextlib.contextmanager
def serving(sluice, folder, config):
    """A daemon that accepts connections at folder/s.sock."""
    with open(folder + "/sluice.yaml", "w") as file:
        file.write(config)
    daemon = subprocess.Popen(
        [sluice, "serve", "--config", folder + "/sluice.yaml", "--socket", folder + "/s.sock",
         "--listen", "off"], stderr=subprocess.DEVNULL)
    try:
        while not os.path.exists(folder + "/s.sock"):
            if daemon.poll() is not None:
                sys.exit(f"{sluice} serve: status {daemon.returncode}")
            time.sleep(0.01)
        yield
    finally:
        daemon.terminate()
        daemon.wait()


def main():
    programs = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)
    sluice = os.path.abspath(programs + "/sluice")
    linked = subprocess.run(["ldd", sluice], capture_output=True, text=True, check=True).stdout
    print(f"{linked.count('=>')} shared libraries")
    with tempfile.TemporaryDirectory() as folder:
        run = [sluice, "run", "--socket", folder + "/s.sock", "--", "/bin/true"]
        with serving(sluice, folder, f"state_dir: {folder}\n"):
            took = medians({"true": ["/bin/true"], "sluice --version": [sluice, "--version"],
                            "sluice run -- true": run})
    for name, median in took.items():
        print(f"{name:20} median {median:5.2f} ms of {RUNS}, {median - took['true']:5.2f} ms over "
              "true")


if __name__ == "__main__":
    main()
