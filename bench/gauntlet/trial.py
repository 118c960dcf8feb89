"""One run: a contender in its group, then the repair of what failed, then the figures."""

import dataclasses
import os
import pathlib
import subprocess
import time

import contenders
import group as groups
import jobs
import neighbours
import passes
import process
import real
import rows
import sampling
import series
import tsv

MB = 1 << 20
SAMPLE_S = 0.05  # Memory; four a second of everything else.
SAMPLES_A_LOOK = 5


class NoGroup:
    """Where no group can be made and none is needed: nothing is accounted."""

    def enter(self):
        pass

    def working_set(self):
        return 0

    def cpu_seconds(self):
        return None

    def pids(self):
        return set()

    def kill_all(self):
        pass

    def close(self):
        pass


def make_group(purpose, limit=None):
    return groups.Group(f"sluice-gauntlet-{os.getpid()}-{purpose}", limit)


def start(command, folder, group, log):
    # In this session, as a build beside another one would be; a process group of its own, so that
    # an interrupt from the terminal is for this program, which then ends all.
    return process.start(command, folder, group, log, process_group=0)


def run_pass(command, folder, group, beside, log, timeout_s):
    """`beside` is the neighbour; it has come where it is there first, and the caller ends it."""
    memory, looker = sampling.Memory(), series.Looker(group)
    boot = time.clock_gettime(time.CLOCK_BOOTTIME)

    def look(number):
        at = time.clock_gettime(time.CLOCK_BOOTTIME) - boot
        beside.look(at)
        if number % SAMPLES_A_LOOK == 0:
            looker.look(at)

    return passes.run(
        lambda: start(command, folder, group, log),
        lambda child: sampling.until_end(child, group, memory, look, SAMPLE_S, timeout_s),
        memory, looker.looks)


def repair(setting, group, log, timeout_s):
    """Does what is missing by `make -j1` in the same group; how long that took."""
    began = time.monotonic()
    child = start(contenders.command("make-j1", setting), setting.folder, group, log)
    try:
        child.wait(timeout_s)
    except subprocess.TimeoutExpired:
        pass
    finally:
        process.end(child)
    return time.monotonic() - began


def build_folders(setting):
    return [setting.folder / folder for folder, _ in setting.cell.builds]


def spans_now(setting):
    return jobs.spans(build_folders(setting), sampling.TICKS)


@dataclasses.dataclass
class Trial:
    """Both passes of a contender."""

    first: passes.Pass
    spans: dict  # job -> jobs.Span, of the first pass
    repair_s: float
    cpu_s: float
    oom_kills: int
    undone: int
    beside: neighbours.Nobody


def two_passes(command, setting, group, beside, log, timeout_s):
    kills, cpu_before = groups.oom_kills_of_host(), process.resource_cpu()
    try:
        beside.begin()
        first = run_pass(command, setting.folder, group, beside, log, timeout_s)
    finally:
        beside.end()
    # Otherwise the processes that the contender left running would be measured with the repair.
    group.kill_all()
    spans, repair_s = spans_now(setting), 0.0
    everything = len(setting.cell.jobs())
    if len(spans) < everything:
        for folder in build_folders(setting):
            jobs.remove_poisoned(folder, spans)
        repair_s = repair(setting, group, log, timeout_s)
    return Trial(first, spans, repair_s, process.cpu_of(group, cpu_before),
                 groups.oom_kills_of_host() - kills, everything - len(spans_now(setting)), beside)


def neighbour_of(run, setting, log):
    """In this program's own group, in which ours are, too."""
    kind = "" if run.contender.endswith("-alone") else setting.cell.neighbour
    return neighbours.of(kind, setting.folder.parent / "neighbour",
                         lambda command, folder: start(command, folder, NoGroup(), log))


def fresh(setting):
    """As if nothing had ever been built."""
    if setting.cell.is_real():
        real.restore(setting.folder, setting.kept)
        return
    for folder in build_folders(setting):
        jobs.clear_outputs(folder)


def run_trial(run, setting, jobset, alone, kept, group, timeout_s=900.0):
    """Runs the contender in the group, keeps its output and series in the folder `kept`, and
    returns its row; the group is closed afterwards."""
    try:
        fresh(setting)
        kept.mkdir(parents=True, exist_ok=True)
        command = contenders.command(run.contender, setting)
        with open(kept / "output.log", "w", encoding="utf-8") as log:
            trial = two_passes(command, setting, group, neighbour_of(run, setting, log), log,
                               timeout_s)
    finally:
        group.close()
    windows = series.windows_of((kept / "output.log").read_text(errors="replace"))
    series.write(kept / "series.tsv", trial.first, trial.spans, windows)
    return row_of(run, trial, setting, jobset, alone)


def stretches(cell, spans, alone):
    """Of each job that succeeded and whose kind's time alone is known, sorted."""
    return sorted((spans[job.name].end - spans[job.name].start) / alone[job.kind]
                  for job in cell.jobs() if job.name in spans and alone.get(job.kind, 0) > 0)


def most_at_once(spans):
    """The most that ran at the same time; one that ends as another starts does not count twice."""
    changes = sorted([(span.start, 1) for span in spans] + [(span.end, -1) for span in spans])
    most = now = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


def longest_below(spans, least):
    """The longest time with fewer than `least` of them, while some had yet to start."""
    last = max((span.start for span in spans), default=0.0)
    changes = sorted([(span.start, 1) for span in spans] + [(span.end, -1) for span in spans])
    longest, now, since = 0.0, 0, changes[0][0] if changes else 0.0
    for at, change in changes:
        if at > last:
            break
        if now < least:
            longest = max(longest, at - since)
        else:
            since = at
        now += change
    return longest


def quantile(values, share):
    """The smallest value that at least `share` of them do not exceed; NONE of no values."""
    if not values:
        return rows.NONE
    return values[max(0, -(-int(share * 1000) * len(values) // 1000) - 1)]


def row_of(run, trial, setting, jobset, alone):
    cell, first = setting.cell, trial.first
    compilers = [trial.spans[job.name] for job in cell.jobs()
                 if job.compiles() and job.name in trial.spans]
    stretch = stretches(cell, trial.spans, alone)
    seen = [look.compilers for look in first.seen]
    # Packages do not say when each of their compilers ran.
    most = most_at_once(compilers) if compilers else max(seen, default=0)
    came = neighbours.FROM_S
    later = neighbours.settled(trial.spans.values(), first.started + came) - first.started
    left = trial.beside.left()
    again = series.busy_again(first.seen, left) if left is not None else None
    half = len(os.sched_getaffinity(0)) / 2
    return rows.Row(
        jobset=jobset, **dataclasses.asdict(run), when=tsv.now(),
        jobs=len(cell.jobs()), total_s=first.seconds + trial.repair_s, first_s=first.seconds,
        cpu_s=trial.cpu_s, peak_mb=first.memory.peak / MB,
        failed=len(cell.jobs()) - len(trial.spans), undone=trial.undone,
        oom_kills=trial.oom_kills, stretch_median=quantile(stretch, 0.5),
        stretch_p95=quantile(stretch, 0.95), jobs_most=most_at_once(trial.spans.values()),
        compilers_most=most, compilers_mean=sum(seen) / max(1, len(seen)),
        idle_pct=first.idle_pct, neighbour_share=trial.beside.share(came),
        neighbour_later_share=trial.beside.share(later),
        status=first.status, busy_again_s=rows.NONE if again is None else again,
        below_half_s=longest_below(compilers, half) if cell.neighbour == "make-j8" else rows.NONE,
        limit_mb=rows.NONE if setting.limit is None else setting.limit / MB)


def time_alone(job, folder):
    """Seconds of a job with nothing beside it: the lesser of two runs."""
    jobs.write(folder, [job])
    best = float("inf")
    for _ in range(2):
        jobs.clear_outputs(folder)
        result = subprocess.run(["sh", "-c", job.command()], cwd=folder, check=False,
                                stdin=subprocess.DEVNULL, env=process.clean_environment())
        if result.returncode != 0:
            raise RuntimeError(f"{job.work}: exit status {result.returncode}; it must succeed "
                               "alone")
        span = jobs.spans([folder], sampling.TICKS)[job.name]
        best = min(best, span.end - span.start)
    return best


def measure_peak(cell, folder, group):
    """Bytes of the largest job's working set with nothing beside it. The group is closed."""
    job = max(cell.jobs(), key=lambda each: each.wall_s)
    jobs.write(folder, [job])
    jobs.clear_outputs(folder)
    memory, status = sampling.Memory(), None
    try:
        child = start(["sh", "-c", job.command()], folder, group, subprocess.DEVNULL)
        try:
            sampling.until_end(child, group, memory, lambda _: None, SAMPLE_S / 2, 120.0)
        finally:
            status = process.end(child)
    finally:
        group.close()
    if status != 0:
        raise RuntimeError(f"{job.work}: exit status {status}; it must succeed alone")
    return memory.peak


def measure_alone(cell, folder):
    """{kind: seconds}, of the first job of each kind; a sleep takes what it says.

    Kinds that take only moments are left out: times are known to 10 ms.
    """
    found = {}
    for job in cell.jobs():
        if job.kind not in found and job.kind != "package" and job.wall_s >= 0.1:
            sleeps = job.kind.startswith("sleep")
            found[job.kind] = job.wall_s if sleeps else time_alone(job, pathlib.Path(folder))
    return found
