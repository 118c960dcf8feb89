"""What a check says when a promise is broken."""

import time


def need(condition, what):
    if not condition:
        raise AssertionError(what)


def settles(differs, seconds=10):
    until = time.monotonic() + seconds
    while differs():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True
