from __future__ import annotations

import time

from . import _admission, _request
from ._core import ClientCore, PermitCore, finished
from ._errors import Lost, NoDaemon, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Callable, Mapping, Optional, Sequence, Tuple, Type, Union

    import subprocess

    from ._connection import Connection
    from ._granted import Granted, Json, Path


class Permit(PermitCore):
    """What `permit` returns: `with` waits for it, and returns it at the end of the block. Each `with`
    takes another permit of the same kind."""

    __slots__ = ()

    def __enter__(self) -> Granted:
        return self._begin(*self._client._take(self._body, self._wait, self._without_daemon))

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self._client._give_back(*self._end(), _admission.outcome_of(kind))


class Client(ClientCore):
    """Asks one daemon. All threads may use it; a few connections are kept for the next requests.

    `socket` is the daemon's, by default SLUICE_SOCKET or the usual places. Without a daemon, `permit`
    and `run` raise NoDaemon; with `without_daemon="run"`, work runs without a permit, and a
    NoDaemonWarning says so once."""

    _warned_frame = 5
    _revive: Optional[Callable[[], None]] = None

    def permit(self, key: Optional[str] = None, *, queue: Optional[str] = None, priority: Optional[int] = None,
               cost: Optional[int] = None, memory: Union[int, str, None] = None,
               locks: Optional[Mapping[str, str]] = None, resources: Optional[Mapping[str, int]] = None,
               wait: Optional[float] = None, without_daemon: Optional[str] = None) -> Permit:
        """A permit for work in this process, for `with`.

        `key` is the kind of work, `memory` its peak need in bytes or as "512MiB", `cost` in points, and
        the rest as in docs/api.md. `wait` is how long to wait for it, in seconds; then NotAdmitted says
        why it was not granted."""
        body = _request.job(key=key, queue=queue, priority=priority, cost=cost, memory=memory, locks=locks,
                            resources=resources)
        return Permit(self, body, _request.checked_seconds("wait", wait), self._whether_alone(without_daemon))

    def run(self, args: Sequence[Path], *, key: Optional[str] = None, queue: Optional[str] = None,
            priority: Optional[int] = None, cost: Optional[int] = None, memory: Union[int, str, None] = None,
            locks: Optional[Mapping[str, str]] = None, resources: Optional[Mapping[str, int]] = None,
            wait: Optional[float] = None, without_daemon: Optional[str] = None, check: bool = False,
            timeout: Optional[float] = None, input: Union[str, bytes, None] = None, capture_output: bool = False,
            **popen: Any) -> subprocess.CompletedProcess[Any]:
        """`subprocess.run` on a permit: waits until the command fits, and measures what it needs. The
        arguments of `permit` say what it is, all others are those of `subprocess.run`; `timeout` is that
        of the command, without its wait."""
        from . import _run
        words = _run.checked_words(args)
        _run.check_popen(popen, input, capture_output)
        timeout = _request.checked_seconds("timeout", timeout)
        body = _request.job(key=key, queue=queue, priority=priority, cost=cost, memory=memory, locks=locks,
                            resources=resources, program=_run.program_of(words))
        body.update(pid="peer", measured=True)
        granted, connection = self._take(body, _request.checked_seconds("wait", wait),
                                         self._whether_alone(without_daemon))

        def give_back(outcome: str, usage: Json) -> None:
            self._give_back(granted, connection, outcome, usage)
        return _run.run_on(granted, connection, give_back, words, check, timeout, input, popen)

    def status(self) -> Json:
        """The daemon's answer to GET /v1/status; see docs/api.md."""
        return self.ask("GET", "/v1/status")

    def ask(self, method: str, target: str, body: Optional[Json] = None) -> Json:
        """The daemon's answer to any request of docs/api.md. Raises Refused for an error of it. A request
        whose answer was lost is repeated on another connection only if its method is GET."""
        _request.check_line(method, target)
        connection: Connection
        connection, is_kept = finished(self._connection())
        try:
            answer = connection.call(method, target, body)
        except Lost:
            if not is_kept or method != "GET":
                raise
            connection = self._open()
            answer = connection.call(method, target, body)
        except Refused:
            self._keep(connection)
            raise
        self._keep(connection)
        return answer

    def close(self) -> None:
        """Closes the idle connections. The client can still be used."""
        while self._idle:
            self._idle.pop().close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def _open(self) -> Connection:
        # For sockets and JSON: a program that only imports this does without.
        from ._connection import Connection
        try:
            return Connection(self._socket)
        except NoDaemon:
            if self._revive is None:
                raise
        self._revive()
        return Connection(self._socket)

    async def _opened(self) -> Connection:
        return self._open()

    async def _call(self, connection: Connection, method: str, target: str, body: Optional[Json],
                    within: float) -> Json:
        return connection.call(method, target, body, within)

    async def _sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def _take(self, body: Json, wait: Optional[float],
              without_daemon: str) -> Tuple[Granted, Optional[Connection]]:
        return finished(self._taken(body, wait, without_daemon))

    def _give_back(self, granted: Granted, connection: Optional[Connection], outcome: str,
                   usage: Optional[Json] = None) -> None:
        finished(self._returned(granted, connection, outcome, usage))
