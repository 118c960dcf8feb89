"""The same for asyncio: `async with sluice.aio.permit(key="lint"):` and `await sluice.aio.run([...])`."""
from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import time
import warnings

from . import _admission, _http, _request, _run
from ._connection import PATIENCE, open_socket, patience
from ._errors import Lost, NoDaemon, NoDaemonWarning, Refused, SluiceError
from ._granted import Granted, ending, with_parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socket import socket
    from types import TracebackType
    from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Type, Union

    from ._granted import Path

    Json = Dict[str, Any]

__all__ = ["Client", "Permit", "permit", "run"]


class _Connection:
    """One kept connection of one event loop."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, opened: socket) -> None:
        self._reader, self._writer, self._socket = reader, writer, opened
        self.place = str(opened.getpeername())
        self.loop, self._process = asyncio.get_running_loop(), os.getpid()
        self.has_no_parent = False

    @classmethod
    async def open(cls, named: Optional[str]) -> _Connection:
        # Connecting to a Unix socket does not wait for the daemon.
        opened = open_socket(named)
        opened.setblocking(False)
        reader, writer = await asyncio.open_unix_connection(sock=opened, limit=2**25)
        return cls(reader, writer, opened)

    @property
    def is_usable(self) -> bool:
        return (self.loop is asyncio.get_running_loop() and self._process == os.getpid() and
                not self._writer.is_closing() and not self._reader.at_eof())

    async def call(self, method: str, target: str, body: Optional[Json] = None,
                   within: float = PATIENCE) -> Json:
        is_silent = False

        def give_up() -> None:
            nonlocal is_silent
            is_silent = True
            self.close()
        # Not wait_for, which before Python 3.12 can swallow that the task is cancelled.
        timer = self.loop.call_later(within, give_up)
        try:
            status, answer = await self._exchange(method, target, body)
        except (OSError, EOFError) as error:
            self.close()
            lost = Lost("the daemon does not answer" if is_silent else "the daemon closed the connection")
            lost.is_silent = is_silent
            raise lost from error
        except BaseException:
            # The late answer would be taken for that of the next request.
            self.close()
            raise
        finally:
            timer.cancel()
        try:
            return _http.understood(status, answer)
        except Refused:
            raise
        except SluiceError:
            self.close()
            raise

    async def _exchange(self, method: str, target: str, body: Optional[Json]) -> Tuple[int, bytes]:
        self._writer.write(_http.request(method, target, body))
        received = b""
        while True:
            chunk = await self._reader.read(65536)
            if not chunk:
                raise EOFError
            received += chunk
            answer = _http.taken(received)
            if answer is not None:
                return answer

    def close(self) -> None:
        if self.loop.is_closed():
            self._socket.close()
        else:
            self._writer.close()


class Permit:
    """What `permit` returns: `async with` waits for it, and returns it at the end of the block."""

    def __init__(self, client: Client, body: Json, wait: Optional[float], without_daemon: str) -> None:
        self._client, self._body, self._wait, self._without_daemon = client, body, wait, without_daemon
        self._held: List[Tuple[Granted, Optional[_Connection]]] = []

    async def __aenter__(self) -> Granted:
        granted, connection = await self._client._take(self._body, self._wait, self._without_daemon)
        self._held.append((granted, connection))
        granted.make_current()
        return granted

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        granted, connection = ending(self._held)
        granted.unmake_current()
        await self._client._give_back(granted, connection, _admission.outcome_of(kind))


class Client:
    """As `sluice.Client`, for tasks of one event loop at a time; without `ask` and `status`."""

    def __init__(self, socket: Optional[Path] = None, *, without_daemon: str = "raise") -> None:
        self._socket = _request.checked_socket(socket)
        self._without_daemon = _request.checked_without_daemon(without_daemon)
        self._idle: List[_Connection] = []
        self._has_warned = False

    def permit(self, key: Optional[str] = None, *, queue: Optional[str] = None, priority: Optional[int] = None,
               cost: Optional[int] = None, memory: Union[int, str, None] = None,
               locks: Optional[Mapping[str, str]] = None, resources: Optional[Mapping[str, int]] = None,
               wait: Optional[float] = None, without_daemon: Optional[str] = None) -> Permit:
        """As `sluice.Client.permit`, for `async with`."""
        body = _request.job(key=key, queue=queue, priority=priority, cost=cost, memory=memory, locks=locks,
                            resources=resources)
        return Permit(self, body, _request.checked_seconds("wait", wait), self._whether_alone(without_daemon))

    async def run(self, args: Sequence[Path], *, key: Optional[str] = None, queue: Optional[str] = None,
                  priority: Optional[int] = None, cost: Optional[int] = None,
                  memory: Union[int, str, None] = None, locks: Optional[Mapping[str, str]] = None,
                  resources: Optional[Mapping[str, int]] = None, wait: Optional[float] = None,
                  without_daemon: Optional[str] = None, check: bool = False, input: Optional[bytes] = None,
                  capture_output: bool = False, **popen: Any) -> subprocess.CompletedProcess[bytes]:
        """As `sluice.Client.run`, with bytes and without `timeout`; all other arguments are those of
        `asyncio.create_subprocess_exec`. A command whose task is cancelled is killed."""
        words = _run.checked_words(args)
        _run.check_exec(popen, input)
        _run.check_popen(popen, input, capture_output)
        body = _request.job(key=key, queue=queue, priority=priority, cost=cost, memory=memory, locks=locks,
                            resources=resources, program=_run.program_of(words))
        body.update(pid="peer", measured=True)
        granted, connection = await self._take(body, _request.checked_seconds("wait", wait),
                                                  self._whether_alone(without_daemon))
        status: Optional[int] = None
        began = time.monotonic()
        try:
            popen["env"] = _run.surroundings(granted, popen.get("env"))
            process = await _start(words, popen)
            ended = asyncio.Event()
            reports = asyncio.ensure_future(self._report(granted, connection, process.pid, ended))
            try:
                _run.set_nice(granted, process.pid)
                output, errors = await process.communicate(input)
            except BaseException:
                await _kill(process)
                raise
            finally:
                ended.set()
                await self._finish(reports, connection)
            status = process.returncode
        finally:
            await self._give_back(granted, connection, _run.outcome_of(status),
                                  {"wall": time.monotonic() - began})
        assert status is not None
        if check and status:
            raise subprocess.CalledProcessError(status, words, output=output, stderr=errors)
        return subprocess.CompletedProcess(words, status, output, errors)

    async def close(self) -> None:
        """Closes the idle connections. The client can still be used."""
        while self._idle:
            self._idle.pop().close()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.close()

    def _whether_alone(self, without_daemon: Optional[str]) -> str:
        return (self._without_daemon if without_daemon is None
                else _request.checked_without_daemon(without_daemon))

    async def _connection(self) -> Tuple[_Connection, bool]:
        """A connection, and whether it was kept: then the daemon may have closed it meanwhile."""
        while self._idle:
            kept = self._idle.pop()
            if kept.is_usable:
                return kept, True
            kept.close()
        return await _Connection.open(self._socket), False

    def _keep(self, connection: _Connection) -> None:
        if len(self._idle) >= _admission.MOST_IDLE:
            connection.close()
        elif connection.is_usable:
            self._idle.append(connection)

    async def _take(self, body: Json, wait: Optional[float],
             without_daemon: str) -> Tuple[Granted, Optional[_Connection]]:
        until = None if wait is None else time.monotonic() + wait
        try:
            return await self._admitted(body, until)
        except NoDaemon as error:
            if without_daemon == "raise":
                raise
            if not self._has_warned:
                self._has_warned = True
                warnings.warn(f"work runs without permits: {error}", NoDaemonWarning, stacklevel=3)
            return Granted(), None

    async def _admitted(self, body: Json, until: Optional[float]) -> Tuple[Granted, _Connection]:
        losses = _admission.Losses(until, time.monotonic)
        connection, _ = await self._connection()
        while True:
            try:
                return await self._follow(connection, body, until)
            except Lost as lost:
                pause = losses.pause(lost)
            connection = await self._reopen(losses, pause)

    async def _reopen(self, losses: _admission.Losses, pause: float) -> _Connection:
        while True:
            await asyncio.sleep(pause)
            try:
                return await _Connection.open(self._socket)
            except NoDaemon as error:
                pause = losses.pause(error)

    async def _follow(self, connection: _Connection, body: Json,
                      until: Optional[float]) -> Tuple[Granted, _Connection]:
        steps = _admission.Admission(with_parent(body, connection.has_no_parent), until, time.monotonic)
        try:
            while steps.job is None:
                ask = steps.ask
                try:
                    answer = await connection.call(ask.method, ask.target, ask.body, patience(until, time.monotonic()))
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

    async def _report(self, granted: Granted, connection: Optional[_Connection], process: int,
                      ended: asyncio.Event) -> None:
        """Tells the daemon whose memory is the job's, and then often enough that it measures it."""
        if connection is None or granted.job is None:
            return
        path, began = f"/v1/jobs/{granted.job['number']}", time.monotonic()
        try:
            await connection.call("POST", path + "/started", {"pid": process})
            end = asyncio.ensure_future(ended.wait())
            while not (await asyncio.wait({end}, timeout=_run.REPORTS))[0]:
                usage = {"wall": time.monotonic() - began}
                await connection.call("POST", path + "/heartbeat", {"usage": usage})
        except SluiceError:
            pass  # The daemon is gone, or somebody ended the job: the command goes on.

    @staticmethod
    async def _finish(reports: asyncio.Future[None], connection: Optional[_Connection]) -> None:
        """Waits for the last answer to a report, and breaks the connection if the daemon hangs."""
        try:
            await asyncio.wait({reports}, timeout=_admission.PARTING)
        finally:
            if connection is not None and not reports.done():
                connection.close()
                reports.cancel()

    async def _give_back(self, granted: Granted, connection: Optional[_Connection], outcome: str,
                         usage: Optional[Json] = None) -> None:
        """Returns a permit. If the daemon is gone, nothing is left to return."""
        if connection is None or granted.job is None or not connection.is_usable:
            return
        body = {"usage": usage} if usage else None
        try:
            await connection.call("DELETE", f"/v1/jobs/{granted.job['number']}?outcome={outcome}", body,
                                  _admission.PARTING)
        except Lost:
            return
        except Refused:
            pass
        self._keep(connection)


async def _start(words: List[str], popen: Dict[str, Any]) -> asyncio.subprocess.Process:
    """Is not cancelled half-way, when asyncio would wait for the pipes."""
    starting = asyncio.ensure_future(asyncio.create_subprocess_exec(*words, **popen))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        while not starting.done():
            with contextlib.suppress(asyncio.CancelledError):  # Once more; it is to be killed first.
                await asyncio.wait({starting})
        if starting.exception() is None:
            await _kill(starting.result())
        raise


async def _kill(process: asyncio.subprocess.Process) -> None:
    """Kills it, and waits for it alone: the pipes may be those of its children, too, which go on."""
    if process.returncode is None:
        process.kill()
    transport: asyncio.SubprocessTransport = getattr(process, "_transport")  # No other way to its pipes.
    for descriptor in range(3):
        pipe = transport.get_pipe_transport(descriptor)
        if isinstance(pipe, asyncio.WriteTransport):
            pipe.abort()  # Bytes that are left to write would keep it open.
        elif pipe is not None:
            pipe.close()
    await process.wait()


_default = Client()
permit = _default.permit
run = _default.run
