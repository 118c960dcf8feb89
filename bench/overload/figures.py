"""What the rows say: normalised times, ratios, the table and the scorecard. Pure.

The speed of a machine drifts: the same compilations cost it 64 to 103 CPU seconds within an hour.
So each time is multiplied by reference / useful CPU seconds of its run. Useful is what was not
wasted on killed compilers; the reference is the median over all runs without a failure. A run on a
slow stretch thereby counts as what it would have taken at the usual speed, and a contender gets no
credit for CPU time that it wasted.
"""

import dataclasses
import statistics

FIXED = ("make-j1", "make-j2", "make-j4", "make-j8")
# What governs each compile of a build, and its bounds: (name, warm / oracle, cold / make -jN).
BUILDS = (("build", 1.20, 1.15), ("launch-make", 1.10, 1.05), ("launch-ninja", 1.10, 1.05))
ORACLE_90 = ("oracle-first-fit-90", "oracle-biggest-90")
# From this limit on a fixed -jN that is large enough has room: little is left to win.
LOOSE_FROM = 2.9
# A job's start is known to a tick (10 ms) at best, and a program needs a moment to start.
LATE_TOLERANCE_S = 0.5


def clean(row):
    return row.failed == 0 and row.oom_kills == 0 and row.unbuilt == 0 and row.status == 0


def reference_cpu(rows):
    """The median CPU seconds of runs without failures, whose every compiler ran once; else none."""
    costs = [row.cpu_s for row in rows if clean(row) and row.repeated == 0]
    return statistics.median(costs) if costs else None


def speed(row, reference):
    """What this run's times are multiplied by; 1 where nothing is known to compare with."""
    useful = row.cpu_s - row.wasted_s
    return reference / useful if reference and useful > 0 else 1.0


def normalised(row, reference):
    return row.total_s * speed(row, reference)


def by_cell(rows):
    """{cell: {contender: row}}; of two rows of one run the later counts."""
    cells = {}
    for row in rows:
        cells.setdefault(row.cell(), {})[row.contender] = row
    return cells


def best_of(runs, names, reference):
    """The smallest normalised total among the named contenders without failures; else none."""
    totals = [normalised(runs[name], reference) for name in names
              if name in runs and clean(runs[name])]
    return min(totals) if totals else None


def ratios(rows, contender, against, reference):
    """{cell: contender's normalised total / the best of `against`}, without second-tenant cells."""
    found = {}
    for cell, runs in by_cell(rows).items():
        best = best_of(runs, against, reference)
        if cell.tenant or best is None or contender not in runs or runs[contender].unbuilt:
            continue
        found[cell] = normalised(runs[contender], reference) / best
    return found


def lateness(rows, contender, reference):
    """{cell: by how many normalised seconds its latest job starts after make -j1 starts that job}.

    A job that was never seen starting counts as one that started when the run ended.
    """
    found = {}
    for cell, runs in by_cell(rows).items():
        if cell.tenant or "make-j1" not in runs or contender not in runs:
            continue
        serial, own = runs["make-j1"], runs[contender]
        scale, own_scale = speed(serial, reference), speed(own, reference)
        late = [own.starts.get(name, own.total_s) * own_scale - start * scale
                for name, start in serial.starts.items()]
        if late:
            found[cell] = max(late)
    return found


@dataclasses.dataclass(frozen=True)
class Figure:
    """One line of the scorecard. `passed` is none where there is no bound or no data."""

    name: str
    value: float | None  # what is compared with the bound
    worst: float | None  # of all cells
    bound: float | None
    unit: str
    cells: int
    within: int  # cells within the bound
    passed: bool | None


def judged(name, values, bound, unit, by=max):
    """`by` makes one value of the cells': max where each cell must hold, else the median."""
    values = list(values)
    if not values:
        return Figure(name, None, None, bound, unit, 0, 0, None)
    value, worst = by(values), max(values)
    within = len(values) if bound is None else sum(each <= bound for each in values)
    passed = None if bound is None else value <= bound
    return Figure(name, value, worst, bound, unit, len(values), within, passed)


def counts(rows, contender, what, tenants):
    return [getattr(row, what) for cell, runs in by_cell(rows).items()
            for name, row in runs.items()
            if name == contender and (tenants or not cell.tenant)]


def kill_figures(rows):
    figures = []
    for name, bound, tenants in (("batch-cold", 0, True), ("batch-warm", 0, True),
                                 ("batch-arrival", 0, True), ("jobserver-warm", 0, False),
                                 ("jobserver-cold", 1, False),
                                 *((f"{name}-{state}", 0, True) for name, _, _ in BUILDS
                                   for state in ("cold", "warm"))):
        kills = counts(rows, name, "oom_kills", tenants)
        figures.append(judged(f"{name}: OOM kills in a cell", kills, bound, "kills"))
        # A cold jobserver may have a kill and so a failed job.
        failed = counts(rows, name, "failed", tenants)
        figures.append(judged(f"{name}: failed jobs in a cell", failed, bound, "jobs"))
    for name in ("jobserver-cold", "jobserver-warm"):
        kills = [row.oom_kills for row in rows if row.tenant and row.contender == name]
        figures.append(judged(f"{name}: OOM kills beside the second tenant", kills, None, "kills"))
    for name in ("batch-cold", "batch-warm"):
        braked = [row.braked for row in rows if row.contender == name and row.braked >= 0]
        figures.append(judged(f"{name}: jobs ended by the brake and queued again", braked, None,
                              "jobs"))
    return figures


def time_figures(rows, reference):
    """Each limit by the median over its cells; the worst cell stands beside it."""
    figures = []
    for factor in sorted({row.factor for row in rows}):
        here = [row for row in rows if row.factor == factor]
        loose = factor >= LOOSE_FROM
        for name, against, title, bound in (
                ("batch-warm", ORACLE_90, "the better oracle at 90 %", 1.12),
                ("batch-warm", FIXED, "the best make -jN", 1.02 if loose else 0.90),
                ("batch-cold", FIXED, "the best make -jN", 1.05),
                ("batch-cold", ORACLE_90, "the better oracle at 90 %", None),
                ("jobserver-warm", FIXED, "the best make -jN", None),
                ("jobserver-cold", FIXED, "the best make -jN", None),
                *((f"{name}-warm", ORACLE_90, "the better oracle at 90 %", bound)
                  for name, bound, _ in BUILDS),
                *((f"{name}-cold", FIXED, "the best make -jN", bound)
                  for name, _, bound in BUILDS)):
            values = ratios(here, name, against, reference).values()
            figures.append(judged(f"{name} / {title}, limit {factor:g} x", values, bound, "x",
                                  statistics.median))
    return figures


def scorecard(rows, overhead=None):
    """All figures, from rows of one job set and the overhead in ms per job by contender."""
    reference = reference_cpu(rows)
    late = lateness(rows, "batch-arrival", reference).values()
    figures = kill_figures(rows) + time_figures(rows, reference)
    figures.append(judged("batch-arrival: latest start after make -j1's", late, LATE_TOLERANCE_S,
                          "s"))
    for name, bound in (("batch-off", 1.0), ("batch-auto", 2.0)):
        values = [overhead[name]] if overhead and name in overhead else []
        figures.append(judged(f"{name}: overhead per no-op job", values, bound, "ms"))
    return figures


@dataclasses.dataclass(frozen=True)
class Line:
    """A contender's runs at one limit and in one order: medians, but sums of what was lost."""

    factor: float
    order: str
    tenant: int
    contender: str
    runs: int
    total_s: float  # normalised
    least_s: float
    most_s: float
    raw_s: float
    to_make: float | None  # medians over the cells; none beside a tenant
    to_oracle: float | None
    oom_kills: int
    failed: int
    unbuilt: int
    poisoned: int
    repeated: int
    braked: int
    peak_pct: float  # of the limit, the largest
    over_90_s: float
    idle_pct: float
    cpu_s: float
    wasted_s: float
    small_wait_mean_s: float
    small_wait_max_s: float
    tenant_killed: int


def middle(values):
    values = list(values)
    return statistics.median(values) if values else None


def line_of(runs, reference, everything):
    head = runs[0]
    group = [row for row in everything
             if (row.factor, row.order, row.tenant) == (head.factor, head.order, head.tenant)]
    totals = [normalised(row, reference) for row in runs]
    return Line(
        factor=head.factor, order=head.order, tenant=head.tenant, contender=head.contender,
        runs=len(runs), total_s=middle(totals), least_s=min(totals), most_s=max(totals),
        raw_s=middle(row.total_s for row in runs),
        to_make=middle(ratios(group, head.contender, FIXED, reference).values()),
        to_oracle=middle(ratios(group, head.contender, ORACLE_90, reference).values()),
        oom_kills=sum(row.oom_kills for row in runs), failed=sum(row.failed for row in runs),
        unbuilt=sum(row.unbuilt for row in runs), poisoned=sum(row.poisoned for row in runs),
        repeated=sum(row.repeated for row in runs),
        braked=sum(max(0, row.braked) for row in runs),
        peak_pct=max(100.0 * row.peak_mb / row.limit_mb for row in runs),
        over_90_s=middle(row.over_90_s for row in runs),
        idle_pct=middle(row.idle_pct for row in runs), cpu_s=middle(row.cpu_s for row in runs),
        wasted_s=middle(row.wasted_s for row in runs),
        small_wait_mean_s=middle(row.small_wait_mean_s for row in runs),
        small_wait_max_s=max(row.small_wait_max_s for row in runs),
        tenant_killed=sum(row.tenant_killed for row in runs))


def lines(rows):
    """The table: limits ascending, shuffled before heavy-first before the second tenant."""
    reference, found = reference_cpu(rows), {}
    for row in [row for runs in by_cell(rows).values() for row in runs.values()]:
        order = (row.factor, row.tenant, row.order != "shuffled")
        found.setdefault((order, row.contender), []).append(row)
    sections = sorted({order for order, _ in found})
    return [line_of(runs, reference, rows) for section in sections
            for (order, _), runs in found.items() if order == section]
