#!/usr/bin/env python3
"""Whether `sluice whatif` is right: work is recorded, asked about under another configuration, and
then really run under that one.

    bench/whatif_check.py [--sluice build/release/bin/sluice] [--runs 3] [--cells law,window,cpus]

Each cell changes one thing: the law, the largest window, the CPUs (taskset). The daemon has learned
the jobs in another order before. An answer holds if the median wait is within the largest of 10 %,
0.5 s and the spread of the real runs, and the 95th percentile likewise within 25 %. A model that
always answered with the recorded waits stands beside it: a cell in which it holds, too, shows nothing.
Exit status 1: an answer does not hold, or a cell shows nothing.
"""
import argparse
import dataclasses
import json
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

BENCH = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(BENCH / "gauntlet"), str(BENCH / "lab")]

import jobs  # noqa: E402

CONFIG = """\
window: {{law: {law}, maximum: {maximum}}}
service: {{listen: off, drain_on_stop: 1s}}
"""
RECORDED = {"law": "knee", "maximum": 1000}
PARTS = {"p50_seconds": 0.1, "p95_seconds": 0.25}
LEAST_S = 0.5
LEARNED_ORDER, ASKED_ORDER = 1, 2


@dataclasses.dataclass(frozen=True)
class Cell:
    name: str
    title: str
    work: tuple
    question: tuple  # options of `sluice whatif`
    options: dict  # the same in the configuration
    prefix: tuple = ()  # the same for the command


def all_cells():
    compilers = tuple(jobs.compilers(24))
    mixed = tuple(jobs.compilers(16) + jobs.sleeps(16))
    return [
        Cell("law", "16 compilers and 16 sleeps, law: adaptive", mixed,
             ("--set", "window.law=adaptive"), {"law": "adaptive"}),
        Cell("window", "24 compilers, one at a time", compilers,
             ("--set", "window.maximum=10"), {"maximum": 10}),
        Cell("cpus", "24 compilers on one CPU", compilers, ("--cpus", "1"), {},
             ("taskset", "-c", "0")),
    ]


class Bench:
    def __init__(self, sluice, folder):
        self.sluice, self.folder = sluice, folder

    def whatif(self, state, *question):
        done = subprocess.run([self.sluice, "whatif", state, "--json", *question], check=True, text=True,
                              stdout=subprocess.PIPE)
        return json.loads(done.stdout)

    def await_answer(self, socket):
        until = time.monotonic() + 30
        while subprocess.run([self.sluice, "status", "--socket", socket], check=False, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL).returncode == 2:
            if time.monotonic() > until:
                sys.exit(f"the daemon does not answer: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)

    def run(self, cell, name, seed, history=None, changed=False):
        """Runs the cell's work under a daemon of its own; the daemon's state folder."""
        state = self.folder / cell.name / name
        state.mkdir(parents=True)
        if history:
            shutil.copy(history, state / "history.db")
        config = self.folder / cell.name / f"{name}.yaml"
        config.write_text(CONFIG.format(**RECORDED | (cell.options if changed else {})))
        work = self.folder / "jobs" / cell.name
        jobs.write(work, random.Random(seed).sample(cell.work, len(cell.work)))
        jobs.clear_outputs(work)
        prefix = cell.prefix if changed else ()
        socket = str(self.folder / "socket")
        with open(self.folder / "log", "ab") as log:
            daemon = subprocess.Popen([*prefix, self.sluice, "serve", "--config", config, "--state-dir", state,
                                       "--socket", socket], stdout=log, stderr=log)
            try:
                self.await_answer(socket)
                subprocess.run([*prefix, self.sluice, "batch", "--socket", socket, "-f", "jobs.txt"], cwd=work,
                               check=True, stdout=log, stderr=log)
                time.sleep(1)  # The record is written twice a second.
            finally:
                daemon.send_signal(signal.SIGTERM)
                daemon.wait(60)
        return state


def holds(figure, answer, real):
    """Whether an answer is near enough to the real runs."""
    middle = statistics.median(real)
    return abs(answer - middle) <= max(PARTS[figure] * middle, LEAST_S, max(real) - min(real))


def check(bench, cell, runs):
    """{figure: what was recorded, answered and measured}."""
    learned = bench.run(cell, "learned", LEARNED_ORDER) / "history.db"
    state = bench.run(cell, "recorded", ASKED_ORDER, learned)
    answer = bench.whatif(state, *cell.question)
    real = [bench.whatif(bench.run(cell, f"real-{number}", ASKED_ORDER, learned, changed=True))["recorded"]
            for number in range(runs)]
    found = {}
    for figure in PARTS:
        measured = [each["waits"][figure] for each in real]
        recorded = answer["recorded"]["waits"][figure]
        asked = answer["variants"][0]["waits"][figure]
        found[figure] = {
            "recorded": recorded, "model_of_the_same": answer["model"]["waits"][figure], "answer": asked,
            "real": measured, "holds": holds(figure, asked, measured),
            "recorded_holds": holds(figure, recorded, measured)}
    return found


def passes(found):
    """Whether a cell's answers hold, and the recorded waits do not."""
    figures = found.values()
    return all(each["holds"] for each in figures) and not all(each["recorded_holds"] for each in figures)


def report(cell, found):
    print(cell.title)
    for figure, each in found.items():
        real = ", ".join(f"{value:.1f}" for value in each["real"])
        verdict = "holds" if each["holds"] else "does not hold"
        as_recorded = "would hold, too" if each["recorded_holds"] else "would not"
        print(f"  wait {figure[:3]}: recorded {each['recorded']:.1f} s, model of the same "
              f"{each['model_of_the_same']:.1f} s; answer {each['answer']:.1f} s, really {real} s: {verdict}; "
              f"the recorded wait {as_recorded}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", default="build/release/bin/sluice", metavar="PATH")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="real runs of each cell; default: 3")
    parser.add_argument("--cells", default="law,window,cpus", metavar="NAME,...")
    parser.add_argument("--json", action="store_true", help="a JSON object instead of lines")
    parser.add_argument("--folder", type=pathlib.Path, help="stays, with the records; default: a temporary one")
    arguments = parser.parse_args()
    cells = {cell.name: cell for cell in all_cells()}
    unknown = set(arguments.cells.split(",")) - set(cells)
    if unknown:
        parser.error(f"--cells: no such cell: {', '.join(sorted(unknown))} (there are {', '.join(cells)})")
    if arguments.folder and any(arguments.folder.glob("*")):
        parser.error(f"--folder: {arguments.folder} is not empty")
    with tempfile.TemporaryDirectory(prefix="sluice-whatif-") as temporary:
        folder = (arguments.folder or pathlib.Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(pathlib.Path(arguments.sluice).resolve(), folder)
        answers = {}
        for name in arguments.cells.split(","):
            answers[name] = check(bench, cells[name], arguments.runs)
            if not arguments.json:
                report(cells[name], answers[name])
    if arguments.json:
        print(json.dumps(answers, indent=1))
    return 0 if all(map(passes, answers.values())) else 1


if __name__ == "__main__":
    sys.exit(main())
