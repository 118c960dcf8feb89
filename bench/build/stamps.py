"""What the lines of the program `stamp` say. Pure."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Stamp:
    began: float
    continued: tuple  # (seconds, MB held then)
    ended: float


def read(text):
    found = []
    for line in text.splitlines():
        first, *middle, last = line.split()
        pairs = tuple((float(each.split(":")[0]), int(each.split(":")[1])) for each in middle)
        found.append(Stamp(float(first), pairs, float(last)))
    return found


def latencies(stamps):
    """Seconds from each exit that makes room to the start that it lets happen, first to first.

    A run starts when it is continued for the first time; one that was never stopped, with its first
    instruction. Starts for which no exit stands open, as the first ones, use room that was there.
    """
    ends = [(stamp.ended, 0) for stamp in stamps]
    starts = [(stamp.continued[0][0] if stamp.continued else stamp.began, 1) for stamp in stamps]
    open_ends, found = [], []
    for at, is_start in sorted(ends + starts):
        if not is_start:
            open_ends.append(at)
        elif open_ends:
            found.append(at - open_ends.pop(0))
    return found


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def held_below(stamps, megabytes):
    """(stopped runs, those of them that held less when they were first stopped)."""
    stopped = [stamp for stamp in stamps if stamp.continued]
    return len(stopped), sum(stamp.continued[0][1] < megabytes for stamp in stopped)
