"""One kept connection to the daemon: a request at a time."""
from __future__ import annotations

import os
import socket
import struct
import time
import weakref
from contextlib import suppress

from . import _http
from ._admission import PARTING, PATIENCE
from ._errors import Lost, NoDaemon, Refused
from ._places import about_further_daemons, distrust, how_to_join, is_named, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from typing import Optional

# A copy of a socket in a child would hold a permit after this process has been killed.
_opened: weakref.WeakSet[socket.socket] = weakref.WeakSet()


def _close_inherited() -> None:
    for each in list(_opened):
        each.close()


os.register_at_fork(after_in_child=_close_inherited)


def open_socket(named: Optional[str]) -> socket.socket:
    tried = []
    distrusted = None
    denied = ""
    for place in places(named):
        candidate = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            candidate.connect(place)
        except OSError as error:
            candidate.close()
            tried.append(place)
            denied = place if isinstance(error, PermissionError) else denied
            continue
        reason = None if is_named(named) else distrust(_user_of(candidate), place)
        if reason is None:
            _opened.add(candidate)
            return candidate
        candidate.close()
        distrusted = distrusted or reason
    if distrusted:
        raise NoDaemon(distrusted)
    if denied:
        raise NoDaemon(f"no permission to use the sluice daemon at {denied}{how_to_join(denied)}")
    by = " (named by SLUICE_SOCKET)" if is_named(named) and not named else ""
    further = "" if is_named(named) else about_further_daemons()
    raise NoDaemon(f"no sluice daemon found: tried {', '.join(tried)}{by}; start one with `sluice serve`"
                   + (f"; {further}" if further else ""))


def _user_of(peer: socket.socket) -> int:
    credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", credentials)[1])


class Connection:
    def __init__(self, named: Optional[str]) -> None:
        self._socket = open_socket(named)
        # By the kernel, once: a timeout of Python's, or another one for each call, would cost system calls.
        limit = struct.pack("@ll", int(PARTING), 0)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        self.place = str(self._socket.getpeername())
        self._process = os.getpid()
        # Whether the daemon has found that this process works on nobody's permit.
        self.has_no_parent = False

    def _receive(self, until: float) -> bytes:
        while True:
            try:
                return self._socket.recv(65536)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise

    def call(self, method: str, target: str, body: Optional[_http.Json] = None,
             within: float = PATIENCE) -> _http.Json:
        """The daemon's answer; raises Refused for an error and Lost if there is none within so many seconds."""
        received = b""
        request = _http.request(method, target, body)
        try:
            until = time.monotonic() + within
            self._socket.sendall(request)
            answer = None
            while answer is None:
                chunk = self._receive(until)
                if not chunk:
                    raise Lost("the daemon closed the connection")
                received = received + chunk if received else chunk
                answer = _http.taken(received)
            return _http.understood(*answer)
        except Refused:
            raise
        except Lost:
            self.close()
            raise
        except BlockingIOError as error:
            self.close()
            lost = Lost("the daemon does not answer")
            lost.is_silent = True
            raise lost from error
        except OSError as error:
            self.close()
            raise Lost(f"the daemon is gone: {error.strerror or error}") from error
        except BaseException:
            # The late answer would be taken for that of the next request.
            self.close()
            raise

    def join(self, reports: threading.Thread) -> None:
        """Waits for a thread that calls this connection, and breaks it if the daemon hangs."""
        reports.join(PARTING)
        if reports.is_alive():
            with suppress(OSError):
                # Unlike close(), this wakes it.
                self._socket.shutdown(socket.SHUT_RDWR)
            reports.join()

    @property
    def is_usable(self) -> bool:
        """False once it is closed, and in a process that was forked from the one that opened it."""
        return self._socket.fileno() >= 0 and self._process == os.getpid()

    def close(self) -> None:
        self._socket.close()

    def __del__(self) -> None:
        if hasattr(self, "_socket"):
            self._socket.close()
