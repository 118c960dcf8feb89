"""The steps from a submit to a permit, without sockets and clocks: generators that yield requests and
receive the daemon's answers. Both clients, the blocking one and that of asyncio, follow them."""
from __future__ import annotations

from ._errors import Lost, NoDaemon, NotAdmitted, Refused, SluiceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Generator, Optional, Union

    Json = Dict[str, Any]
    Steps = Generator["Ask", Json, Json]


class Ask:
    """One request."""

    __slots__ = ("method", "target", "body")

    def __init__(self, method: str, target: str, body: Optional[Json] = None) -> None:
        self.method, self.target, self.body = method, target, body


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


def admission(body: Json, until: Optional[float], now: Callable[[], float]) -> Steps:
    """Ends with the running job; raises NotAdmitted once `until` has passed."""
    job = yield from _submitted(body)
    while True:
        if job.get("deduplicated"):
            raise Refused("a job of this key already waits in its place", "deduplicated", job)
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
                yield Ask("DELETE", path)
            except Refused:
                pass  # It has ended meanwhile.
            raise NotAdmitted(f"not admitted in time{_reason(job)}")
        job = yield Ask("GET", f"{path}?wait={int(left * 1000)}ms")


class Admission:
    """The way of one job to its permit over one connection: `ask` until there is a `job`."""

    __slots__ = ("ask", "job", "_body", "_steps", "_has_answer")

    def __init__(self, body: Json, until: Optional[float], now: Callable[[], float]) -> None:
        self._body = body
        self._steps = admission(body, until, now)
        self._has_answer = False
        self.ask = next(self._steps)
        self.job: Optional[Json] = None

    def receive(self, answer: Json) -> None:
        self._has_answer = True
        try:
            self.ask = self._steps.send(answer)
        except StopIteration as end:
            self.job = end.value

    def fail(self, error: Union[Lost, Refused]) -> None:
        """Raises what the caller must know of; otherwise there is another `ask`."""
        if isinstance(error, Lost):
            error.is_expected = self._has_answer
            raise error
        if error.code == "stopping":
            lost = Lost(str(error))
            lost.is_expected = True
            raise lost from error
        self.ask = self._steps.throw(error)

    @property
    def has_no_parent(self) -> bool:
        """Whether the daemon has found that this process works on nobody's permit."""
        return self.job is not None and not self._body.get("parent") and "parent" not in self.job


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


def _submitted(body: Json) -> Steps:
    """Ends with the daemon's first answer; removes from the body what this daemon cannot use."""
    while True:
        try:
            return (yield Ask("POST", "/v1/jobs", body))
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
