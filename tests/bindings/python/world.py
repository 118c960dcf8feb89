"""A real daemon for the tests of the Python client."""
import contextlib
import http.client
import json
import os
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3]
COMMAND = os.environ.get("SLUICE_COMMAND", str(SOURCE / "build/dev/bin/sluice"))
PACKAGE = SOURCE / "bindings/python"

CONFIG = """\
window: {law: rfc, initial: 20, minimum: 20, maximum: 20}
sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off, cgroup: off,
          pids: off, starting: off, disk: off}
queues: {default: {}, nightly: {}}
resources: {db: {kind: discrete, items: [one, two]}, deploy: {kind: highlander}}
service: {listen: off}
"""


class DaemonTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sluice-python-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.place = str(self.folder / "socket")
        (self.folder / "sluice.yaml").write_text(CONFIG)
        self.daemon = None
        self.addCleanup(self.kill_daemon)
        variables = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("SLUICE_PERMIT")}
        self.addCleanup(os.environ.update, variables)

    def start_daemon(self, *options, **popen):
        self.daemon = subprocess.Popen(
            [COMMAND, "serve", "--config", self.folder / "sluice.yaml", "--socket", self.place, *options],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **popen)
        self.assertTrue(any("serves on" in line for line in self.daemon.stderr), "the daemon does not serve")

    def kill_daemon(self):
        if self.daemon:
            self.daemon.kill()
            self.daemon.wait()
            self.daemon.stderr.close()
            self.daemon = None

    def ask(self, method, target, body=None):
        connection = http.client.HTTPConnection("sluice")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(60)
        connection.sock.connect(self.place)
        headers = {"Content-Type": "application/json"} if body else {}
        connection.request(method, target, json.dumps(body) if body else None, headers)
        answer = json.load(connection.getresponse())
        connection.close()
        return answer

    def descriptors(self):
        """How many the daemon has open: one for each connection, and a few of its own."""
        return len(os.listdir(f"/proc/{self.daemon.pid}/fd"))

    def jobs(self):
        """Numbers of running and of waiting jobs."""
        answer = self.ask("GET", "/v1/jobs")
        return answer["running"], answer["pending"]

    def wait_for_jobs(self, running, pending):
        wait_for(lambda: self.jobs() == (running, pending), self.jobs)

    def job(self, name):
        return self.ask("GET", f"/v1/jobs/{name}")


@contextlib.contextmanager
def soon():
    """Long before the 90 s for which an answer is waited for."""
    began = time.monotonic()
    yield
    took = time.monotonic() - began
    assert took < 45, f"took {took:.0f} s"


def wait_for(condition, state=lambda: ""):
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, state()
        time.sleep(0.01)
