"""What both clients, the blocking one and that of asyncio, do with a daemon. The coroutines wait for nothing but what
a client itself makes of `_call`, `_opened` and `_sleep`."""
from __future__ import annotations

import time
import warnings

from . import _admission, _request
from ._errors import Lost, NoDaemon, NoDaemonWarning, Refused
from ._granted import Granted, ending, with_parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Coroutine, List, Optional, Tuple, TypeVar

    from ._granted import Json, Path

    Connection = Any  # Of either client.
    Result = TypeVar("Result")


def finished(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """The result of a coroutine of the blocking client, which waits within its calls: it has ended at once."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: Result = end.value
        return result
    raise RuntimeError("a coroutine of the blocking client waits for an event loop")


class PermitCore:
    """What a Permit of either client asks for, and what its blocks hold."""

    __slots__ = ("_client", "_body", "_wait", "_without_daemon", "_held")

    def __init__(self, client: Any, body: Json, wait: Optional[float], without_daemon: str) -> None:
        self._client, self._body, self._wait, self._without_daemon = client, body, wait, without_daemon
        self._held: List[Tuple[Granted, Connection]] = []

    def _begin(self, granted: Granted, connection: Connection) -> Granted:
        self._held.append((granted, connection))
        granted.make_current()
        return granted

    def _end(self) -> Tuple[Granted, Connection]:
        granted, connection = ending(self._held)
        granted.unmake_current()
        return granted, connection


class ClientCore:
    # Which caller a NoDaemonWarning names: the program's own line.
    _warned_frame: int

    def __init__(self, socket: Optional[Path] = None, *, without_daemon: str = "raise") -> None:
        self._socket = _request.checked_socket(socket)
        self._without_daemon = _request.checked_without_daemon(without_daemon)
        self._idle: List[Connection] = []
        self._has_warned = False

    async def _call(self, connection: Connection, method: str, target: str, body: Optional[Json],
                    within: float) -> Json:
        raise NotImplementedError

    async def _opened(self) -> Connection:
        raise NotImplementedError

    async def _sleep(self, seconds: float) -> None:
        raise NotImplementedError

    def _whether_alone(self, without_daemon: Optional[str]) -> str:
        return (self._without_daemon if without_daemon is None
                else _request.checked_without_daemon(without_daemon))

    async def _connection(self) -> Tuple[Connection, bool]:
        """A connection, and whether it was kept: then the daemon may have closed it meanwhile."""
        while True:
            try:
                kept = self._idle.pop()
            except IndexError:
                break
            if kept.is_usable:
                return kept, True
            kept.close()
        # Not within the `except`: each NoDaemon would have the IndexError for its context.
        return await self._opened(), False

    def _keep(self, connection: Connection) -> None:
        if len(self._idle) >= _admission.MOST_IDLE:
            connection.close()
        elif connection.is_usable:
            self._idle.append(connection)

    async def _taken(self, body: Json, wait: Optional[float], without_daemon: str) -> Tuple[Granted, Connection]:
        until = None if wait is None else time.monotonic() + wait
        try:
            return await self._admitted(body, until)
        except NoDaemon as error:
            if without_daemon == "raise":
                raise
            if not self._has_warned:
                self._has_warned = True
                warnings.warn(f"work runs without permits: {error}", NoDaemonWarning,
                              stacklevel=self._warned_frame)
            return Granted(), None

    async def _admitted(self, body: Json, until: Optional[float]) -> Tuple[Granted, Connection]:
        losses = _admission.Losses(until, time.monotonic)
        connection, _ = await self._connection()
        while True:
            try:
                return await self._follow(connection, body, until)
            except Lost as lost:
                pause = losses.pause(lost)
            connection = await self._reopen(losses, pause)

    async def _reopen(self, losses: _admission.Losses, pause: float) -> Connection:
        while True:
            await self._sleep(pause)
            try:
                return await self._opened()
            except NoDaemon as error:
                pause = losses.pause(error)

    async def _follow(self, connection: Connection, body: Json,
                      until: Optional[float]) -> Tuple[Granted, Connection]:
        body = with_parent(body, connection.has_no_parent)
        has_answer = False

        async def ask(method: str, target: str, content: Optional[Json] = None) -> Json:
            nonlocal has_answer
            try:
                answer = await self._call(connection, method, target, content,
                                          _admission.patience(until, time.monotonic()))
            except Lost as lost:
                lost.is_expected = has_answer
                raise
            except Refused as refused:
                if refused.code != "stopping":
                    raise
                stopped = Lost(str(refused))
                stopped.is_expected = True
                raise stopped from refused
            has_answer = True
            return answer

        try:
            job = await _admission.admission(ask, body, until, time.monotonic)
        except Lost:
            connection.close()
            raise
        except Exception:
            self._keep(connection)
            raise
        # Whether the daemon has found that this process works on nobody's permit.
        has_no_parent = not body.get("parent") and "parent" not in job
        connection.has_no_parent = connection.has_no_parent or has_no_parent
        return Granted(job, connection.place), connection

    async def _returned(self, granted: Granted, connection: Connection, outcome: str,
                        usage: Optional[Json] = None) -> None:
        """Returns a permit. If the daemon is gone, nothing is left to return."""
        if connection is None or granted.job is None or not connection.is_usable:
            return
        body = {"usage": usage} if usage else None
        try:
            await self._call(connection, "DELETE", f"/v1/jobs/{granted.job['number']}?outcome={outcome}", body,
                             _admission.PARTING)
        except Lost:
            return
        except Refused:
            pass
        self._keep(connection)
