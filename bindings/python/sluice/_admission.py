"""The steps from a submit to a permit, without sockets and clocks. `ask` sends a request, and waits for the daemon's
answer as the client waits, the blocking one or that of asyncio."""
from __future__ import annotations

from ._errors import Lost, NoDaemon, NotAdmitted, Refused, SluiceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Awaitable, Callable, Dict, Optional

    Json = Dict[str, Any]
    Ask = Callable[..., Awaitable[Json]]  # Method, target and, if there is one, the body.


# How long an answer may take, with the 30 s for which the daemon may be asked to hold it back: a host
# that swaps may stall it for half a minute more.
PATIENCE = 90

# For the answer that a wait is over: seconds beyond that.
_GRACE = 5


def patience(until: Optional[float], now: float) -> float:
    """How long to wait for the answer to a request that waits for a permit until then."""
    return PATIENCE if until is None else min(PATIENCE, max(0.0, until - now) + _GRACE)


# How long the daemon holds back an answer to a job that waits.
LONGEST_WAIT = 30.0

# How long a daemon that went away while a job waited may take to come back, and the pauses between
# attempts to reach it.
RETURN = 30.0
FIRST_PAUSE, LONGEST_PAUSE = 0.02, 1.0

# How many connections may break before their first answer. A daemon closes idle ones, and one that is
# killed may still accept another.
MOST_LOSSES = 3

# How long the end of a job may take, in seconds; a longer wait for an answer ends at a multiple of it. A daemon
# that hangs has the request then, and returns the permit for it or for the connection that closes.
PARTING = 2.0

# How many idle connections a client keeps. The daemon serves 1024 in all: those that one program keeps after a
# burst are missing to all other clients.
MOST_IDLE = 8


async def admission(ask: Ask, body: Json, until: Optional[float], now: Callable[[], float]) -> Json:
    """Ends with the running job; raises NotAdmitted once `until` has passed."""
    job = await _submitted(ask, body)
    while True:
        if job.get("deduplicated"):
            raise Refused("a job with its key already waits and will run instead", "deduplicated", job)
        state, number = job.get("state"), job.get("number")
        if not isinstance(number, int) or not isinstance(job.get("cost"), int):
            raise SluiceError("the answer is not from a sluice daemon")
        if state == "running":
            return job
        if state != "pending":
            raise Refused(f"the job was cancelled while it waited{_reason(job)}", "cancelled", job)
        left = _left(until, now)
        path = f"/v1/jobs/{number}"
        if left <= 0:
            try:
                await ask("DELETE", path)
            except Refused:
                pass  # It has ended meanwhile.
            raise NotAdmitted(f"not admitted in time{_reason(job)}")
        job = await ask("GET", f"{path}?wait={int(left * 1000)}ms")


class Losses:
    """What becomes of a job whose connections break."""

    __slots__ = ("_until", "_now", "_count", "_pause", "_back_by")

    def __init__(self, until: Optional[float], now: Callable[[], float]) -> None:
        self._until, self._now = until, now
        self._count, self._pause = 0, FIRST_PAUSE
        self._back_by: Optional[float] = None

    def pause(self, error: NoDaemon) -> float:
        """The seconds until the next connection; raises the error if there should be none."""
        if isinstance(error, Lost):
            self._count += 1
            if error.is_silent:
                raise error
        if self._back_by is None and not (isinstance(error, Lost) and error.is_expected):
            if not isinstance(error, Lost) or self._count == MOST_LOSSES:
                raise error
            return 0.0
        now = self._now()
        self._back_by = self._back_by or now + RETURN
        if now >= self._back_by or (self._until is not None and now >= self._until):
            raise error
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST_PAUSE)
        return pause


async def _submitted(ask: Ask, body: Json) -> Json:
    """Ends with the daemon's first answer; removes from the body what this daemon cannot use."""
    while True:
        try:
            return await ask("POST", "/v1/jobs", body)
        except Refused as refused:
            useless = _useless_to(refused)
            if useless not in body:
                raise
        del body[useless]


def _useless_to(refused: Refused) -> str:
    """The field without which a daemon that refuses so would take the job."""
    if refused.code == "no_process":
        return "pid"  # It is in another pid namespace and does not see this process; the connection has to do.
    error = refused.answer.get("error")
    is_older = refused.code == "unknown_field" and isinstance(error, dict) and error.get("field") == "parent"
    return "parent" if is_older else ""  # Before 1.0 each job had a permit of its own.


def _left(until: Optional[float], now: Callable[[], float]) -> float:
    return LONGEST_WAIT if until is None else max(0.0, min(LONGEST_WAIT, until - now()))


def _reason(job: Json) -> str:
    refusal = job.get("refusal")
    message = refusal.get("message") if isinstance(refusal, dict) else None
    return f": {message}" if message else ""


def outcome_of(error: Optional[type]) -> str:
    """How work ended: an interrupted one says nothing about what such work needs."""
    if error is None:
        return "ok"
    return "failed" if issubclass(error, Exception) else "cancelled"


def may_be_set(name: str) -> bool:
    """Whether a daemon may set this variable for a command: those that name the items of a resource
    manager. Any other could change which code the command executes."""
    return (name.startswith(("SLUICE_RM_", "JQM_RM_")) and name.endswith("_ITEMS") and
            all("A" <= letter <= "Z" or "0" <= letter <= "9" or letter == "_" for letter in name))


def variables(job: Json, place: str) -> Dict[str, str]:
    """What a command that runs on the job's permit finds in its environment."""
    found = {}
    environment = job.get("environment")
    if isinstance(environment, dict):
        found = {name: str(value) for name, value in environment.items() if may_be_set(name)}
    if job.get("permit"):
        found["SLUICE_PERMIT"] = str(job["permit"])
        found["SLUICE_PERMIT_POINTS"] = str(job.get("cost", ""))
        memory = job.get("permit_memory")
        found["SLUICE_PERMIT_MEMORY"] = "" if memory is None else str(memory)
        found["SLUICE_PERMIT_SOCKET"] = place
    return found
