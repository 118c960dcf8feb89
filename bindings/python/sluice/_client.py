from __future__ import annotations

import time
import warnings

from . import _admission, _request
from ._errors import Lost, NoDaemon, NoDaemonWarning, Refused
from ._granted import Granted, ending, with_parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Type, Union

    import subprocess

    from ._connection import Connection
    from ._granted import Json, Path


class Permit:
    """What `permit` returns: `with` waits for it, and returns it at the end of the block. Each `with`
    takes another permit of the same kind."""

    __slots__ = ("_client", "_body", "_wait", "_without_daemon", "_held")

    def __init__(self, client: Client, body: Json, wait: Optional[float], without_daemon: str) -> None:
        self._client, self._body, self._wait, self._without_daemon = client, body, wait, without_daemon
        self._held: List[Tuple[Granted, Optional[Connection]]] = []

    def __enter__(self) -> Granted:
        granted, connection = self._client._take(self._body, self._wait, self._without_daemon)
        self._held.append((granted, connection))
        granted.make_current()
        return granted

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        granted, connection = ending(self._held)
        granted.unmake_current()
        self._client._give_back(granted, connection, _admission.outcome_of(kind))


class Client:
    """Asks one daemon. All threads may use it; a few connections are kept for the next requests.

    `socket` is the daemon's, by default SLUICE_SOCKET or the usual places. Without a daemon, `permit`
    and `run` raise NoDaemon; with `without_daemon="run"`, work runs without a permit, and a
    NoDaemonWarning says so once."""

    def __init__(self, socket: Optional[Path] = None, *, without_daemon: str = "raise") -> None:
        self._socket = _request.checked_socket(socket)
        self._without_daemon = _request.checked_without_daemon(without_daemon)
        self._idle: List[Connection] = []
        self._has_warned = False
        self._revive: Optional[Callable[[], None]] = None

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
        connection, is_kept = self._connection()
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

    def _whether_alone(self, without_daemon: Optional[str]) -> str:
        return (self._without_daemon if without_daemon is None
                else _request.checked_without_daemon(without_daemon))

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

    def _connection(self) -> Tuple[Connection, bool]:
        """A connection, and whether it was kept: then the daemon may have closed it meanwhile."""
        while True:
            try:
                kept = self._idle.pop()
            except IndexError:
                return self._open(), False
            if not kept.is_inherited:
                return kept, True
            kept.close()

    def _keep(self, connection: Connection) -> None:
        if len(self._idle) >= _admission.MOST_IDLE:
            connection.close()
        elif connection.is_open:
            self._idle.append(connection)

    def _take(self, body: Json, wait: Optional[float],
             without_daemon: str) -> Tuple[Granted, Optional[Connection]]:
        until = None if wait is None else time.monotonic() + wait
        try:
            return self._admitted(body, until)
        except NoDaemon as error:
            if without_daemon == "raise":
                raise
            self._warn(error)
            return Granted(), None

    def _admitted(self, body: Json, until: Optional[float]) -> Tuple[Granted, Connection]:
        losses = _admission.Losses(until, time.monotonic)
        connection, _ = self._connection()
        while True:
            try:
                return self._follow(connection, body, until)
            except Lost as lost:
                pause = losses.pause(lost)
            connection = self._reopen(losses, pause)

    def _reopen(self, losses: _admission.Losses, pause: float) -> Connection:
        while True:
            time.sleep(pause)
            try:
                return self._open()
            except NoDaemon as error:
                pause = losses.pause(error)

    def _follow(self, connection: Connection, body: Json,
                until: Optional[float]) -> Tuple[Granted, Connection]:
        from ._connection import patience
        steps = _admission.Admission(with_parent(body, connection.has_no_parent), until, time.monotonic)
        try:
            while steps.job is None:
                ask = steps.ask
                try:
                    answer = connection.call(ask.method, ask.target, ask.body, patience(until, time.monotonic()))
                except (Lost, Refused) as error:
                    steps.fail(error)
                else:
                    steps.receive(answer)
        except Lost:
            connection.close()
            raise
        except Exception:
            self._keep(connection)
            raise
        connection.has_no_parent = connection.has_no_parent or steps.has_no_parent
        return Granted(steps.job, connection.place), connection

    def _give_back(self, granted: Granted, connection: Optional[Connection], outcome: str,
                   usage: Optional[Json] = None) -> None:
        """Returns a permit. If the daemon is gone, nothing is left to return."""
        if connection is None or granted.job is None or connection.is_inherited:
            return
        body = {"usage": usage} if usage else None
        try:
            connection.call("DELETE", f"/v1/jobs/{granted.job['number']}?outcome={outcome}", body, _admission.PARTING)
        except Lost:
            return
        except Refused:
            pass
        self._keep(connection)

    def _warn(self, error: NoDaemon) -> None:
        if self._has_warned:
            return
        self._has_warned = True
        warnings.warn(f"work runs without permits: {error}", NoDaemonWarning, stacklevel=4)
