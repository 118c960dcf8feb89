"""One run: a contender in its group, then the repair of what failed, then the figures."""

import csv
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import group as groups
import jobset
import passes
import rows
import tsv
import watch
from console import tell
from process import cpu_of, end, resource_cpu, start

MB = 1 << 20
HERE = pathlib.Path(__file__).resolve().parent
FAILURES = ("failed", "oom", "timeout")  # Outcomes of a joblog's attempts.

TENANT_AFTER_S, TENANT_MB, TENANT_GROW_S, TENANT_HOLD_S = 10, 800, 8, 20


@dataclasses.dataclass(frozen=True)
class Alone:
    """What one job of a kind needs with nothing beside it."""

    peak_mb: float
    cpu_s: float
    wall_s: float


def group_name(purpose):
    return f"sluice-overload-{os.getpid()}-{purpose}"


def measure_alone(folder, jobs, shape):
    """Each kind's Alone, from the first job of the kind, by samples of its working set at 50 Hz."""
    jobset.write(folder, jobs, shape)
    jobset.clear_outputs(folder)
    found = {}
    for kind in jobset.KINDS:
        job = next(job for job in jobs if job.kind == kind)
        found[kind] = run_alone(job, folder)
    return found


def kept_alone(kept, folder, jobs, shape):
    """The same, measured once and kept in a file."""
    if not kept.exists():
        tell("measuring one job of each kind alone")
        found = measure_alone(folder, jobs, shape)
        kept.write_text(json.dumps({kind: dataclasses.asdict(each)
                                    for kind, each in found.items()}, indent=1))
    return {kind: Alone(**each) for kind, each in json.loads(kept.read_text()).items()}


def run_alone(job, folder):
    group = groups.Group(group_name("alone"))
    memory = watch.Memory()
    try:
        before = resource_cpu()
        began = time.monotonic()
        process = start(["sh", "-c", job.command], folder, group, subprocess.DEVNULL)
        try:
            watch.until_end(process, group, memory, sample_s=0.02)
        finally:
            status = end(process)
        wall = time.monotonic() - began
        if status != 0:
            raise RuntimeError(f"{job.command}: exit status {status}; it must succeed alone")
        return Alone(memory.peak / MB, cpu_of(group, before), wall)
    finally:
        group.close()


def run_pass(command, folder, group, limit, names, log, timeout_s):
    memory, attempts = watch.Memory(limit), watch.Attempts(names)
    return passes.run(
        lambda: start(command, folder, group, log),
        lambda child: watch.until_end(child, group, memory, attempts, timeout_s=timeout_s),
        memory, attempts)


def start_tenant(group, log):
    words = [TENANT_AFTER_S, TENANT_MB, TENANT_GROW_S, TENANT_HOLD_S]
    command = [sys.executable, str(HERE / "tenant.py"), *map(str, words)]
    return start(command, HERE, group, log)


def prepare_state(contender, setting):
    """The state folder: empty, or as the earlier contender left it; false where it never ran."""
    if not contender.is_sluice():
        return True
    folder = setting.state / contender.name
    shutil.rmtree(folder, ignore_errors=True)
    if not contender.after:
        folder.mkdir(parents=True)
        return True
    earlier = setting.state / contender.after
    if not earlier.exists():
        return False
    shutil.copytree(earlier, folder)
    return True


def braked_in(text):
    """Of a joblog: attempts that were followed by another one though they had not failed.

    Such an attempt was ended by the brake and its job queued again. -1 where it does not say.
    """
    attempts, failures = {}, 0
    try:
        for line in csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
            attempts.setdefault(line["Seq"], {})[int(line["Attempt"])] = line["Outcome"]
    except (KeyError, TypeError, ValueError):
        return -1
    for each in attempts.values():
        failures += sum(outcome in FAILURES for number, outcome in each.items()
                        if number < max(each))
    return sum(max(each) - 1 for each in attempts.values()) - failures if attempts else -1


def read_if_there(path):
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def small_waits(jobs, starts):
    """(mean, largest) seconds that light and waiting jobs waited for their start."""
    waits = [starts[job.name] for job in jobs
             if job.kind in ("light", "wait") and job.name in starts]
    return (sum(waits) / len(waits), max(waits)) if waits else (0.0, 0.0)


@dataclasses.dataclass
class Trial:
    """Both passes of a contender."""

    first: passes.Pass
    starts: dict  # job -> seconds after the start of the run
    repeated: int
    built: set  # by the first pass
    poisoned: list
    repair_s: float
    tenant_killed: int
    cpu_s: float


def two_passes(cell, command, setting, group, log, timeout_s):
    """The contender, beside the second tenant where the cell has one, then the repair."""
    folder, limit = setting.folder, setting.limit_mb * MB
    names = [job.name for job in setting.jobs]
    cpu_before = resource_cpu()
    tenant = start_tenant(group, log) if cell.tenant else None
    try:
        first = run_pass(command, folder, group, limit, names, log, timeout_s)
        tenant_killed = int(tenant is not None and tenant.poll() not in (None, 0))
    finally:
        if tenant is not None:
            end(tenant)
    # Otherwise the processes that the contender left running would be measured with the repair.
    group.kill_all()
    starts = {name: max(0.0, round(at - first.started, 2))
              for name, at in sorted(first.seen.starts.items())}
    repeated = first.seen.repeated()
    built, poisoned = jobset.done(folder), jobset.remove_poisoned(folder)
    repair_s = 0.0
    if len(built) < len(names):
        repair_s = repair(folder, group, first.seen, log, timeout_s)
    return Trial(first, starts, repeated, built, poisoned, repair_s, tenant_killed,
                 cpu_of(group, cpu_before))


def repair(folder, group, attempts, log, timeout_s):
    """Builds what is missing serially in the same group; returns how long it took."""
    began = time.monotonic()
    process = start(["make", "-k", "-j1"], folder, group, log)
    try:
        watch.until_end(process, group, watch.Memory(), attempts, timeout_s=timeout_s)
        return time.monotonic() - began
    finally:
        end(process)


def run_trial(cell, contender, setting, jobset_id, log_path, timeout_s=900.0):
    """Runs the contender in the cell and returns its row; the group is gone afterwards."""
    jobset.clear_outputs(setting.folder)
    joblog = setting.folder / contender.joblog if contender.joblog else None
    if joblog is not None:
        joblog.unlink(missing_ok=True)
    command = contender.command(setting)
    kills = groups.oom_kills_of_host()
    group = groups.Group(group_name(contender.name), setting.limit_mb * MB)
    try:
        with open(log_path, "w", encoding="utf-8") as log:
            trial = two_passes(cell, command, setting, group, log, timeout_s)
    finally:
        group.close()
    kills = groups.oom_kills_of_host() - kills
    braked = braked_in(read_if_there(joblog)) if joblog is not None else -1
    return row_of(trial, cell, contender, setting, jobset_id, kills, braked)


def row_of(trial, cell, contender, setting, jobset_id, kills, braked):
    mean, largest = small_waits(setting.jobs, trial.starts)
    finished = jobset.done(setting.folder)
    total, first = len(setting.jobs), trial.first
    return rows.Row(
        jobset=jobset_id, factor=cell.factor, seed=cell.seed, order=cell.order, tenant=cell.tenant,
        contender=contender.name, when=tsv.now(),
        limit_mb=setting.limit_mb, jobs=total, first_s=first.seconds, repair_s=trial.repair_s,
        total_s=first.seconds + trial.repair_s, failed=total - len(trial.built),
        unbuilt=total - len(finished), oom_kills=kills, poisoned=len(trial.poisoned),
        repeated=trial.repeated, braked=braked, cpu_s=trial.cpu_s,
        wasted_s=first.seen.wasted_cpu(finished), idle_pct=first.idle_pct,
        peak_mb=first.memory.peak / MB, over_90_s=first.memory.over_90_s,
        small_wait_mean_s=mean, small_wait_max_s=largest, tenant_killed=trial.tenant_killed,
        status=first.status, starts=trial.starts)
