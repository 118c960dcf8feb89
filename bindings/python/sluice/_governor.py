"""A governor of this program's own: a daemon that it starts and ends."""
from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
import time
import weakref

from . import _request
from ._client import Client
from ._connection import Connection
from ._errors import NoDaemon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import List, Optional, Type

    from ._granted import Path

# How long a daemon may take to serve on a busy machine.
_START = 60.0


class _Daemon:
    """The daemon and its folder. Apart from the governor, which it outlives by the time that it takes to end."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="sluice-")
        self.socket = os.path.join(self.folder, "sluice.sock")
        self._owner = os.getpid()
        self.process: Optional[subprocess.Popen[bytes]] = None

    @property
    def is_ours(self) -> bool:
        """False in a child of a fork, which leaves daemon and folder alone."""
        return self._owner == os.getpid()

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self, words: List[str]) -> None:
        with open(os.path.join(self.folder, "log"), "wb") as log:
            try:
                # A session of its own: Ctrl-C is for the program, which may want permits after it.
                self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                 start_new_session=True)
            except OSError as error:
                raise NoDaemon(f"cannot start {words[0]}: {error.strerror}") from error

    def why_it_ended(self) -> str:
        with open(os.path.join(self.folder, "log"), errors="replace") as log:
            lines = log.read().strip().splitlines()
        status = self.process.returncode if self.process else None
        return f"sluice serve ended with status {status}: {lines[-1] if lines else 'it says nothing'}"

    def end(self) -> None:
        if not self.is_ours:
            return
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def remove(self) -> None:
        if self.is_ours:
            self.end()
            shutil.rmtree(self.folder, ignore_errors=True)


class Governor(Client):
    """A client with a daemon of its own, which no other program uses: for programs that want permits
    where nobody runs `sluice serve`. It serves as soon as it is asked, ends with `close` or with this
    program, a minute later if that is killed; if it dies, the next request starts it again. Ctrl-C does not
    reach it.

    `config` is a sluice.yaml, `state_dir` where it keeps what it learns (default: as `sluice serve`),
    `program` the command."""

    def __init__(self, *, config: Optional[Path] = None, state_dir: Optional[Path] = None,
                 program: Path = "sluice") -> None:
        for name, value in (("config", config), ("state_dir", state_dir), ("program", program)):
            if not isinstance(value, (str, os.PathLike)) and not (value is None and name != "program"):
                raise TypeError(f"{name} must be a path, not {type(value).__name__}")
        if not os.fsdecode(program):
            raise ValueError("program must name a command")
        self._daemon = _Daemon()
        self._remove = weakref.finalize(self, self._daemon.remove)
        super().__init__(self._daemon.socket)
        self._words: List[str] = [os.fsdecode(program), "serve", "--private", "--exit-when-idle", "60s",
                                  "--socket", str(self._socket)]
        if config is not None:
            self._words += ["--config", os.fsdecode(config)]
        if state_dir is not None:
            self._words += ["--state-dir", os.fsdecode(state_dir)]
        self._starting = threading.Lock()
        self._revive = self._start

    def _start(self) -> None:
        if not self._daemon.is_ours:
            raise NoDaemon("this governor's daemon is gone, and only the process that made it starts another")
        if not self._remove.alive:
            raise NoDaemon("this governor's block has ended")
        with self._starting:
            try:
                # Another thread may have started it meanwhile.
                self._keep(Connection(self._socket))
            except NoDaemon:
                self._start_daemon()

    def _start_daemon(self) -> None:
        # One that runs but does not serve may be stopping since before this request: then another one follows.
        may_be_stopping = self._daemon.is_running
        if not may_be_stopping:
            self._daemon.start(self._words)
        until = time.monotonic() + _START
        while time.monotonic() < until:
            if not self._daemon.is_running:
                if not may_be_stopping:
                    raise NoDaemon(self._daemon.why_it_ended())
                may_be_stopping = False
                self._daemon.start(self._words)
            try:
                self._keep(Connection(self._socket))
                return
            except NoDaemon:
                time.sleep(0.01)
        raise NoDaemon(f"sluice serve does not serve at {self._socket} after {_START:.0f} s")

    def close(self) -> None:
        """Ends the daemon; permits that are still held are void. In a process that was
        forked from that of the governor, only its own connections."""
        super().close()
        self._daemon.end()

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()
        self._remove()
