"""What the recorder and the tests share: the configuration of the daemon, and how to ask one."""
import http.client
import json
import os
import re
import socket
import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("SLUICE_COMMAND", str(SOURCE / "build/dev/bin/sluice"))
LAUNCH = os.environ.get("SLUICE_LAUNCH", str(SOURCE / "build/dev/bin/sluice-launch"))
RECORDED = Path(__file__).with_name("19c42fc.json")
CONFIG = """\
window: {law: rfc, initial: 40, minimum: 40, maximum: 40}
sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off, cgroup: off,
          pids: off, starting: off, disk: off}
cost: {model: formula, base: 10, per_node: 0}
queues: {default: {}, nightly: {}}
resources: {db: {kind: discrete, items: [one, two]}}
service: {listen: off}
"""


class Connection(http.client.HTTPConnection):
    def __init__(self, place):
        super().__init__("sluice")
        self._place = place

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(self._place)

    def ask(self, method, target, body):
        """Status, and JSON or else text."""
        headers = {} if body is None else {"Content-Type": "application/json"}
        self.request(method, target, None if body is None else json.dumps(body), headers)
        answer = self.getresponse()
        return answer.status, understood(answer.read())


def understood(answer):
    text = answer.decode()
    try:
        return json.loads(text)
    except ValueError:
        return text


def start_daemon(command, folder):
    """The process of a daemon that serves at folder/socket."""
    (folder / "sluice.yaml").write_text(CONFIG)
    daemon = subprocess.Popen([command, "serve", "--config", folder / "sluice.yaml", "--socket", folder / "socket"],
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert any("serves on" in line for line in daemon.stderr), "the daemon does not serve"
    return daemon


def stop_daemon(daemon):
    daemon.kill()
    daemon.wait()
    daemon.stderr.close()


def exchanges():
    """Each a dict: connection, method, target, body, status, answer."""
    return json.loads(RECORDED.read_text())


def route_of(target):
    """Without numbers of jobs and without the query."""
    return re.sub(r"/(\d+|first|full)(?=/|$)", "/*", target.partition("?")[0])
