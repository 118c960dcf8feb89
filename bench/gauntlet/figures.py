"""What the rows say: paired ratios with their intervals, and the scorecard. Pure.

Seconds are never normalised by CPU seconds here: too many at once itself costs CPU seconds. The
drift of the machine is met by pairs: ours and the best N run one after the other, and only those
are compared.
"""

import dataclasses
import math
import statistics

import plan
from cells import NS, is_ours
from rows import NONE, PAIR, SCAN

CONFIDENCE = 0.95


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A median with its interval. `coverage`: how often such an interval holds the true median."""

    median: float
    low: float
    high: float
    coverage: float
    pairs: int


def misses(count, outside):
    """How often the true median lies outside the interval that leaves out `outside` values at each
    end: each of `count` independent values is above the median as often as a coin shows heads."""
    return 2.0 * sum(math.comb(count, k) for k in range(outside + 1)) / 2.0 ** count


def estimate(values):
    """The median, and the narrowest pair of order statistics around it with 95 % coverage; below
    six values no two have that, so it is the least and the largest. None of no values."""
    ordered = sorted(values)
    if not ordered:
        return None
    outside = 0
    while misses(len(ordered), outside + 1) <= 1 - CONFIDENCE:
        outside += 1
    coverage = max(0.0, 1.0 - misses(len(ordered), outside))
    return Estimate(statistics.median(ordered), ordered[outside], ordered[-1 - outside], coverage,
                    len(ordered))


def rounds_of(rows, cell):
    """[rows of a round by slot], of pass 2."""
    found = {}
    for row in rows:
        if row.cell == cell and row.phase == PAIR:
            found.setdefault(row.round, []).append(row)
    return [sorted(found[number], key=lambda row: row.slot) for number in sorted(found)]


def pairs(rows, cell, contender):
    """[(contender's row, that of the best N which ran before it in the same round)]"""
    found = []
    for each in rounds_of(rows, cell):
        base = None
        for row in each:
            if row.contender == contender and base is not None and not row.undone:
                found.append((row, base))
            elif not is_ours(row.contender) and not row.undone:
                base = row
    return found


def best_pairs(rows, cell):
    """[(later, earlier)]: the best N against itself, as far apart as ours are from it."""
    found = []
    for each in rounds_of(rows, cell):
        base = [row for row in each if not is_ours(row.contender) and not row.undone]
        found += [(later, earlier) for earlier, later in zip(base, base[1:])
                  if later.contender == earlier.contender]
    return found


def ratios(found, what):
    return [getattr(own, what) / getattr(base, what) for own, base in found
            if getattr(base, what) > 0]


@dataclasses.dataclass(frozen=True)
class Figure:
    """One line of the scorecard. `holds`: the interval reaches the bound; none: not measured."""

    name: str
    value: Estimate | None
    bound: float | None  # none: only reported
    at_least: int  # 1: the bound is a lower one
    holds: bool | None
    unrecorded: int = 0  # runs whose rows are older than the figure

    def missed_by(self):
        """Of the bound, by how much the median misses it; 0 where it does not."""
        if self.value is None or not self.bound:
            return 0.0
        off = self.value.median / self.bound - 1.0
        return max(0.0, -off if self.at_least else off)


def judged(name, values, bound, at_least=0, unrecorded=0):
    value = estimate(values)
    if value is None or bound is None:
        return Figure(name, value, bound, at_least, None, unrecorded)
    holds = value.high >= bound if at_least else value.low <= bound
    return Figure(name, value, bound, at_least, holds)


# cell: (bound warm, bound cold) of the total.
TOTAL = {"cpu": (1.03, 1.08), "wait": (1.5, 4.0), "mixed-shuffled": (1.05, 1.2),
         "mixed-sleeps-first": (1.05, 1.2), "mixed-compilers-first": (1.05, 1.2),
         "threads": (1.05, 1.2), "io": (1.05, 1.2), "short": (1.08, 1.15),
         "two-builds": (1.03, 1.1), "real": (1.03, 1.08)}
CPU_TOO = ("cpu", "real")  # The same bounds for CPU seconds.
PEAK, STRETCH = 1.15, 1.8
BUSY_AGAIN_S = 2.0
BELOW_HALF_S = 0.5  # Between the end of a job and the start of the next there is a moment.


def bound_of(bounds, contender):
    return bounds[0] if contender.endswith("warm") else bounds[1]


def cell_figures(rows, cell):
    """Of one cell: totals and what else has a bound, and the best N against itself."""
    bounds, found = TOTAL[cell.name], []
    for name in cell.ours:
        own = pairs(rows, cell.name, name)
        bound = bound_of(bounds, name)
        found.append(judged(f"{cell.name}: {name}, total", ratios(own, "total_s"), bound))
        if cell.name in CPU_TOO:
            found.append(judged(f"{cell.name}: {name}, CPU s", ratios(own, "cpu_s"), bound))
            found.append(judged(f"{cell.name}: {name}, peak memory", ratios(own, "peak_mb"), PEAK))
        if cell.name == "cpu":
            found.append(judged(f"cpu: {name}, p95 stretch",
                                [row.stretch_p95 for row, _ in own], STRETCH))
    found.append(judged(f"{cell.name}: the best N against itself",
                        ratios(best_pairs(rows, cell.name), "total_s"), None))
    return found


def later_column(rows, cell, contender, what, title, bound):
    """A figure of a column that older rows do not have."""
    runs = [row for row in rows if row.cell == cell.name and row.contender == contender]
    values = [getattr(row, what) for row in runs if getattr(row, what) != NONE]
    return judged(f"{cell.name}: {contender}, {title}", values, bound,
                  unrecorded=len(runs) - len(values))


def shares(rows, cell, contender, what):
    return [getattr(row, what) for row in rows
            if row.cell == cell and row.contender == contender and getattr(row, what) != NONE]


def by_hand_ratios(rows, cell, contender):
    """CPU seconds a second of ours by those of the run by hand that came after it."""
    return [(own.cpu_s / own.total_s) / (hand.cpu_s / hand.total_s)
            for each in rounds_of(rows, cell) for own, hand in zip(each, each[1:])
            if own.contender == contender and not is_ours(hand.contender)
            and not own.undone and not hand.undone and hand.cpu_s > 0]


def alone_ratios(rows, cell, contender):
    return [own.total_s / alone.total_s
            for each in rounds_of(rows, cell) for alone, own in zip(each, each[1:])
            if own.contender == contender and alone.contender == f"{contender}-alone"
            and not own.undone and not alone.undone]


def neighbour_figures(rows, cell):
    found = []
    for name in ("batch-cold", "batch-warm"):
        head = f"{cell.name}: {name}"
        if cell.neighbour == "thread":
            found.append(judged(f"{head}, its share over its stay",
                                shares(rows, cell.name, name, "neighbour_share"), 0.8, 1))
            found.append(judged(f"{head}, once earlier jobs ended",
                                shares(rows, cell.name, name, "neighbour_later_share"), 0.85, 1))
            found.append(later_column(rows, cell, name, "busy_again_s", "busy again, s",
                                      BUSY_AGAIN_S))
        elif cell.neighbour == "make-j8":
            found.append(judged(f"{head}, CPU by as many by hand",
                                by_hand_ratios(rows, cell.name, name), 0.9, 1))
            found.append(later_column(rows, cell, name, "below_half_s", "longest below half, s",
                                      BELOW_HALF_S))
        else:
            found.append(judged(f"{head}, total by alone",
                                alone_ratios(rows, cell.name, name), 1.1))
    return found


def kill_figures(rows, cell):
    """Of a cell with little memory: no run of ours may have a kill."""
    found = []
    for name in cell.ours:
        own = [row.oom_kills for row in rows if row.cell == cell.name and row.contender == name]
        value = Estimate(sum(own), min(own), max(own), 1.0, len(own)) if own else None
        found.append(Figure(f"{cell.name}: {name}, OOM kills", value, 0.0, 0,
                            sum(own) == 0 if own else None))
    return found


def losses(rows, cell):
    """Figures only where ours lost something: kills and jobs that failed."""
    found = []
    for name in cell.ours:
        own = [row for row in rows if row.cell == cell.name and row.contender == name]
        kills = [] if cell.peaks else [("oom_kills", "OOM kills")]
        for what, word in (*kills, ("failed", "failed jobs")):
            if lost := sum(getattr(row, what) for row in own):
                found.append(Figure(f"{cell.name}: {name}, {word}",
                                    Estimate(lost, lost, lost, 1.0, len(own)), 0.0, 0, False))
    return found


def to_best(cell, totals):
    """{N: its total by the best, in pass 1}. An N that was not reached counts as the rule that
    stopped pass 1 says: more than 1.5 times the best. One beyond the last that was asked for does
    the same as that."""
    best, last = plan.best_n(totals), cell.tried()[-1]
    beyond = plan.STOP_AT * totals[best]
    return {n: totals.get(min(n, last), beyond) / totals[best] for n in NS}


def means(rows, cells):
    """({N: geometric mean of its total by each cell's best}, {kind of batch: the same}, cells that
    count)."""
    fixed, own, used = {}, {}, []
    done = plan.latest(rows)
    for cell in cells:
        totals = plan.scanned(cell, done)
        values = {name: estimate(ratios(pairs(rows, cell.name, name), "total_s"))
                  for name in cell.ours}
        batch = {name: values[name] for name in ("batch-cold", "batch-warm") if values.get(name)}
        through = plan.best_n(totals) is not None and plan.next_n(cell.tried(), totals) is None
        if cell.name not in TOTAL or not through or len(batch) < 2:
            continue
        used.append(cell.name)
        by_best = to_best(cell, totals)
        base = by_best.get(cell.baseline, 1.0)
        for n, value in by_best.items():
            fixed.setdefault(n, []).append(value)
        for name, value in batch.items():
            own.setdefault(name, []).append(value.median * base)
    return ({n: statistics.geometric_mean(each) for n, each in fixed.items()
             if len(each) == len(used)},
            {name: statistics.geometric_mean(each) for name, each in own.items()}, used)


def mean_figures(rows, cells):
    fixed, own, used = means(rows, cells)
    n = min(sorted(fixed), key=fixed.get) if fixed else None
    title = f"the best single N, {n}, in {len(used)} cells" if n else "the best single N"
    return [judged(f"geometric mean of {name} / {title}", [own[name] / fixed[n]] if n else [],
                   bound) for name, bound in (("batch-warm", 0.9), ("batch-cold", 1.0))]


def scorecard(rows, cells):
    rows = list(plan.latest(rows).values())
    found = []
    for cell in cells:
        if cell.name in TOTAL:
            found += cell_figures(rows, cell)
        if cell.neighbour:
            found += neighbour_figures(rows, cell)
        if cell.peaks:
            found += kill_figures(rows, cell)
        found += losses(rows, cell)
    return found + mean_figures(rows, cells)


@dataclasses.dataclass(frozen=True)
class Line:
    """All runs of a contender in one pass of a cell: medians, but sums of what was lost."""

    cell: str
    phase: str
    contender: str
    runs: int
    total_s: float
    least_s: float
    most_s: float
    cpu_s: float
    peak_mb: float
    failed: int
    oom_kills: int
    stretch_median: float
    stretch_p95: float
    jobs_most: int
    compilers_most: int
    idle_pct: float


def line_of(runs):
    def middle(what):
        return statistics.median(getattr(row, what) for row in runs)
    head, totals = runs[0], [row.total_s for row in runs]
    return Line(head.cell, head.phase, head.contender, len(runs), middle("total_s"), min(totals),
                max(totals), middle("cpu_s"), middle("peak_mb"), sum(row.failed for row in runs),
                sum(row.oom_kills for row in runs), middle("stretch_median"),
                middle("stretch_p95"), max(row.jobs_most for row in runs),
                max(row.compilers_most for row in runs), middle("idle_pct"))


def lines(rows):
    """Cells in the order of their first row, pass 1 before pass 2."""
    found = {}
    for row in plan.latest(rows).values():
        found.setdefault((row.cell, row.phase, row.contender), []).append(row)
    order = list(dict.fromkeys(row.cell for row in rows))
    places = sorted(found, key=lambda key: (order.index(key[0]), key[1] != SCAN))
    return [line_of(found[place]) for place in places]
