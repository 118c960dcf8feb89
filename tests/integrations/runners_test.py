"""Hooks of Buildkite's agent and of GitHub's runner, with a stand-in of these (runner.py) and a real daemon."""
import os
import subprocess
import sys
import unittest
from pathlib import Path

from daemons import COMMAND, INTEGRATIONS, DaemonTest, wait_for

RUNNER = Path(__file__).with_name("runner.py")
# A build that needs one of two licences, and holds it until the file `go` is there.
BUILD = """\
mkdir licence1 2>/dev/null && mine=licence1 || { mkdir licence2 2>/dev/null && mine=licence2; } ||
  { echo none >> refused; exit 1; }
until [ -e go ] || [ ! -e log0 ]; do sleep 0.02; done
rmdir $mine
"""
# Ends, too, when the folder of a test that failed is gone.
UNTIL_GO = "until [ -e go ] || [ ! -e log0 ]; do sleep 0.02; done"
WITHOUT = "this job runs without a permit: no daemon at "


class Hooks:
    system = None

    def start(self, command, system=None, **variables):
        number = len(self.started)
        environment = dict(os.environ, SLUICE_SOCKET=self.daemon.socket, **variables)
        if self.system == "buildkite":
            environment.update(BUILDKITE_HOOKS_PATH=str(INTEGRATIONS / "buildkite"), BUILDKITE_JOB_ID=f"job-{number}",
                               BUILDKITE_PIPELINE_SLUG="compiler", BUILDKITE_LABEL=":hammer: build all")
        else:
            for line in (INTEGRATIONS / "github-actions/sluice.env").read_text().split():
                name, _, path = line.partition("=")
                environment[name] = path.replace("/usr/share/sluice/integrations", str(INTEGRATIONS))
            environment.update(GITHUB_REPOSITORY="o/compiler", GITHUB_WORKFLOW=":hammer: build", GITHUB_JOB="all")
        log = self.folder / f"log{number}"
        with open(log, "w", encoding="utf-8") as file:
            job = subprocess.Popen([sys.executable, "-B", RUNNER, system or self.system, command], cwd=self.folder,
                                   env=environment, stdout=file, stderr=subprocess.STDOUT)
        self.addCleanup(job.wait)
        self.addCleanup(job.kill)
        self.started.append(job)
        return job, log

    def setUp(self):
        super().setUp()
        self.started = []

    def go(self):
        (self.folder / "go").touch()

    def statuses(self):
        return sorted(job.wait(60) for job in self.started)

    def test_without_them_jobs_overrun_the_host(self):
        for _ in range(4):
            self.start(BUILD, "none")
        wait_for(lambda: (self.folder / "refused").exists() and
                 (self.folder / "refused").read_text().split() == ["none"] * 2)
        self.go()
        self.assertEqual(self.statuses(), [0, 0, 1, 1])

    def test_with_them_as_many_jobs_run_as_fit_and_all_succeed(self):
        logs = [self.start(BUILD)[1] for _ in range(4)]
        wait_for(lambda: self.daemon.jobs() == (2, 2), self.daemon.jobs)
        wait_for(lambda: (self.folder / "licence1").exists() and (self.folder / "licence2").exists())
        wait_for(lambda: sum("sluice: runs on" in log.read_text() for log in logs) == 2)
        self.go()
        self.assertEqual(self.statuses(), [0, 0, 0, 0], [log.read_text() for log in logs])
        self.assertFalse((self.folder / "refused").exists())
        self.assertEqual(self.daemon.jobs(), (0, 0))

    def test_a_daemon_that_dies_half_way_keeps_no_job_and_each_says_so_once(self):
        jobs = [self.start(UNTIL_GO, SLUICE_DAEMON_WAIT="0") for _ in range(4)]
        wait_for(lambda: self.daemon.jobs() == (2, 2), self.daemon.jobs)
        self.daemon.kill()
        self.go()
        self.assertEqual(self.statuses(), [0, 0, 0, 0])
        self.assertEqual(sorted(log.read_text().count(WITHOUT) for _, log in jobs), [0, 0, 1, 1])

    def test_a_job_that_waits_finds_the_next_daemon(self):
        holder = self.daemon.ask("POST", "/v1/jobs", {"cost": 20})[1]
        self.assertEqual(holder["state"], "running")
        job, log = self.start("true", SLUICE_DAEMON_WAIT="60")
        wait_for(lambda: self.daemon.jobs() == (1, 1), self.daemon.jobs)
        self.daemon.kill()
        self.daemon.start()
        self.assertEqual(job.wait(90), 0)
        self.assertIn("sluice: runs on a permit of 10 points", log.read_text())

    def test_a_job_that_waits_outlives_a_restart_of_the_daemon(self):
        holder = self.daemon.ask("POST", "/v1/jobs", {"cost": 20})[1]
        self.assertEqual(holder["state"], "running")
        job, log = self.start("true", SLUICE_DAEMON_WAIT="60")
        wait_for(lambda: self.daemon.jobs() == (1, 1), self.daemon.jobs)
        self.daemon.stop()
        self.assertFalse(os.path.exists(self.daemon.socket))
        self.daemon.start()
        self.assertEqual(job.wait(90), 0, log.read_text())
        self.assertIn("sluice: runs on a permit of 10 points", log.read_text())

    def test_without_a_daemon_jobs_run_and_say_so_once(self):
        self.daemon.kill()
        os.unlink(self.daemon.socket)
        job, log = self.start("echo built")
        self.assertEqual(job.wait(60), 0)
        self.assertEqual(log.read_text().splitlines(),
                         [f"sluice: {WITHOUT}{self.daemon.socket}: [Errno 2] No such file or directory", "built"])

    def test_without_python_jobs_run_and_say_so_once(self):
        tools = self.folder / "tools"
        tools.mkdir()
        for tool in ("bash", "dirname", "readlink", "env"):
            (tools / tool).symlink_to(f"/usr/bin/{tool}")
        job, log = self.start("echo built", PATH=str(tools))
        self.assertEqual(job.wait(60), 0)
        self.assertEqual(log.read_text().count("this job runs without a permit"), 1, log.read_text())
        self.assertIn("built", log.read_text())

    def test_a_job_that_can_never_run_fails_with_the_reason(self):
        job, log = self.start("echo built", SLUICE_COST="2000")
        self.assertEqual(job.wait(60), 1)
        self.assertEqual(log.read_text(), "sluice: does not run: needs 2000 points, more than the largest window of 20\n")

    def test_commands_under_sluice_run_work_on_the_permit_of_the_job(self):
        job, log = self.start(f"{COMMAND} run --cost 20 -- echo built", SLUICE_COST="20")
        self.assertEqual(job.wait(60), 0)
        self.assertEqual(log.read_text().splitlines(), ["sluice: runs on a permit of 20 points", "built"])

    def test_the_permit_of_a_runner_that_is_killed_returns(self):
        job, _ = self.start(UNTIL_GO)
        wait_for(lambda: self.daemon.jobs() == (1, 0), self.daemon.jobs)
        job.kill()
        wait_for(lambda: self.daemon.jobs() == (0, 0), self.daemon.jobs)
        self.go()

    def test_what_the_job_is_and_needs_reaches_the_daemon(self):
        job, _ = self.start(UNTIL_GO, SLUICE_COST="7", SLUICE_MEMORY="64MiB",
                            SLUICE_PRIORITY="3", SLUICE_QUEUE="default")
        wait_for(lambda: self.daemon.jobs() == (1, 0), self.daemon.jobs)
        seen = self.daemon.ask("GET", "/v1/jobs")[1]["jobs"][0]
        self.assertEqual((seen["key"], seen["cost"], seen["memory"], seen["priority"], seen["lease"]["pid"]),
                         (self.key, 7, 64 << 20, 3, job.pid))
        self.go()
        self.assertEqual(job.wait(60), 0)
        self.assertEqual(self.daemon.ask("GET", f"/v1/jobs/{seen['id']}")[1]["ended_by"], "finish")


class Buildkite(Hooks, DaemonTest):
    system = "buildkite"
    key = "buildkite/compiler/:hammer: build all"

    def test_a_command_that_fails_fails_the_job_and_its_outcome(self):
        job, _ = self.start("exit 7")
        self.assertEqual(job.wait(60), 7)
        self.assertEqual(self.daemon.ask("GET", "/v1/jobs/buildkite-job-0")[1]["outcome"], "failed")

    def test_hooks_work_as_links_in_the_folder_of_the_agent(self):
        hooks = self.folder / "hooks"
        hooks.mkdir()
        for name in ("pre-command", "pre-exit"):
            (hooks / name).symlink_to(INTEGRATIONS / "buildkite" / name)
        environment = dict(os.environ, SLUICE_SOCKET=self.daemon.socket, BUILDKITE_HOOKS_PATH=str(hooks),
                           BUILDKITE_JOB_ID="linked")
        subprocess.run([sys.executable, "-B", RUNNER, "buildkite", "true"], env=environment, check=True,
                       stdout=subprocess.DEVNULL)
        self.assertEqual(self.daemon.ask("GET", "/v1/jobs/buildkite-linked")[1]["outcome"], "ok")


class GithubActions(Hooks, DaemonTest):
    system = "github-actions"
    key = "github-actions/o/compiler/:hammer: build/all"

    def test_a_step_that_fails_fails_the_job(self):
        job, _ = self.start("exit 7")
        self.assertEqual(job.wait(60), 7)
        self.assertEqual(self.daemon.jobs(), (0, 0))


if __name__ == "__main__":
    unittest.main()
