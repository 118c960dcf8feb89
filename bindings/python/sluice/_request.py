"""What a program asks for, checked before anything is sent."""
from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Mapping, Optional, Union

    Json = Dict[str, Any]

WITHOUT_DAEMON = ("raise", "run")


def _of_type(name: str, value: object, kinds: Any, what: str) -> None:
    # A bool is an int to Python, but True is no number of points.
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise TypeError(f"{name} must be {what}, not {type(value).__name__}")


def checked_seconds(name: str, value: Optional[float]) -> Optional[float]:
    if value is None:
        return None
    _of_type(name, value, (int, float), "a number of seconds or None")
    if not value >= 0:
        raise ValueError(f"{name} must be at least 0, not {value!r}")
    try:
        return None if value == float("inf") else float(value)
    except OverflowError:
        raise ValueError(f"{name} must be a number that a float can hold") from None


def checked_socket(socket: Union[str, os.PathLike[str], None]) -> Optional[str]:
    if socket is None:
        return None
    _of_type("socket", socket, (str, os.PathLike), "a path or None")
    path = os.fspath(socket)
    _of_type("socket", path, str, "a path of text or None")
    if not path or len(os.fsencode(path)) > 107 or "\0" in path:
        raise ValueError(f"socket must be a path of 1 to 107 bytes, not {path!r}")
    return path


def check_line(method: str, target: str) -> None:
    """Refuses what would be more than the first line of one request."""
    for name, value in (("method", method), ("target", target)):
        _of_type(name, value, str, "a string")
        if not value or not all("!" <= letter <= "~" for letter in value):
            raise ValueError(f"{name} must be printable ASCII without spaces, not {value[:80]!r}")


def checked_without_daemon(value: str) -> str:
    _of_type("without_daemon", value, str, '"raise" or "run"')
    if value not in WITHOUT_DAEMON:
        raise ValueError(f'without_daemon must be "raise" or "run", not {value!r}')
    return value


def _add_text(body: Json, name: str, value: Optional[str], most: int) -> None:
    if value is None:
        return
    _of_type(name, value, str, "a string or None")
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise ValueError(f"{name} must be text that UTF-8 can hold, not {value!r}") from None
    if not size or size > most or any(ord(letter) < 32 or ord(letter) == 127 for letter in value):
        raise ValueError(f"{name} must have 1 to {most} bytes without control characters, not {value[:80]!r}")
    body[name] = value


def _add_number(body: Json, name: str, value: Optional[int], least: int, most: int) -> None:
    if value is None:
        return
    _of_type(name, value, int, "a whole number or None")
    if not least <= value <= most:
        raise ValueError(f"{name} must be from {least} to {most}, not {value}")
    body[name] = value


def _add_map(body: Json, name: str, value: Optional[Mapping[str, Any]], kind: type, what: str) -> None:
    if value is None:
        return
    if not hasattr(value, "items"):
        raise TypeError(f"{name} must be a mapping or None, not {type(value).__name__}")
    for key, entry in value.items():
        _of_type(f"a key of {name}", key, str, "a string")
        _of_type(f"{name}[{key!r}]", entry, kind, what)
    body[name] = dict(value)


def job(*, key: Optional[str], queue: Optional[str], priority: Optional[int], cost: Optional[int],
        memory: Union[int, str, None], locks: Optional[Mapping[str, str]],
        resources: Optional[Mapping[str, int]], program: Optional[str] = None) -> Json:
    """The body of a submit. Raises TypeError and ValueError, which name the argument."""
    body: Json = {"hold": "connection"}
    _add_text(body, "key", key, 256)
    _add_text(body, "queue", queue, 255)
    _add_text(body, "program", program, 256)
    _add_number(body, "priority", priority, -2**31, 2**31 - 1)
    _add_number(body, "cost", cost, 1, 2**24 - 1)
    if isinstance(memory, str):
        _add_text(body, "memory", memory, 64)
    elif memory is not None:
        _of_type("memory", memory, int, 'a number of bytes, a size such as "512MiB" or None')
        _add_number(body, "memory", memory, 0, 2**60)
    _add_map(body, "locks", locks, str, "a string")
    _add_map(body, "resources", resources, int, "a whole number")
    return body
