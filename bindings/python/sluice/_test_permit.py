"""A permit for one test: asks by what is learned of it, and reports what it took."""
from __future__ import annotations

import hashlib
import os
import threading
import time
from urllib.parse import quote

from . import _memory, _request
from ._errors import Refused, SluiceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Mapping, Optional

    from ._client import Client
    from ._granted import Granted, Json
    from ._connection import Connection

# How often the daemon is asked to measure a test, in seconds; docs/api.md asks for every few hundred milliseconds.
REPORTS = 0.4

# From this growth on, in bytes, a test's garbage is worth the milliseconds that it takes to collect.
WORTH_COLLECTING = 16 << 20

# By less, in bytes, the level of a worker says nothing about what its next test needs.
_NOTEWORTHY = 1 << 20

_MOST_KEY = 256


def _printable(text: str) -> str:
    """Shortened to what a key may have, so that different texts stay different."""
    if text.isprintable() and len(text.encode(errors="replace")) <= _MOST_KEY and _is_encodable(text):
        return text
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]
    plain = "".join(letter if " " <= letter <= "~" else "?" for letter in text)
    return f"{plain[:_MOST_KEY - 17]}:{digest}"


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def program_of(project: str) -> str:
    """By which tests of a project are known together: what is expected of one that never ran."""
    return _printable(f"pytest:{project}")


def body_of(project: str, test: str, declared: Mapping[str, object]) -> Json:
    """The submit for a test. Raises TypeError and ValueError for what its marker declares."""
    known = ("queue", "priority", "cost", "memory", "locks", "resources")
    unknown = sorted(set(declared) - set(known))
    if unknown:
        raise TypeError(f"the marker sluice takes {', '.join(known)}, not {', '.join(unknown)}")
    given: Dict[str, object] = {name: declared.get(name) for name in known}
    body = _request.job(key=_printable(f"pytest:{project}:{test}"), program=program_of(project),
                        **given)  # type: ignore[arg-type]  # `job` checks them
    body.update(pid="peer", measured=True)
    return body


def _expected(client: Client, key: str, grown: int) -> Json:
    """What a test will hold that ran before: what this process held then and now holds more, and as
    much as it grew by. Nothing for others, which the daemon knows how to treat."""
    if grown < _NOTEWORTHY:
        return {}
    try:
        fit = client.ask("GET", f"/v1/fit?key={quote(key, safe='')}")
    except Refused:
        return {}  # A daemon older than this route.
    if fit.get("rung") != "key" or not isinstance(fit.get("memory"), int):
        return {}
    return {"memory": fit["memory"] + grown}


class TestPermit:
    """Held from `take` to `give_back`. Without a daemon, `reason` says why there is none."""

    __test__ = False  # For pytest, which collects classes of this name.

    def __init__(self) -> None:
        self.reason = ""
        self.waited = 0.0
        self._granted: Optional[Granted] = None
        self._connection: Optional[Connection] = None
        self._level, self._began, self._cpu = 0, 0.0, 0.0
        self._end = threading.Event()
        self._thread: Optional[threading.Thread] = None
        self._before: Dict[str, Optional[str]] = {}

    @property
    def is_governed(self) -> bool:
        return self._granted is not None

    def take(self, client: Client, body: Json, first_level: int) -> None:
        """Waits for the permit. `first_level` is what this process held before its first test, in bytes."""
        began = time.monotonic()
        self._level = _memory.resident()
        try:
            if "memory" not in body:
                body.update(_expected(client, str(body["key"]), self._level - first_level))
            self._granted, self._connection = client._take(body, None, "raise")
        except SluiceError as error:
            self.reason = str(error)
            return
        self._began, self._cpu = time.monotonic(), _cpu_seconds()
        self.waited = self._began - began
        _memory.forget_peak()
        if self._heartbeat(self._level):
            self._thread = threading.Thread(target=self._report, name="sluice reports", daemon=True)
            self._thread.start()
        self._granted.make_current()
        # A process that the test starts works on its permit, and does not wait for it.
        for name, value in self._granted.environment.items():
            self._before[name] = os.environ.get(name)
            os.environ[name] = value

    def _heartbeat(self, memory: int) -> bool:
        """Has the daemon measure this process: first before the test grows, to tell its growth from what
        others hold. False if there is nobody to tell."""
        if self._connection is None or self._granted is None or self._granted.job is None:
            return False
        usage = dict(self._usage(), memory=memory)
        try:
            self._connection.call("POST", f"/v1/jobs/{self._granted.job['number']}/heartbeat", {"usage": usage})
        except SluiceError:
            return False  # The daemon is gone, or the job was cancelled: the test goes on.
        return True

    def _usage(self) -> Json:
        return {"wall": time.monotonic() - self._began, "cpu": max(0.0, _cpu_seconds() - self._cpu)}

    def _report(self) -> None:
        while not self._end.wait(REPORTS) and self._heartbeat(_memory.resident()):
            pass

    def give_back(self, client: Client, outcome: str) -> None:
        """Ends the test: reports what it took, once its memory is free again."""
        if self._granted is None:
            return
        self._end.set()
        if self._thread is not None and self._connection is not None:
            self._connection.join(self._thread)
        usage = dict(self._usage(), peak_memory=_memory.peak())
        if _memory.resident() - self._level >= WORTH_COLLECTING:
            _memory.give_back()
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        self._granted.unmake_current()
        client._give_back(self._granted, self._connection, outcome, usage)
        self._granted = None


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
