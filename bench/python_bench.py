#!/usr/bin/env python3
"""The two figures of the Python client: what `import sluice` takes over `python3 -c pass`, and how long a
permit is taken and returned over a kept connection, both as medians.

    bench/python_bench.py [--sluice build/release/bin/sluice] [--json]
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
CLIENT = SOURCE / "bindings/python"
LIMITS = {"import_ms": 15, "permit_us": 150}


def seconds_of(code, environment):
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    return time.perf_counter() - began


def import_ms(rounds):
    """Both in turn, so that a busy moment hits both; with compiled modules, as an installation has them."""
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, PYTHONPATH=str(CLIENT), PYTHONPYCACHEPREFIX=cache)
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        seconds_of("import sluice", environment)
        pairs = [(seconds_of("pass", environment), seconds_of("import sluice", environment))
                 for _ in range(rounds)]
    return 1000 * (statistics.median(b for _, b in pairs) - statistics.median(a for a, _ in pairs))


def permit_us(program, rounds):
    sys.path.insert(0, str(CLIENT))
    import sluice
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "sluice.yaml")
        config.write_text("window: {initial: 100/cpu, minimum: 100/cpu, maximum: 100/cpu}\n")
        with sluice.Governor(program=program, config=config, state_dir=folder) as governor:
            times = []
            for _ in range(rounds + 100):
                began = time.perf_counter()
                with governor.permit(key="figure"):
                    pass
                times.append(time.perf_counter() - began)
    return 1e6 * statistics.median(times[100:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sluice", default=str(SOURCE / "build/release/bin/sluice"))
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = {"import_ms": import_ms(max(5, min(100, arguments.rounds))),
               "permit_us": permit_us(arguments.sluice, arguments.rounds)}
    if arguments.json:
        print(json.dumps({**figures, "limits": LIMITS, "rounds": arguments.rounds}))
        return
    print(f"import sluice, over python3 -c pass: {figures['import_ms']:.1f} ms (limit {LIMITS['import_ms']} ms)")
    print(f"a permit taken and returned, median of {arguments.rounds}: {figures['permit_us']:.0f} us "
          f"(limit {LIMITS['permit_us']} us)")


if __name__ == "__main__":
    main()
