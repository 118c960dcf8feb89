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


def _remove(folder: str, owner: int) -> None:
    if owner == os.getpid():
        shutil.rmtree(folder, ignore_errors=True)


class Governor(Client):
    """A client with a daemon of its own, which no other program uses: for programs that want permits
    where nobody runs `sluice serve`. It serves as soon as it is asked, ends with `close`, and a minute
    after this program if that is killed; if it dies, the next request starts it again.

    `config` is a sluice.yaml, `state_dir` where it keeps what it learns (default: as `sluice serve`),
    `program` the command."""

    def __init__(self, *, config: Optional[Path] = None, state_dir: Optional[Path] = None,
                 program: Path = "sluice") -> None:
        for name, value in (("config", config), ("state_dir", state_dir), ("program", program)):
            if not isinstance(value, (str, os.PathLike)) and not (value is None and name != "program"):
                raise TypeError(f"{name} must be a path, not {type(value).__name__}")
        if not os.fsdecode(program):
            raise ValueError("program must name a command")
        self._folder = tempfile.mkdtemp(prefix="sluice-")
        # Not by a child of a fork, whichever way that ends.
        self._owner, self._remove = os.getpid(), weakref.finalize(self, _remove, self._folder, os.getpid())
        super().__init__(os.path.join(self._folder, "sluice.sock"))
        self._words: List[str] = [os.fsdecode(program), "serve", "--private", "--exit-when-idle", "60s",
                                  "--socket", str(self._socket)]
        if config is not None:
            self._words += ["--config", os.fsdecode(config)]
        if state_dir is not None:
            self._words += ["--state-dir", os.fsdecode(state_dir)]
        self._daemon: Optional[subprocess.Popen[bytes]] = None
        self._starting = threading.Lock()
        self._revive = self._start

    def _start(self) -> None:
        if self._owner != os.getpid():
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
        if self._daemon is None or self._daemon.poll() is not None:
            log = open(os.path.join(self._folder, "log"), "wb")
            try:
                self._daemon = subprocess.Popen(self._words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            except OSError as error:
                raise NoDaemon(f"cannot start {self._words[0]}: {error.strerror}") from error
            finally:
                log.close()
        until = time.monotonic() + _START
        while time.monotonic() < until:
            if self._daemon.poll() is not None:
                raise NoDaemon(f"sluice serve ended with status {self._daemon.returncode}: {self._log_end()}")
            try:
                self._keep(Connection(self._socket))
                return
            except NoDaemon:
                time.sleep(0.01)
        raise NoDaemon(f"sluice serve does not serve at {self._socket} after {_START:.0f} s")

    def _log_end(self) -> str:
        with open(os.path.join(self._folder, "log"), errors="replace") as log:
            lines = log.read().strip().splitlines()
        return lines[-1] if lines else "it says nothing"

    def close(self) -> None:
        """Ends the daemon; permits that are still held are void. In a process that was
        forked from that of the governor, only its own connections."""
        super().close()
        if self._owner != os.getpid():
            return
        if self._daemon is not None and self._daemon.poll() is None:
            self._daemon.terminate()
            try:
                self._daemon.wait(10)
            except subprocess.TimeoutExpired:
                self._daemon.kill()
                self._daemon.wait()
        self._daemon = None

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()
        self._remove()
