"""Where the benchmark's modules are, and a row to change for each test."""

import pathlib
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
BENCH = PROJECT / "bench" / "overload"
sys.path[:0] = [str(BENCH), str(PROJECT / "bench" / "lab")]

import rows  # noqa: E402  found through the path above


def row(contender="make-j2", **changes):
    """A run without failures: 100 CPU seconds, 60 s, at 1.9 times the largest peak."""
    values = dict(
        jobset="test", factor=1.9, seed=1, order="shuffled", tenant=0, contender=contender,
        when="2026-01-01T00:00:00Z", limit_mb=1900, jobs=3, first_s=60.0, repair_s=0.0,
        total_s=60.0, failed=0, unbuilt=0, oom_kills=0, poisoned=0, repeated=0, braked=-1,
        cpu_s=100.0, wasted_s=0.0, idle_pct=10.0, peak_mb=1500.0, over_90_s=0.0,
        small_wait_mean_s=5.0, small_wait_max_s=9.0, tenant_killed=0, status=0,
        starts={"amber": 0.0, "birch": 20.0, "cedar": 40.0})
    return rows.Row(**dict(values, **changes))
