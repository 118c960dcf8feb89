"""How much memory this process holds."""
from __future__ import annotations

import ctypes
import gc
import os

_PAGE = os.sysconf("SC_PAGESIZE")


def _text(path: str) -> str:
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _kilobytes(text: str, *names: str) -> int:
    """The sum of these lines of a /proc file, in bytes."""
    total = 0
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name in names:
            total += int(value.split()[0]) * 1024
    return total


def resident() -> int:
    """Bytes of this process in RAM."""
    words = _text("/proc/self/statm").split()
    return int(words[1]) * _PAGE if len(words) > 1 else 0


def forget_peak() -> None:
    """Has the kernel count the peak of this process from now on."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        pass  # `peak` is then that since the process started.


def peak() -> int:
    return _kilobytes(_text("/proc/self/status"), "VmHWM")


def give_back() -> None:
    """Gives memory that is free within this process back to the kernel, so that `resident` says what is
    in use. Takes milliseconds."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):
        pass  # Another C library than glibc.
