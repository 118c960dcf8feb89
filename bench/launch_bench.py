#!/usr/bin/env python3
"""What `sluice-launch` adds to a command, beside `true`, with a daemon and without:
bench/launch_bench.py build/release/bin"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

from start_bench import milliseconds

PAIRS = 500


def main():
    programs = os.path.abspath(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)
    launch = programs + "/sluice-launch"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        os.environ["SLUICE_SOCKET"] = socket = folder + "/s.sock"
        for name in ("SLUICE_PERMIT", "SLUICE_JOBSERVER"):
            os.environ.pop(name, None)
        with open(folder + "/sluice.yaml", "w") as file:
            file.write(f"state_dir: {folder}\n")

        def measure(name):
            commands = {"true": ["/bin/true"], name: [launch, "/bin/true"]}
            took = {each: [] for each in commands}
            for _ in range(PAIRS):  # Interleaved: the speed of a machine drifts.
                for each, command in commands.items():
                    took[each].append(milliseconds(command))
            least = statistics.median(took["true"])
            for each, times in took.items():
                median = statistics.median(times)
                print(f"{each:28} median {median:5.2f} ms of {PAIRS}, {median - least:5.2f} ms "
                      f"over true, {median / least:4.2f} times")

        measure("sluice-launch, no daemon")
        daemon = subprocess.Popen(
            [programs + "/sluice", "serve", "--config", folder + "/sluice.yaml", "--socket", socket,
             "--listen", "off"], stderr=subprocess.DEVNULL)
        try:
            while not os.path.exists(socket):
                if daemon.poll() is not None:
                    sys.exit(f"sluice serve: status {daemon.returncode}")
                time.sleep(0.01)
            measure("sluice-launch, a daemon")
        finally:
            daemon.terminate()
            daemon.wait()


if __name__ == "__main__":
    main()
