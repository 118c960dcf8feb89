"""`run`: a command on a permit of its own. Apart from the rest for the import of subprocess."""
from __future__ import annotations

import os
import subprocess
import threading
import time

from ._errors import SluiceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Sequence, Union

    from ._connection import Connection
    from ._granted import Granted, Path


# How often a command's use is reported, in seconds; docs/api.md asks for every few hundred milliseconds.
REPORTS = 0.4


def checked_words(args: Sequence[Path]) -> List[str]:
    if isinstance(args, (str, bytes)) or not hasattr(args, "__iter__"):
        raise TypeError(f"args must be a sequence of words, not {type(args).__name__}")
    words = []
    for index, word in enumerate(args):
        if not isinstance(word, (str, os.PathLike)):
            raise TypeError(f"args[{index}] must be a string or a path, not {type(word).__name__}")
        words.append(os.fsdecode(word))
    if not words or not words[0]:
        raise ValueError("args must name a command")
    return words


def program_of(words: List[str]) -> Optional[str]:
    """The name by which runs of a program are remembered; None if it is no plain text."""
    name = os.path.basename(words[0])
    return name if name.isprintable() and 0 < len(name.encode(errors="replace")) <= 256 else None


def surroundings(granted: Granted, given: Optional[Dict[str, str]]) -> Dict[str, str]:
    return {**(os.environ if given is None else given), **granted.environment}


def outcome_of(status: Optional[int]) -> str:
    return "cancelled" if status is None else "ok" if status == 0 else "failed"


def set_nice(granted: Granted, process: int) -> None:
    nice = granted.job.get("nice") if granted.job else None
    if nice is None:
        return
    try:
        os.setpriority(os.PRIO_PROCESS, process, int(nice))
    except OSError:
        pass  # Only root may lower it.


def check_popen(popen: Dict[str, Any], input: object, capture_output: bool) -> None:
    """Before anything is asked for: what subprocess.run would refuse, and a shell, which would take the first
    word alone for the command."""
    if popen.get("shell"):
        raise ValueError("shell must be false: a command is a list of words, such as [\"sh\", \"-c\", line]")
    if input is not None and popen.get("stdin") is not None:
        raise ValueError("stdin and input cannot both be given")
    if capture_output and (popen.get("stdout") is not None or popen.get("stderr") is not None):
        raise ValueError("stdout and stderr cannot be given with capture_output")
    if input is not None:
        popen["stdin"] = subprocess.PIPE
    if capture_output:
        popen["stdout"] = popen["stderr"] = subprocess.PIPE


def check_exec(popen: Dict[str, Any], input: object) -> None:
    """Before anything is asked for: what asyncio.create_subprocess_exec would refuse."""
    if input is not None and not isinstance(input, (bytes, bytearray, memoryview)):
        raise TypeError(f"input must be bytes or None, not {type(input).__name__}")
    if "timeout" in popen:
        raise TypeError("timeout is no argument of sluice.aio.run: use asyncio.wait_for")
    for name in ("text", "universal_newlines", "encoding", "errors", "bufsize"):
        if popen.get(name):
            raise ValueError(f"{name} cannot be given: sluice.aio.run takes and returns bytes")
    from inspect import signature  # asyncio has imported it.
    known = signature(subprocess.Popen).parameters
    for name in popen:
        if name not in known and name != "limit":
            raise TypeError(f"{name} is no argument of sluice.aio.run")


def run_on(granted: Granted, connection: Optional[Connection], give_back: Callable[[str, Dict[str, float]], None],
           words: List[str], check: bool, timeout: Optional[float], input: Union[str, bytes, None],
           popen: Dict[str, Any]) -> subprocess.CompletedProcess[Any]:
    """Runs the command; `give_back` takes its outcome and what it used."""
    status: Optional[int] = None
    began = time.monotonic()
    reports = None
    try:
        popen["env"] = surroundings(granted, popen.get("env"))
        with subprocess.Popen(words, **popen) as process:
            try:
                set_nice(granted, process.pid)
                reports = _Reports(granted, connection, process.pid)
                output, errors = process.communicate(input, timeout=timeout)
            except subprocess.TimeoutExpired as expired:
                process.kill()
                assert timeout is not None  # Else nothing expires.
                expired.timeout = timeout  # communicate() has what was left of it.
                expired.output, expired.stderr = process.communicate()
                raise
            except BaseException:
                process.kill()
                raise
            status = process.returncode
    finally:
        if reports is not None:
            reports.end()
        give_back(outcome_of(status), {"wall": time.monotonic() - began})
    if check and status:
        raise subprocess.CalledProcessError(status, words, output=output, stderr=errors)
    return subprocess.CompletedProcess(words, status, output, errors)


class _Reports:
    """Tells the daemon whose memory is the job's, and then often enough that it measures it."""

    def __init__(self, granted: Granted, connection: Optional[Connection], process: int) -> None:
        self._end = threading.Event()
        self._thread: Optional[threading.Thread] = None
        if connection is None or granted.job is None:
            return
        self._connection, self._path = connection, f"/v1/jobs/{granted.job['number']}"
        self._process = process
        self._thread = threading.Thread(target=self._report, name="sluice reports", daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._end.set()
        if self._thread is not None:
            self._connection.join(self._thread)

    def _report(self) -> None:
        began = time.monotonic()
        try:
            self._connection.call("POST", self._path + "/started", {"pid": self._process})
            while not self._end.wait(REPORTS):
                usage = {"wall": time.monotonic() - began}
                self._connection.call("POST", self._path + "/heartbeat", {"usage": usage})
        except SluiceError:
            pass  # The daemon is gone, or the job was cancelled: the command goes on.
