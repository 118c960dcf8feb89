"""The same for asyncio: `async with sluice.aio.permit(key="lint"):` and `await sluice.aio.run([...])`."""
from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import time

from . import _admission, _http, _request, _run
from ._connection import open_socket
from ._core import ClientCore, PermitCore
from ._errors import Lost, Refused, SluiceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socket import socket
    from types import TracebackType
    from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Type, Union

    from ._granted import Granted, Json, Path

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
                   within: float = _admission.PATIENCE) -> Json:
        is_silent = False

        def give_up() -> None:
            nonlocal is_silent
            is_silent = True
            self.close()
        # Not wait_for, which before Python 3.12 can swallow that the task is cancelled.
        timer = self.loop.call_later(within, give_up)
        try:
            return _http.understood(*await self._exchange(method, target, body))
        except Refused:
            raise
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


class Permit(PermitCore):
    """What `permit` returns: `async with` waits for it, and returns it at the end of the block."""

    async def __aenter__(self) -> Granted:
        return self._begin(*await self._client._taken(self._body, self._wait, self._without_daemon))

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self._client._returned(*self._end(), _admission.outcome_of(kind))


class Client(ClientCore):
    """As `sluice.Client`, for tasks of one event loop at a time; without `ask` and `status`."""

    _warned_frame = 3

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
        granted, connection = await self._taken(body, _request.checked_seconds("wait", wait),
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
            await self._returned(granted, connection, _run.outcome_of(status),
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

    async def _opened(self) -> _Connection:
        return await _Connection.open(self._socket)

    async def _call(self, connection: _Connection, method: str, target: str, body: Optional[Json],
                    within: float) -> Json:
        return await connection.call(method, target, body, within)

    async def _sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

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
            pass  # The daemon is gone, or the job was cancelled: the command goes on.

    @staticmethod
    async def _finish(reports: asyncio.Future[None], connection: Optional[_Connection]) -> None:
        """Waits for the last answer to a report, and breaks the connection if the daemon hangs."""
        try:
            await asyncio.wait({reports}, timeout=_admission.PARTING)
        finally:
            if connection is not None and not reports.done():
                connection.close()
                reports.cancel()


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
