"""A permit that is held, and the one on which this thread or task works."""
from __future__ import annotations

import contextvars
import os

from . import _admission

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Tuple, TypeVar, Union

    Json = Dict[str, Any]
    Path = Union[str, os.PathLike[str]]
    Answer = TypeVar("Answer")  # A connection of either client, or None.

# The permit on which this thread or task works; what it asks for meanwhile works on the same.
_current: contextvars.ContextVar[Optional[Granted]] = contextvars.ContextVar("sluice_permit", default=None)


def with_parent(body: Json, has_no_parent: bool) -> Json:
    """The body with the proof of the permit on which this program works. If it is empty, the daemon
    searches the environments of all processes above this one: once for each connection will do."""
    held = _current.get()
    permit = held.token if held is not None and held.token else os.environ.get("SLUICE_PERMIT", "")
    return dict(body) if has_no_parent and not permit else dict(body, parent=permit)


class Granted:
    """A permit that is held. `job` is what the daemon says of it, None if work runs without one."""

    __slots__ = ("job", "environment", "_outer")

    def __init__(self, job: Optional[Json] = None, place: str = "") -> None:
        self.job = job
        self.environment: Dict[str, str] = _admission.variables(job, place) if job else {}
        self._outer: Optional[Granted] = None

    @property
    def is_governed(self) -> bool:
        """False if it runs without a daemon."""
        return self.job is not None

    @property
    def cost(self) -> int:
        """The points that it holds; 10 points are one busy core."""
        return int(self.job["cost"]) if self.job else 0

    @property
    def token(self) -> str:
        return self.environment.get("SLUICE_PERMIT", "")

    def make_current(self) -> None:
        self._outer = _current.get()
        _current.set(self)

    def unmake_current(self) -> None:
        _current.set(self._outer)


def ending(held: List[Tuple[Granted, Answer]]) -> Tuple[Granted, Answer]:
    """Removes the permit of the block that ends. It is the one on which this thread or task works, since
    others may be in blocks of the same Permit; the last one if a test runner left the context."""
    current = _current.get()
    mine = [entry for entry in list(held) if entry[0] is current] or held[-1:]
    held.remove(mine[0])
    return mine[0]
