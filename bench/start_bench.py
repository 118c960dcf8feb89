#!/usr/bin/env python3
"""How long `sluice` takes to start and `sluice run` adds to a command, beside `true`:
bench/start_bench.py build/release/bin"""
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


def main():
    programs = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)
    sluice = os.path.abspath(programs + "/sluice")
    linked = subprocess.run(["ldd", sluice], capture_output=True, text=True, check=True).stdout
    print(f"{linked.count('=>')} shared libraries")
    with tempfile.TemporaryDirectory() as folder:
        socket, config = folder + "/s.sock", folder + "/sluice.yaml"
        with open(config, "w") as file:
            file.write(f"state_dir: {folder}\n")
        daemon = subprocess.Popen(
            [sluice, "serve", "--config", config, "--socket", socket, "--listen", "off"],
            stderr=subprocess.DEVNULL)
        try:
            run = [sluice, "run", "--socket", socket, "--", "/bin/true"]
            while not os.path.exists(socket):
                if daemon.poll() is not None:
                    sys.exit(f"{sluice} serve: status {daemon.returncode}")
                time.sleep(0.01)
            commands = {"true": ["/bin/true"], "sluice --version": [sluice, "--version"],
                        "sluice run -- true": run}
            took = {name: [] for name in commands}
            for _ in range(RUNS):  # Interleaved: the speed of a machine drifts.
                for name, command in commands.items():
                    took[name].append(milliseconds(command))
        finally:
            daemon.terminate()
            daemon.wait()
    least = statistics.median(took["true"])
    for name, times in took.items():
        median = statistics.median(times)
        print(f"{name:20} median {median:5.2f} ms of {RUNS}, {median - least:5.2f} ms over true")


if __name__ == "__main__":
    main()
