"""What runs next: pass 1 looks for the best N, pass 2 runs it against ours. Pure.

Each asks for the next run given the rows so far, so that an interrupted sitting goes on.
"""

from cells import BATCH, DAEMON, JOBSERVER
from rows import PAIR, SCAN, Run

STOP_AT = 1.5  # times the best so far


def latest(found):
    """{Run: row}; of two rows of one run the later counts."""
    return {row.run(): row for row in found}


def scanned(cell, done):
    """{N: total} of pass 1."""
    totals = {}
    for n in cell.tried():
        row = done.get(Run(cell.name, SCAN, 0, 0, f"{cell.fixed}{n}"))
        if row is not None:
            totals[n] = row.total_s if row.undone == 0 else float("inf")
    return totals


def next_n(ns, totals):
    """The N to be run next, ascending; none once one took more than 1.5 x the best before it."""
    best = float("inf")
    for n in ns:
        if n not in totals:
            return n
        if totals[n] > STOP_AT * best:
            return None
        best = min(best, totals[n])
    return None


def best_n(totals):
    """The N with the smallest total, the smaller N of equals; none without any."""
    finite = {n: total for n, total in totals.items() if total < float("inf")}
    return min(sorted(finite), key=finite.get) if finite else None


def baseline(cell, done, cpus):
    """What ours are compared with; before pass 1 the number of CPUs has to do."""
    n = cell.baseline or best_n(scanned(cell, done)) or cpus
    return f"{cell.fixed}{n}"


def slots(cell, base, wanted):
    """One round: the best N, one of ours cold and warm, and so on; the best N again at the end
    where it came only once, for the A/A pair."""
    kinds = [tuple(name for name in kind if name in cell.ours and name in wanted)
             for kind in (BATCH, JOBSERVER, DAEMON)]
    order = [name for kind in kinds if kind for name in (base, *kind)]
    return order + [base] if order.count(base) == 1 else order


def by_hand(cell, done, number, wanted):
    """Each of ours, then as many compilers by hand as it had at once in the mean of its run."""
    order = []
    for slot, name in enumerate(name for name in cell.ours if name in wanted):
        own = done.get(Run(cell.name, PAIR, number, 2 * slot, name))
        count = max(1, round(own.compilers_mean)) if own is not None else 1
        order += [name, f"{cell.fixed}{count}"]
    return order


def round_of(cell, done, number, base, wanted):
    """The contenders of a round; what depends on a run of it is known after that run."""
    if cell.against == "by-hand":
        return by_hand(cell, done, number, wanted)
    if cell.against == "alone":
        return [name for name in cell.ours if name in wanted]
    return slots(cell, base, wanted)


def next_run(cell, done, cpus, pairs, wanted):
    """The next run of the cell, or none. `wanted`: names of contenders that shall run."""
    n = next_n([n for n in cell.tried() if f"{cell.fixed}{n}" in wanted], scanned(cell, done))
    names = ([f"{cell.fixed}{n}"] if n is not None else []) + list(cell.others)
    for name in names:
        run = Run(cell.name, SCAN, 0, 0, name)
        if name in wanted and run not in done:
            return run
    base = baseline(cell, done, cpus)
    for number in range(1, pairs + 1):
        for slot, name in enumerate(round_of(cell, done, number, base, wanted)):
            run = Run(cell.name, PAIR, number, slot, name)
            if run not in done:
                return run
    return None


def contenders_of(cell):
    return [f"{cell.fixed}{n}" for n in cell.tried()] + list(cell.others) + list(cell.ours)


def estimate_s(cell, contender, cpus):
    """Seconds that a run probably takes; for people, nothing depends on it."""
    each = cell.jobs()
    cpu, serial = sum(job.cpu_s for job in each), sum(job.wall_s for job in each)
    if cell.neighbour == "make-j8":
        cpu *= (cpus + 8) / cpus
    least = max(cpu / cpus, max(job.wall_s for job in each))
    if contender.startswith(cell.fixed) and contender[len(cell.fixed):].isdigit():
        return max(least, serial / int(contender[len(cell.fixed):]))
    return 1.2 * least


def estimated_rows(cell, cpus, pairs, wanted):
    """(run, seconds) of everything from nothing, as if all took what is estimated."""
    done, found = {}, []
    while (run := next_run(cell, done, cpus, pairs, wanted)) is not None:
        seconds = estimate_s(cell, run.contender, cpus)
        done[run] = Guess(seconds)
        found.append((run, seconds))
    return found


class Guess:
    """As much of a row as the plan looks at."""

    undone = 0
    compilers_mean = 2.0

    def __init__(self, total_s):
        self.total_s = total_s

