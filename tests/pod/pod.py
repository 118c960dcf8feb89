"""One pod under podman, with the kubelet's part played by the test."""

import http.client
import json
import pathlib
import socket
import subprocess
import time

import yaml

PATIENCE = 60.0  # seconds for anything that must happen


class Broken(AssertionError):
    """What the test expects is not so."""


def eventually(what, condition, patience=PATIENCE):
    """Waits until `condition` gives something, and gives that."""
    until = time.monotonic() + patience
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > until:
            raise Broken(f"not within {patience:.0f} s: {what}")
        time.sleep(0.1)


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=10)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(10)
        self.sock.connect(str(self.path))


def ask(path, method, target, body=None):
    """The status and the answer of the daemon at a socket."""
    connection = UnixConnection(path)
    try:
        headers = {"Content-Type": "application/json"} if body else {}
        connection.request(method, target, json.dumps(body) if body else None, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def answers_in_network_of(process, url, seconds=1):
    """Whether a GET succeeds that is asked from within the network of a process."""
    asked = subprocess.run(["nsenter", "--net", "--target", str(process), "curl", "--silent",
                            "--fail", "--max-time", str(seconds), url],
                           check=False, capture_output=True)
    return asked.returncode == 0


class Pod:
    def __init__(self, podman, deployment, objects):
        """`deployment` as rendered, whose probes and hooks the test follows; `objects` as podman
        gets them."""
        self.podman = podman
        self.spec = deployment["spec"]["template"]["spec"]
        manifest = podman.folder / "pod.yaml"
        manifest.write_text(yaml.safe_dump_all(objects))
        podman.call("kube", "play", "--network", "none", manifest)
        self.name = podman.call("pod", "ps", "--format", "{{.Name}}")

    def container(self, name):
        return f"{self.name}-{name}"

    def declared(self, name):
        """A container as the manifest has it."""
        every = self.spec["initContainers"] + self.spec["containers"]
        return next(each for each in every if each["name"] == name)

    def exec(self, name, *command, patience=30):
        return self.podman.run("exec", self.container(name), *command, patience=patience)

    def exec_in_background(self, name, *command):
        return self.podman.start("exec", self.container(name), *command,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def probe(self, name, kind):
        """Whether a probe of the manifest succeeds, asked from within the pod's network."""
        probe, container = self.declared(name)[kind], self.declared(name)
        if "exec" in probe:
            return self.exec(name, *probe["exec"]["command"]).returncode == 0
        port = next(each["containerPort"] for each in container["ports"]
                    if each["name"] == probe["httpGet"]["port"])
        process = self.podman.process_of(self.container(name))
        if process is None:
            return False
        url = f"http://127.0.0.1:{port}{probe['httpGet']['path']}"
        return answers_in_network_of(process, url, probe.get("timeoutSeconds", 1))

    def pre_stop(self, name):
        """Starts the hook of the manifest."""
        return self.exec_in_background(
            name, *self.declared(name)["lifecycle"]["preStop"]["exec"]["command"])

    @property
    def socket(self):
        volume = self.podman.call("volume", "inspect", "run", "--format", "{{.Mountpoint}}")
        return pathlib.Path(volume) / "sluice.sock"

    def ask(self, method, target, body=None):
        return ask(self.socket, method, target, body)

    def status(self):
        return self.ask("GET", "/v1/status")[1]

    def sensor(self, name="cgroup"):
        return next(each for each in self.status()["sensors"] if each["name"] == name)

    def memory(self):
        """The condition of the `cgroup` sensor that judges memory; none while it cannot."""
        return next((each for each in self.sensor()["conditions"] if each["name"] == "memory"),
                    None)

    def resident_bytes(self, name):
        process = self.podman.process_of(self.container(name))
        for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise Broken(f"{name} does not run")
