#!/usr/bin/env python3
"""How far the predictions of a daemon are off, by its record: real processes below `sluice batch --daemon`,
with the daemon's own measurements, predictions and defaults for memory.

The memory that a run needs is drawn at random, by the kind of its job:

    cc      parses a C source whose size walks by 2 % from run to run
    steady  normal, with a deviation of 2 % of its mean
    tests   normal, 10 %
    data    lognormal, 30 %
    grows   normal, 3 %, and its mean grows by 0.3 % with each run
    jumps   normal, 3 %, and its mean changes by half every 60 runs

    bench/prediction_bench.py [--sluice build/release/bin/sluice] [--rounds 220] [--seed 1] [--folder FOLDER]
"""
import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from start_bench import serving

SOURCE = Path(__file__).resolve().parents[1]
NAMES = "amber birch cedar delta ember fjord".split()
KINDS = {"cc": 6, "steady": 6, "tests": 6, "data": 4, "grows": 2, "jumps": 2}
MIB = 1 << 20
# All jobs of a round may run at once: how many do is not the question.
CONFIG = """
window: {law: rfc, initial: 400, minimum: 400, maximum: 400}
cost: {model: history}
sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off,
          cgroup: off, disk: off, pids: off, starting: off}
"""
HOLD = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **words) {
  FILE *file = count > 1 ? fopen(words[1], "r") : NULL;
  size_t bytes = 0;
  if (!file || fscanf(file, "%zu", &bytes) != 1) return 2;
  char *held = malloc(bytes);
  if (!held) return 3;
  memset(held, 1, bytes);
  usleep(30000);
  return held[bytes / 2] == 1 ? 0 : 4;
}
"""


class Job:
    """One key: its command, and what its next run holds."""

    def __init__(self, kind, name, folder, dice):
        self.kind, self.folder, self.dice = kind, folder, dice
        self.file = folder / f"{name}.{'c' if kind == 'cc' else kind}"
        self.command = f"cc -fsyntax-only {self.file.name}" if kind == "cc" else f"./hold {self.file.name}"
        self.mean = dice.uniform(4000, 16000) if kind == "cc" else dice.uniform(24, 96) * MIB
        self.runs = 0

    def amount(self):
        deviation = {"cc": 0, "steady": 0.02, "tests": 0.1, "data": 0.3, "grows": 0.03, "jumps": 0.03}[self.kind]
        if self.kind == "cc":
            self.mean *= math.exp(self.dice.gauss(0, 0.02))
        if self.kind == "grows":
            self.mean *= 1.003
        if self.kind == "jumps" and self.runs % 60 == 59:
            self.mean *= 1.5 if self.runs % 120 == 59 else 1 / 1.5
        self.runs += 1
        if self.kind == "data":
            return self.mean * math.exp(self.dice.gauss(0, deviation))
        return self.mean * max(0.1, self.dice.gauss(1, deviation))

    def prepare(self):
        amount = int(self.amount())
        if self.kind == "cc":
            text = "".join(f"int f{i}(int *p) {{ return p[{i}] + {i}; }}\n" for i in range(amount))
        else:
            text = f"{amount}\n"
        self.file.write_text(text)


def run_rounds(program, folder, rounds, seed):
    dice = random.Random(seed)
    jobs = [Job(kind, name, folder, dice) for kind, count in KINDS.items() for name in NAMES[:count]]
    batch = [program, "batch", "-q", "--socket", str(folder / "s.sock"), "--state-dir", str(folder / "batch")]
    commands = "".join(job.command + "\n" for job in jobs)
    for number in range(rounds):
        for job in jobs:
            job.prepare()
        subprocess.run(batch, cwd=folder, input=commands, text=True, check=True)
        if sys.stderr.isatty():
            print(f"\rround {number + 1} of {rounds}", end="", file=sys.stderr)


def measure(program, folder, rounds, seed):
    (folder / "hold.c").write_text(HOLD)
    subprocess.run(["cc", "-O1", "-o", "hold", "hold.c"], cwd=folder, check=True)
    with serving(program, str(folder), CONFIG + f"state_dir: {folder}/state\n"):
        run_rounds(program, folder, rounds, seed)
    show(program, folder / "state")


def show(program, state):
    ask = [program, "history", "--errors", "--state-dir", str(state)]
    errors = json.loads(subprocess.run([*ask, "--json"], check=True, capture_output=True, text=True).stdout)
    print(f"{'kind':8}{'peaks':>7}{'above':>8}{'unused':>9}")
    for kind in KINDS:
        ending = ".c" if kind == "cc" else f".{kind}"
        kept = [each["warm"]["kept"] for each in errors["keys"] if ending in each["key"].split(":")[1][-8:]]
        runs, above, seconds, unused = (sum(each[name] for each in kept) for name in
                                        ("runs", "above", "byte_seconds", "unused_byte_seconds"))
        print(f"{kind:8}{runs:7}{above / max(1, runs):8.2%}{unused / max(1, seconds):9.1%}")
    print(flush=True)
    subprocess.run([*ask, "--all"], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", default=str(SOURCE / "build/release/bin/sluice"))
    parser.add_argument("--rounds", type=int, default=220)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", help="where to work, and to leave the record; default: a temporary one")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sluice-prediction-") as temporary:
        folder = Path(arguments.folder or temporary).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        measure(os.path.abspath(arguments.sluice), folder, arguments.rounds, arguments.seed)


if __name__ == "__main__":
    main()
