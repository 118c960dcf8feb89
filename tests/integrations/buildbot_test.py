"""Buildbot itself: a master and two workers, each with a daemon of its own, one of which takes no work."""
import os
import socket
import subprocess
import unittest

from daemons import COMMAND, INTEGRATIONS, DaemonTest, wait_for

BUILDS = 20
MASTER = """\
import sys
sys.path.insert(0, {integrations!r})
from buildbot.plugins import changes, schedulers, steps, util, worker
from sluice_buildbot import HostRoom

room = HostRoom()
workers = {workers!r}
names = ["build%d" % number for number in range({builds})]
factory = util.BuildFactory([steps.ShellCommand(command=["sh", "-c", {command!r}])])
c = BuildmasterConfig = {{
    "protocols": {{"pb": {{"port": "tcp:{port}:interface=127.0.0.1"}}}},
    "workers": [worker.Worker(name, "secret", max_builds=2, properties={{"sluice": place}})
                for name, place in workers.items()],
    "change_source": [changes.PBChangeSource(user="change", passwd="change")],
    "schedulers": [schedulers.AnyBranchScheduler("all", treeStableTimer=None, builderNames=names)],
    "builders": [util.BuilderConfig(name=name, workernames=list(workers), factory=factory, {gate})
                 for name in names],
    "db": {{"db_url": "sqlite:///state.sqlite"}}, "buildbotNetUsageData": None, "title": "t", "titleURL": "http://t",
    "buildbotURL": "http://localhost/"}}
"""


class Buildbot(DaemonTest):
    def setUp(self):
        super().setUp()
        self.other = self.new_daemon("other")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def fill(self, daemon):
        self.assertEqual(daemon.ask("POST", "/v1/jobs", {"cost": 20})[1]["state"], "running")
        wait_for(lambda: daemon.ask("GET", "/health/status")[0] == 503)

    def start(self, gate, command):
        daemons = {"one": self.daemon, "two": self.other}
        self.run_tool("buildbot", "create-master", "master")
        config = MASTER.format(integrations=str(INTEGRATIONS / "buildbot"), builds=BUILDS, port=self.port, gate=gate,
                               command=command, workers={name: each.socket for name, each in daemons.items()})
        (self.folder / "master/master.cfg").write_text(config)
        self.serve("buildbot", "start", "--nodaemon", "master")
        for name, daemon in daemons.items():
            self.run_tool("buildbot-worker", "create-worker", name, f"127.0.0.1:{self.port}", name, "secret")
            self.serve("buildbot-worker", "start", "--nodaemon", name, SLUICE_SOCKET=daemon.socket)
        wait_for(lambda: self.log().count("BotMaster.attached") >= 2 or
                 self.log().count("attached to") >= 2, self.log)
        self.run_tool("buildbot", "sendchange", "--master", f"127.0.0.1:{self.port}", "--auth", "change:change",
                      "--who", "w", "--vc", "git", "--repository", "r", "--project", "p", "file")

    def run_tool(self, *words):
        done = subprocess.run(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def serve(self, *words, **variables):
        process = subprocess.Popen(words, cwd=self.folder, env=dict(os.environ, **variables), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)

    def log(self):
        path = self.folder / "master/twistd.log"
        return path.read_text() if path.exists() else ""

    def done(self):
        path = self.folder / "done"
        return path.read_text().split() if path.exists() else []

    def build(self):
        """What each build does: it waits for a permit of its worker's host, as on any busy host."""
        return f"{COMMAND} run --quiet -- sh -c 'basename $(dirname $(dirname $PWD)) >>{self.folder}/done'"

    def test_without_the_gate_builds_wait_on_the_full_host_while_the_other_is_idle(self):
        self.fill(self.daemon)
        self.start("", self.build())
        wait_for(lambda: len(self.done()) == BUILDS - 2 and self.daemon.jobs() == (1, 2), self.log)
        self.assertEqual(set(self.done()), {"two"})

    def test_with_the_gate_all_builds_run_on_the_idle_host(self):
        self.fill(self.daemon)
        self.start("canStartBuild=room", self.build())
        wait_for(lambda: len(self.done()) == BUILDS, self.log)
        self.assertEqual(set(self.done()), {"two"})

    def test_builds_that_wait_start_once_a_host_takes_work_again(self):
        jobs = [daemon.ask("POST", "/v1/jobs", {"cost": 20})[1]["number"] for daemon in (self.daemon, self.other)]
        for daemon in (self.daemon, self.other):
            wait_for(lambda daemon=daemon: daemon.ask("GET", "/health/status")[0] == 503)
        self.start("canStartBuild=room", self.build())
        self.assertEqual(self.done(), [])
        self.other.ask("DELETE", f"/v1/jobs/{jobs[1]}")
        wait_for(lambda: len(self.done()) == BUILDS, self.log)

    def test_a_daemon_that_dies_half_way_is_named_once_and_builds_go_on(self):
        self.fill(self.daemon)
        self.fill(self.other)
        self.start("canStartBuild=room", f"echo x >>{self.folder}/done")
        self.daemon.kill()
        self.other.kill()
        wait_for(lambda: len(self.done()) == BUILDS, self.log)
        self.assertEqual(self.log().count("sluice: builds start without asking"), 2, self.log())


if __name__ == "__main__":
    unittest.main()
