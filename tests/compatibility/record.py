"""Records how a daemon answers the requests below, and those of its own command:

  record.py SLUICE >tests/compatibility/19c42fc.json

SLUICE is the command that was built at commit 19c42fc, from before the API had a version.
"""
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from world import Connection, start_daemon, stop_daemon, understood

FULL = {"id": "full", "key": "lint", "program": "ruff", "measured": False, "suspendable": False, "memory": "64MiB",
        "queue": "nightly", "priority": 3, "inventory": 2, "cost": 2, "locks": {"node": "shared:a"},
        "global_lock": False, "resources": {"db": 1}, "after": ["first"], "on_failure": "run", "reasons": ["r"],
        "params": {"p": "v"}, "nice": 5, "reports_started": True, "hold": "connection", "pid": "peer",
        "heartbeat": "60s"}
USAGE = {"usage": {"wall": 1.5, "cpu": 1.0, "cpu_delay": 0.1, "memory": 1000, "peak_memory": 2000, "read": 1,
                   "written": 2, "oom_kills": 0}}
CALLS = [
    ("GET", "/v1/status", None),
    ("POST", "/v1/jobs?wait=5s", {"id": "first", "key": "build", "program": "cc1", "cost": 10, "hold": "connection",
                                  "pid": "peer", "measured": True, "suspendable": True}),
    ("POST", "/v1/jobs", {"id": "first"}),
    ("POST", "/v1/jobs", FULL),
    ("GET", "/v1/jobs/full", None),
    ("PATCH", "/v1/jobs/full", {"priority": 7, "nice": 3, "frozen": True, "position": "front"}),
    ("GET", "/v1/jobs", None),
    ("GET", "/v1/jobs?state=pending&limit=5", None),
    ("GET", "/v1/jobs/first?wait=10ms", None),
    ("POST", "/v1/jobs/first/started", None),
    ("POST", "/v1/jobs/first/started", {"pid": 1}),
    ("POST", "/v1/jobs/first/heartbeat", USAGE),
    ("DELETE", "/v1/jobs/first?outcome=ok", USAGE),
    ("PATCH", "/v1/jobs/first", {"priority": 1}),
    ("DELETE", "/v1/jobs/full", None),
    ("GET", "/v1/jobs/nobody", None),
    ("POST", "/v1/jobs", {"cost": 2000}),
    ("POST", "/v1/jobs", {"queue": "none"}),
    ("POST", "/v1/jobs", {"prio": 1}),
    ("POST", "/v1/jobs", {"priority": "x"}),
    ("POST", "/v1/jobservers", {"hold": "connection", "pid": "peer", "key": "nightly", "program": "make", "max": 4}),
    ("GET", "/v1/jobservers", None),
    ("GET", "/health/status", None),
    ("POST", "/v1/pause", None),
    ("POST", "/v1/resume", None),
    ("POST", "/v1/queues/nightly/pause", None),
    ("POST", "/v1/queues/nightly/resume", None),
    ("POST", "/v1/queues/none/pause", None),
    ("POST", "/v1/reload", None),
    ("GET", "/v1/history", None),
    ("GET", "/livez", None),
    ("GET", "/readyz", None),
    # The rest it does not have.
    ("POST", "/v1/jobs", {"hold": "connection", "parent": ""}),
    ("POST", "/v1/jobs", {"hold": "connection", "variant": "8"}),
    ("POST", "/v1/jobservers", {"hold": "connection", "parent": ""}),
    ("GET", "/v1/fit", None),
    ("GET", "/v1/build", None),
    ("GET", "/v1/timeline", None),
]
COMMANDS = [
    ["run", "--key", "k", "--priority", "2", "--lock", "node=shared:a", "--", "true"],
    ["run", "--", "sh", "-c", "exit 3"],
    ["batch", "--daemon", "true {}", ":::", "1", "2"],
    ["jobserver", "--daemon", "--", "make", "-f", "/dev/null", "-n"],
    ["status"],
    ["pause"],
    ["resume"],
    ["drain"],
]
AFTER_DRAIN = [("POST", "/v1/jobs", {"key": "late"})]


class Recorder:
    """Passes requests on, connection by connection, and writes down the exchanges."""

    def __init__(self, place, daemon):
        self.exchanges, self._daemon, self._connections = [], daemon, 0
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(place)
        self._listener.listen(16)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self._listener.accept()
            self._connections += 1
            threading.Thread(target=self._serve, args=(client, self._connections), daemon=True).start()

    def _serve(self, client, number):
        with contextlib.suppress(ConnectionError), client, socket.socket(socket.AF_UNIX) as daemon:
            daemon.connect(self._daemon)
            while (request := message(client)) is not None:
                head, body = request
                daemon.sendall(head + body)
                answer = message(daemon)
                if answer is None:
                    return
                method, target, _ = head.decode().split(" ", 2)
                self.exchanges.append({"connection": number, "method": method, "target": target,
                                       "body": understood(body) if body else None,
                                       "status": int(answer[0].split(b" ", 2)[1]), "answer": understood(answer[1])})
                client.sendall(b"".join(answer))


def message(stream):
    """Head and body of a request or an answer; None at the end."""
    received = b""
    while b"\r\n\r\n" not in received:
        chunk = stream.recv(65536)
        if not chunk:
            return None
        received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    lengths = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    while len(body) < (lengths or [0])[0]:
        body += stream.recv(65536)
    return head + b"\r\n\r\n", body


def main(command):
    with tempfile.TemporaryDirectory(prefix="sluice-record-") as name:
        folder = Path(name)
        daemon = start_daemon(command, folder)
        recorder = Recorder(str(folder / "recorded"), str(folder / "socket"))
        connection = Connection(str(folder / "recorded"))
        for call in CALLS:
            connection.ask(*call)
        connection.close()
        environment = dict(os.environ, SLUICE_SOCKET=str(folder / "recorded"), XDG_STATE_HOME=name)
        for words in COMMANDS:
            subprocess.run([command, *words], env=environment, check=False, stdout=subprocess.DEVNULL)
        for call in AFTER_DRAIN:
            connection.ask(*call)
        connection.close()
        stop_daemon(daemon)
    lines = [json.dumps(exchange, ensure_ascii=False).replace(name, "/tmp/sluice") for exchange in recorder.exchanges]
    print("[" + ",\n".join(lines) + "]")


if __name__ == "__main__":
    main(sys.argv[1])
