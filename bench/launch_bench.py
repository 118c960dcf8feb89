#!/usr/bin/env python3
"""What `sluice-launch` adds to a command, beside `true`, with a daemon and without:
bench/launch_bench.py build/release/bin"""
import os
import sys
import tempfile

from start_bench import RUNS, medians, serving


def measure(name, launch):
    took = medians({"true": ["/bin/true"], name: [launch, "/bin/true"]})
    least = took["true"]
    for each, median in took.items():
        print(f"{each:28} median {median:5.2f} ms of {RUNS}, {median - least:5.2f} ms over true, "
              f"{median / least:4.2f} times")


def main():
    programs = os.path.abspath(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)
    launch = programs + "/sluice-launch"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        os.environ["SLUICE_SOCKET"] = folder + "/s.sock"
        for name in ("SLUICE_PERMIT", "SLUICE_JOBSERVER"):
            os.environ.pop(name, None)
        measure("sluice-launch, no daemon", launch)
        with serving(programs + "/sluice", folder, f"state_dir: {folder}\n"):
            measure("sluice-launch, a daemon", launch)


if __name__ == "__main__":
    main()
