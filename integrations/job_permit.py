"""Holds a permit of Sluice for a job of a CI system, from a hook before the job to one after it.

  python3 job_permit.py take ID KEY           waits until the job fits
  python3 job_permit.py return ID [OUTCOME]   ok (default), failed or cancelled

The permit belongs to the process of the CI system that runs the hook and the job: if that process ends,
the permit returns by itself. Variables: SLUICE_SOCKET (default: /run/sluice/sluice.sock), SLUICE_QUEUE,
SLUICE_PRIORITY, SLUICE_COST (points; 10 are one busy core), SLUICE_MEMORY (peak need, "2GiB"), and
SLUICE_DAEMON_WAIT (seconds for which a job that waits looks for a daemon that went away; default: 30).
Without a daemon the job runs, and a line says so. Exit status: 1 if the job can never run or was
cancelled while it waited, 2 for wrong arguments, else 0.
"""
import http.client
import json
import os
import socket
import sys
import time
from urllib.parse import quote

SOCKET = "/run/sluice/sluice.sock"
# The daemon holds an answer for at most 30 s; a host that swaps may stall it for a minute.
HOLD = "30s"
PATIENCE = 90
RETRY = 1
LONGEST_KEY = 256
# A runner may start a hook by one of these; they do not live as long as the job.
SHELLS = ("bash", "dash", "sh")
OUTCOMES = ("ok", "failed", "cancelled")


class NoDaemon(Exception):
    """`is_expected`: it served here before, since its socket is there and is ours to use."""

    def __init__(self, message, is_expected):
        super().__init__(f"{place()}: {message}")
        self.is_expected = is_expected


class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(place())


def place():
    return os.environ.get("SLUICE_SOCKET") or SOCKET


def ask(method, target, body=None):
    """Status and body of the daemon's answer."""
    connection = Connection("sluice")
    try:
        headers = {"Content-Type": "application/json"} if body else {}
        connection.request(method, target, json.dumps(body) if body else None, headers)
        answer = connection.getresponse()
        value = json.loads(answer.read())
    except (FileNotFoundError, PermissionError) as error:
        raise NoDaemon(error, is_expected=False) from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise NoDaemon(error or type(error).__name__, is_expected=True) from error
    finally:
        connection.close()
    if not isinstance(value, dict):
        raise NoDaemon("not an answer of sluice", is_expected=False)
    return answer.status, value


def say(text):
    print(f"sluice: {text}", flush=True)


def runner():
    """The process that runs the hook and the job: the nearest above this one that is not a shell."""
    process = os.getppid()
    while process > 1:
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
                name, _, rest = file.read().partition("(")[2].rpartition(")")
        except OSError:
            break
        if name not in SHELLS:
            return process
        process = int(rest.split()[1])
    return os.getppid()


def request(name, key):
    printable = "".join(each for each in key if each.isprintable())
    body = {"id": name, "key": printable.encode()[:LONGEST_KEY].decode(errors="ignore"), "pid": runner()}
    for variable, field in (("SLUICE_QUEUE", "queue"), ("SLUICE_MEMORY", "memory")):
        if os.environ.get(variable):
            body[field] = os.environ[variable]
    for variable, field in (("SLUICE_PRIORITY", "priority"), ("SLUICE_COST", "cost")):
        if os.environ.get(variable):
            body[field] = int(os.environ[variable])
    return body


def reason(answer):
    return (answer.get("error") or answer.get("refusal") or {}).get("message", "no reason given")


class Taking:
    """Waits for one permit, and says each reason for waiting once."""

    def __init__(self, body):
        self.body = body
        self.told = None
        self.has_reached = False

    def ask(self, method, target, body=None):
        answer = ask(method, target, body)
        self.has_reached = True
        return answer

    def waits(self, answer):
        if reason(answer) != self.told:
            self.told = reason(answer)
            say(f"waits: {self.told}")

    def submit(self):
        while True:
            status, answer = self.ask("POST", f"/v1/jobs?wait={HOLD}", self.body)
            # Too many jobs wait, or the daemon is being drained or stopped.
            if status not in (429, 503):
                return status, answer
            self.waits(answer)
            time.sleep(RETRY)

    def follow(self):
        """Exit status, once the job runs or never will."""
        status, job = self.submit()
        while status in (200, 201) and job.get("state") == "pending":
            self.waits(job)
            status, job = self.ask("GET", f"/v1/jobs/{quote(self.body['id'], safe='')}?wait={HOLD}")
        if status in (200, 201) and job.get("state") == "running":
            say(f"runs on a permit of {job.get('cost')} points")
            return 0
        say(f"does not run: {reason(job)}")
        return 1


def take(name, key):
    try:
        taking = Taking(request(name, key))
        patience = float(os.environ.get("SLUICE_DAEMON_WAIT") or 30)
        if not patience >= 0:
            raise ValueError(f"SLUICE_DAEMON_WAIT must be at least 0, not {patience}")
    except ValueError as error:
        say(f"SLUICE_PRIORITY, SLUICE_COST and SLUICE_DAEMON_WAIT are numbers: {error}")
        return 2
    until = None
    while True:
        try:
            return taking.follow()
        except NoDaemon as error:
            if until is None:
                until = time.monotonic() + (patience if error.is_expected or taking.has_reached else 0)
            if time.monotonic() >= until:
                say(f"this job runs without a permit: no daemon at {error}")
                return 0
        time.sleep(RETRY)


def give_back(name, outcome):
    try:
        ask("DELETE", f"/v1/jobs/{quote(name, safe='')}?outcome={outcome}")
    except NoDaemon:
        pass
    return 0


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "take":
        return take(*arguments[1:])
    if len(arguments) in (2, 3) and arguments[0] == "return":
        outcome = arguments[2] if len(arguments) == 3 else "ok"
        if outcome in OUTCOMES:
            return give_back(arguments[1], outcome)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
