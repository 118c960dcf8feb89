"""The table and the scorecard for people."""

import tables

COLUMNS = (  # title, width, how a line of figures.lines() fills it
    ("contender", -16, lambda line: line.contender),
    ("runs", 5, lambda line: line.runs),
    ("total s", 8, lambda line: f"{line.total_s:.1f}"),
    ("least-most s", 14, lambda line: f"{line.least_s:.1f}-{line.most_s:.1f}"),
    ("CPU s", 7, lambda line: f"{line.cpu_s:.1f}"),
    ("peak MB", 8, lambda line: f"{line.peak_mb:.0f}"),
    ("failed", 7, lambda line: line.failed),
    ("OOM", 4, lambda line: line.oom_kills),
    ("stretch", 8, lambda line: known(line.stretch_median)),
    ("p95", 6, lambda line: known(line.stretch_p95)),
    ("jobs", 5, lambda line: line.jobs_most),
    ("compilers", 10, lambda line: line.compilers_most),
    ("idle %", 7, lambda line: f"{line.idle_pct:.0f}"),
)


def known(value):
    return "-" if value < 0 else f"{value:.2f}"


def table(lines):
    return tables.table(COLUMNS, lines, lambda line: f"{line.cell}, "
                        f"{'pass 1' if line.phase == 'scan' else 'pairs'}")


def verdict(figure):
    if figure.value is None:
        return "not recorded" if figure.unrecorded else "not measured"
    if figure.holds is None:
        return "-"
    if not figure.holds:
        return f"missed by {100 * figure.missed_by():.0f} %" if figure.bound else "missed"
    return "within its interval" if figure.missed_by() > 0 else "reached"


def scorecard(figures):
    out = [f"{'figure':<58}{'median':>8}{'interval':>14}{'covers':>8}{'pairs':>6}{'bound':>9}"
           "  verdict"]
    for figure in figures:
        value = figure.value
        bound = "-" if figure.bound is None else f"{'>=' if figure.at_least else '<='} " \
                                                 f"{figure.bound:g}"
        seen = f"{'-':>8}{'-':>14}{'-':>8}{0:>6}" if value is None else (
            f"{value.median:>8.2f}{f'{value.low:.2f}-{value.high:.2f}':>14}"
            f"{f'{100 * value.coverage:.0f} %':>8}{value.pairs:>6}")
        out.append(f"{figure.name:<58}{seen}{bound:>9}  {verdict(figure)}")
    return "\n".join(out)
