"""Where the gauntlet's modules are, and a row to change for each test."""

import pathlib
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
BENCH = PROJECT / "bench" / "gauntlet"
sys.path[:0] = [str(BENCH), str(PROJECT / "bench" / "lab")]

import rows  # noqa: E402  found through the path above


def row(contender="make-j2", **changes):
    """A run without failures: 60 s, pass 1."""
    values = dict(
        jobset="test", cell="cpu", phase=rows.SCAN, round=0, slot=0, contender=contender,
        when="2026-01-01T00:00:00Z", jobs=48, total_s=60.0, first_s=60.0, cpu_s=100.0,
        peak_mb=1000.0, failed=0, undone=0, oom_kills=0, stretch_median=1.0, stretch_p95=1.5,
        jobs_most=2, compilers_most=2, compilers_mean=1.9, idle_pct=2.0, neighbour_share=-1.0,
        neighbour_later_share=-1.0, status=0)
    return rows.Row(**dict(values, **changes))


def round_of(number, *totals, cell="cpu"):
    """Rows of pass 2: (contender, total) in the order of slots."""
    return [row(name, cell=cell, phase=rows.PAIR, round=number, slot=slot, total_s=total)
            for slot, (name, total) in enumerate(totals)]
