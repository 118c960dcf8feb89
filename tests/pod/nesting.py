"""A daemon of the host, and commands in containers that work under a `sluice run` of the host."""

import pathlib
import subprocess

from pod import Broken, ask, eventually

SOCKET = "sluice.sock"
INSIDE = "/run/sluice"  # Where a container has the daemon's folder.
SLUICE = "/opt/sluice/bin/sluice"
WINDOW = 10  # Points: what the outer command holds, and the inner one asks for.
FULL = f"needs {WINDOW} points, 0 of {WINDOW} points are free"
# Nothing but the window may decide: what else runs on this host is not known.
CONFIG = f"""window: {{initial: {WINDOW}, minimum: {WINDOW}, maximum: {WINDOW}}}
cost: {{model: formula}}
sensors: {{load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off, cgroup: off,
          disk: off, pids: off, starting: off}}
"""
INNER = (SLUICE, "run", "--cost", WINDOW, "--wait", "60s", "--", "/bin/busybox", "echo", "nested")


class HostDaemon:
    """For use in a `with`."""

    def __init__(self, podman, sluice, image):
        self.podman, self.sluice, self.image = podman, sluice, image
        self.folder = podman.folder / "host"
        self.folder.mkdir()
        self.environment = {**podman.environment, "SLUICE_SOCKET": str(self.folder / SOCKET)}
        self.started = []

    def __enter__(self):
        config = self.folder / "config.yaml"
        config.write_text(CONFIG)
        log = (self.folder / "log").open("w")
        self.process = subprocess.Popen(
            [self.sluice, "serve", "--config", config, "--socket", self.folder / SOCKET,
             "--listen", "off"], stdout=log, stderr=log)
        try:
            eventually("the host's daemon answers", self.answers)
        except Broken:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for each in (*self.started, self.process):
            each.terminate()
            each.wait(30)

    def answers(self):
        try:
            return self.status()
        except OSError:
            return None

    def status(self):
        return ask(self.folder / SOCKET, "GET", "/v1/status")[1]

    def outer(self, *command):
        """A command that holds the whole window, as words."""
        return [str(each) for each in (self.sluice, "run", "--cost", WINDOW, "--", *command)]

    def container(self, *variables):
        """Runs a command in a container that asks for the whole window, as words. `variables`: as
        `podman run --env` takes them."""
        told = [word for each in (f"SLUICE_SOCKET={INSIDE}/{SOCKET}", *variables)
                for word in ("--env", each)]
        return [str(each) for each in (
            self.podman.program, "run", "--rm", "--network", "none", *told, "--volume",
            f"{self.folder}:{INSIDE}", self.image, *INNER)]

    def done(self, words, patience=120):
        return subprocess.run(words, env=self.environment, check=False, capture_output=True,
                              text=True, timeout=patience)

    def start(self, words, name):
        """One that goes on by itself, and the files in which its output and complaints are."""
        files = [self.folder / f"{name}.out", self.folder / f"{name}.err"]
        with files[0].open("w") as out, files[1].open("w") as err:
            process = subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=err)
        self.started.append(process)
        return Started(process, *files)


class Started:
    def __init__(self, process, out: pathlib.Path, err: pathlib.Path):
        self.process, self.out, self.err = process, out, err

    def end(self, patience=90):
        """Like that of subprocess.run."""
        status = self.process.wait(patience)
        return subprocess.CompletedProcess(self.process.args, status, self.out.read_text(),
                                           self.err.read_text())
