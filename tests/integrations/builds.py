"""Builds of real tools below `sluice build`, with a daemon of their own."""
import json
import os
import subprocess
from pathlib import Path

from daemons import COMMAND, CONFIG, DaemonTest

# One job of 10 points fits.
ONE_AT_ONCE = CONFIG.replace("20", "10")


class BuildTest(DaemonTest):
    def setUp(self):
        super().setUp()
        # Debian's programs, whatever else is on the path of this user.
        self.environment = {"PATH": "/usr/sbin:/usr/bin:/bin", "HOME": str(self.folder), "TMPDIR": str(self.folder),
                            "XDG_RUNTIME_DIR": str(self.folder), "SLUICE_SOCKET": self.daemon.socket}

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def start(self, *words):
        process = subprocess.Popen(words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def start_build(self, *words):
        return self.start(COMMAND, "build", "--json", "-v", "--", *words)

    def end_of(self, process):
        """What `sluice build` says at the end of a build that has succeeded."""
        said = process.communicate(timeout=300)[1]
        self.assertEqual(process.returncode, 0, said)
        events = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        return next(event for event in events if event["event"] == "end")

    def build(self, *words):
        return self.end_of(self.start_build(*words))

    def runs_of(self, end, program):
        return [job["name"] for job in end["heaviest"] if job["name"].split()[0] == program]

    def assert_none_without_permit(self, end):
        self.assertEqual(set(end["beyond"].values()), {0}, end)

    def processes(self, name):
        """Living ones that this test has started, by the name of their program or main class."""
        found = []
        for each in Path("/proc").glob("[0-9]*"):
            try:
                is_own = f"HOME={self.folder}\0".encode() in (each / "environ").read_bytes()
                words = (each / "cmdline").read_bytes().decode(errors="replace").split("\0")
            except OSError:
                continue
            if is_own and any(os.path.basename(word) == name for word in words):
                found.append(int(each.name))
        return found
