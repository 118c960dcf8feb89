"""Real daemons for the tests of integrations/."""
import http.client
import json
import os
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("SLUICE_COMMAND", str(SOURCE / "build/dev/bin/sluice"))
LAUNCH = os.environ.get("SLUICE_LAUNCH", str(SOURCE / "build/dev/bin/sluice-launch"))
INTEGRATIONS = SOURCE / "integrations"
# Two jobs of 10 points fit.
CONFIG = """\
window: {law: rfc, initial: 20, minimum: 20, maximum: 20}
sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off, cgroup: off,
          pids: off, starting: off, disk: off}
cost: {model: formula, base: 10, per_node: 0}
service: {listen: off}
"""


class Daemon:
    def __init__(self, folder, name, config=CONFIG):
        self.socket = str(folder / name)
        self.config = folder / f"{name}.yaml"
        self.config.write_text(config)
        self.process = None

    def start(self, *options, **popen):
        words = [COMMAND, "serve", "--config", self.config, "--socket", self.socket, *options]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **popen)
        assert any("serves on" in line for line in self.process.stderr), "the daemon does not serve"

    def stop(self):
        """As systemd stops it: it removes its socket."""
        self.process.terminate()
        self.process.wait(60)
        self.kill()

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stderr.close()
            self.process = None

    def ask(self, method, target, body=None):
        connection = http.client.HTTPConnection("sluice")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(60)
        connection.sock.connect(self.socket)
        connection.request(method, target, json.dumps(body) if body else None, {})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, json.loads(text) if text.startswith("{") else text

    def jobs(self):
        """Numbers of running and of waiting jobs."""
        answer = self.ask("GET", "/v1/jobs")[1]
        return answer["running"], answer["pending"]


class DaemonTest(unittest.TestCase):
    config = CONFIG

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sluice-integrations-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.daemon = self.new_daemon("socket")
        passed = [name for name in os.environ if name.startswith("SLUICE_PERMIT")]
        variables = {name: os.environ.pop(name) for name in passed}
        self.addCleanup(os.environ.update, variables)

    def new_daemon(self, name):
        daemon = Daemon(self.folder, name, self.config)
        self.start_daemon(daemon)
        self.addCleanup(daemon.kill)
        return daemon

    def start_daemon(self, daemon):
        daemon.start()


def wait_for(condition, state=lambda: ""):
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, state()
        time.sleep(0.01)
