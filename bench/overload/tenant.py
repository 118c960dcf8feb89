#!/usr/bin/env python3
"""The second tenant of the group: waits, grows to some memory evenly, holds it and ends.

tenant.py AFTER_S MB GROW_S HOLD_S
"""

import sys
import time

STEP_MB = 10


def main():
    after, megabytes, grow, hold = (float(word) for word in sys.argv[1:5])
    time.sleep(after)
    start = time.monotonic()
    blocks = []
    steps = int(megabytes / STEP_MB)
    for step in range(1, steps + 1):
        blocks.append(b"x" * (STEP_MB << 20))  # Written, so that the memory is really taken.
        time.sleep(max(0.0, start + grow * step / steps - time.monotonic()))
    time.sleep(hold)


if __name__ == "__main__":
    main()
