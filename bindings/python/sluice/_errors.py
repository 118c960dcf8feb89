from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Optional


class SluiceError(Exception):
    """What can go wrong between this program and the daemon."""


class NoDaemon(SluiceError, ConnectionError):
    """No daemon serves, or it went away and did not come back."""


class Lost(NoDaemon):
    """The connection broke before the answer was complete.

    `is_expected`: the daemon had the job already, or is stopping; the next one will take it.
    `is_silent`: it still holds the connection, so another one will be no better."""

    is_expected = False
    is_silent = False


class Refused(SluiceError):
    """The daemon refuses the request.

    `code` is that of its answer ("invalid", "impossible", "draining", ...), `answer` all of it.
    """

    def __init__(self, message: str, code: str = "", answer: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(message)
        self.code = code
        self.answer: Dict[str, Any] = answer or {}


class NotAdmitted(SluiceError, TimeoutError):
    """The permit was not granted within `timeout`; the message says what it waited for."""


class NoDaemonWarning(RuntimeWarning):
    """Work runs without a permit, because no daemon serves and `without_daemon` is "run"."""
