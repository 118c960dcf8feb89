"""The table and the scorecard for people."""

import tables

COLUMNS = (  # title, width, how a line of figures.lines() fills it
    ("contender", -20, lambda line: line.contender),
    ("runs", 5, lambda line: line.runs),
    ("total s", 8, lambda line: f"{line.total_s:.1f}"),
    ("least-most s", 14, lambda line: f"{line.least_s:.1f}-{line.most_s:.1f}"),
    ("raw s", 7, lambda line: f"{line.raw_s:.1f}"),
    ("/make", 6, lambda line: ratio(line.to_make)),
    ("/oracle", 8, lambda line: ratio(line.to_oracle)),
    ("OOM", 4, lambda line: line.oom_kills),
    ("failed", 7, lambda line: line.failed),
    ("poisoned", 9, lambda line: line.poisoned),
    ("again", 6, lambda line: line.repeated),
    ("braked", 7, lambda line: line.braked),
    ("peak %", 7, lambda line: f"{line.peak_pct:.0f}"),
    (">90% s", 7, lambda line: f"{line.over_90_s:.1f}"),
    ("idle %", 7, lambda line: f"{line.idle_pct:.0f}"),
    ("CPU s", 7, lambda line: f"{line.cpu_s:.1f}"),
    ("wasted", 7, lambda line: f"{line.wasted_s:.1f}"),
    ("small wait s", 13, lambda line: f"{line.small_wait_mean_s:.1f}/{line.small_wait_max_s:.1f}"),
)


def ratio(value):
    return "-" if value is None else f"{value:.2f}"


def section_title(line):
    title = f"limit {line.factor:g} x the largest peak, {line.order}"
    return title + (", second tenant" if line.tenant else "")


def remarks(line):
    if line.unbuilt:
        yield f"    {line.unbuilt} jobs were never built: this total counts for nothing"
    if line.tenant_killed:
        yield "    the second tenant was killed"


def table(lines):
    return tables.table(COLUMNS, lines, section_title, remarks)


def amount(value, unit):
    if value is None:
        return "no data"
    return f"{value:.0f}" if unit in ("kills", "jobs") else f"{value:.2f}"


def scorecard(figures):
    out = [f"{'figure':<62}{'value':>9}{'worst':>8}{'bound':>8} {'unit':<6}{'within':>8}  verdict"]
    for figure in figures:
        bound = "-" if figure.bound is None else f"{figure.bound:g}"
        verdict = {None: "-", True: "pass", False: "FAIL"}[figure.passed]
        within = f"{figure.within}/{figure.cells}" if figure.cells else "-"
        worst = "-" if figure.worst is None else amount(figure.worst, figure.unit)
        out.append(f"{figure.name:<62}{amount(figure.value, figure.unit):>9}{worst:>8}{bound:>8} "
                   f"{figure.unit:<6}{within:>8}  {verdict}")
    return "\n".join(out)
