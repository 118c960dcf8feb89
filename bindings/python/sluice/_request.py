"""What a program asks for, checked before anything is sent."""
from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Mapping, Optional, Union

    Json = Dict[str, Any]

WITHOUT_DAEMON = ("raise", "run")

# The daemon's limits, also where there is none: a wrong value must not show only on another host.
MOST_MEMORY = 2**60
_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
          "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_LOCKS = ("none", "shared:", "exclusive:", "unknown-shared", "all-shared", "unknown-exclusive", "all-exclusive")


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


def _size_of(name: str, text: str) -> int:
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise ValueError(f"{name} must be text that UTF-8 can hold, not {text!r}") from None


def _add_text(body: Json, name: str, value: Optional[str], most: int) -> None:
    if value is None:
        return
    _of_type(name, value, str, "a string or None")
    if not 0 < _size_of(name, value) <= most or any(ord(letter) < 32 or ord(letter) == 127 for letter in value):
        raise ValueError(f"{name} must have 1 to {most} bytes without control characters, not {value[:80]!r}")
    body[name] = value


def _check_name(name: str, value: str) -> None:
    """Of a queue, a level, a lock or a manager."""
    if not 0 < _size_of(name, value) <= 255 or any(letter <= " " or letter in ",\x7f" for letter in value):
        raise ValueError(f"{name} must have 1 to 255 bytes without control characters, blanks and commas, "
                         f"not {value[:80]!r}")


def _check_locks(name: str, value: str) -> None:
    words = [word for word in value.replace("\t", " ").split(" ") if word]
    for word in words:
        mode, colon, names = word.partition(":")
        if mode + colon not in _LOCKS:
            raise ValueError(f"{name} must be made of {', '.join(_LOCKS)}, not {word[:80]!r}")
        for each in names.split(",") if names else []:
            _check_name(f"each lock of {name}", each)
    if not words:
        raise ValueError(f"{name} must have a mode, such as none or exclusive:a,b")


def _check_amount(name: str, value: int) -> None:
    if not 0 <= value <= 10**12:
        raise ValueError(f"{name} must be from 0 to {10**12}, not {value}")


def _check_size(name: str, value: str) -> None:
    unit = value.lstrip("0123456789.")
    number = value[:len(value) - len(unit)]
    if unit not in _UNITS or number.count(".") > 1 or not number.strip("."):
        raise ValueError(f'{name} must be a number of bytes or a size such as "512MiB", not {value!r}')
    if float(number) * _UNITS[unit] > MOST_MEMORY:
        raise ValueError(f"{name} must be at most 1048576TiB, not {value!r}")


def _add_number(body: Json, name: str, value: Optional[int], least: int, most: int) -> None:
    if value is None:
        return
    _of_type(name, value, int, "a whole number or None")
    if not least <= value <= most:
        raise ValueError(f"{name} must be from {least} to {most}, not {value}")
    body[name] = value


def _add_map(body: Json, name: str, value: Optional[Mapping[str, Any]], kind: type, what: str,
             check: Callable[[str, Any], None]) -> None:
    if value is None:
        return
    if not hasattr(value, "items"):
        raise TypeError(f"{name} must be a mapping or None, not {type(value).__name__}")
    for key, entry in value.items():
        _of_type(f"a key of {name}", key, str, "a string")
        _check_name(f"{name}: the key", key)
        _of_type(f"{name}[{key!r}]", entry, kind, what)
        check(f"{name}[{key!r}]", entry)
    if len(value) > 100:
        raise ValueError(f"{name} must have at most 100 entries, not {len(value)}")
    body[name] = dict(value)


def job(*, key: Optional[str], queue: Optional[str], priority: Optional[int], cost: Optional[int],
        memory: Union[int, str, None], locks: Optional[Mapping[str, str]],
        resources: Optional[Mapping[str, int]], program: Optional[str] = None) -> Json:
    """The body of a submit. Raises TypeError and ValueError, which name the argument."""
    body: Json = {"hold": "connection"}
    _add_text(body, "key", key, 256)
    if queue is not None:
        _of_type("queue", queue, str, "a string or None")
        _check_name("queue", queue)
        body["queue"] = queue
    _add_text(body, "program", program, 256)
    _add_number(body, "priority", priority, -10**6, 10**6)
    _add_number(body, "cost", cost, 1, 2**24 - 1)
    if isinstance(memory, str):
        _check_size("memory", memory)
        body["memory"] = memory
    elif memory is not None:
        _of_type("memory", memory, int, 'a number of bytes, a size such as "512MiB" or None')
        _add_number(body, "memory", memory, 0, MOST_MEMORY)
    _add_map(body, "locks", locks, str, "a string", _check_locks)
    _add_map(body, "resources", resources, int, "a whole number", _check_amount)
    return body
