#!/usr/bin/env python3
"""The oracle: what a scheduler would do that knows every job's peak memory and CPU beforehand.

packing.py PLAN.json   runs the jobs of the plan in its folder; the exit status is 1 if one failed.
"""

import dataclasses
import json
import os
import subprocess
import sys


@dataclasses.dataclass(frozen=True)
class Weight:
    memory_mb: float
    cpus: float


def in_order(jobs, weights, order):
    """Jobs as (name, kind, command): in the order given, or by weight with the largest first."""
    if order == "biggest-first":
        return sorted(jobs, key=lambda job: -weights[job[1]].memory_mb)
    return list(jobs)


def fitting(waiting, running, budget):
    """Indices of the waiting weights that start now: each, in order, that fits beside the others.

    A job that does not fit is passed over. With nothing running the first one starts in any case,
    since it would never fit better.
    """
    memory = sum(weight.memory_mb for weight in running)
    cpus = sum(weight.cpus for weight in running)
    chosen = []
    for index, weight in enumerate(waiting):
        fits = (memory + weight.memory_mb <= budget.memory_mb
                and cpus + weight.cpus <= budget.cpus)
        if fits or not (running or chosen):
            chosen.append(index)
            memory += weight.memory_mb
            cpus += weight.cpus
    return chosen


def run(plan):
    weights = {kind: Weight(*weight) for kind, weight in plan["weights"].items()}
    budget = Weight(plan["budget_mb"], plan["cpus"])
    waiting = in_order(plan["jobs"], weights, plan["order"])
    running, failed = {}, 0
    while waiting or running:
        chosen = fitting([weights[job[1]] for job in waiting],
                         [weight for _, weight in running.values()], budget)
        for index in chosen:
            process = subprocess.Popen(["sh", "-c", waiting[index][2]])
            running[process.pid] = (process, weights[waiting[index][1]])
        waiting = [job for index, job in enumerate(waiting) if index not in set(chosen)]
        pid, status = os.wait()
        if pid in running:
            del running[pid]
            failed += status != 0
    return failed


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.exit(1 if run(json.load(file)) else 0)
