"""Runs one command and ends it."""

import dataclasses
import time

import process
import sampling

GIVEN_UP = 1000


@dataclasses.dataclass
class Pass:
    """What was seen while one command ran."""

    seconds: float
    status: int  # exit status; negative: a signal; GIVEN_UP
    idle_pct: float  # of the host
    memory: sampling.Memory
    seen: object  # besides memory, as the caller looks at it
    started: float  # seconds after boot


def run(start, until_end, memory, seen=None):
    """`start` gives the process; `until_end` samples it into `memory` and `seen`, and is false where it gave up."""
    idle, ticks = sampling.host_cpu()
    boot, began = time.clock_gettime(time.CLOCK_BOOTTIME), time.monotonic()
    child = start()
    try:
        ended = until_end(child)
        seconds = time.monotonic() - began
        idle_after, ticks_after = sampling.host_cpu()
    finally:
        status = process.end(child)
    idle_pct = 100.0 * (idle_after - idle) / max(1, ticks_after - ticks)
    return Pass(seconds, status if ended else GIVEN_UP, idle_pct, memory, seen, boot)
