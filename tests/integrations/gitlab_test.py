"""The custom executor for GitLab Runner, with a stand-in of the runner and a real daemon."""
import json
import os
import subprocess
import sys
import tomllib
import unittest
from pathlib import Path

from daemons import COMMAND, INTEGRATIONS, DaemonTest, wait_for
import runners_test

STAND_IN = Path(__file__).with_name("gitlab_runner.py")


class Gitlab(DaemonTest):
    def setUp(self):
        super().setUp()
        self.started = []
        self.tools = self.folder / "tools"
        self.tools.mkdir()
        (self.tools / "sluice").symlink_to(COMMAND)

    def start(self, script, executor=True, **variables):
        log = self.folder / f"log{len(self.started)}"
        environment = dict(os.environ, PATH=f"{self.tools}:{os.environ['PATH']}", SLUICE_SOCKET=self.daemon.socket,
                           CUSTOM_ENV_CI_PROJECT_PATH="g/compiler", CUSTOM_ENV_CI_JOB_NAME="build all", **variables)
        driver = INTEGRATIONS / "gitlab-runner" if executor else ""
        with open(log, "w", encoding="utf-8") as file:
            job = subprocess.Popen([sys.executable, "-B", STAND_IN, str(driver), script], cwd=self.folder,
                                   env=environment, stdout=file, stderr=subprocess.STDOUT)
        self.addCleanup(job.wait)
        self.addCleanup(job.kill)
        self.started.append(job)
        return job, log

    def go(self):
        (self.folder / "go").touch()

    def statuses(self):
        return sorted(job.wait(60) for job in self.started)

    def test_without_it_jobs_overrun_the_host(self):
        for _ in range(4):
            self.start(runners_test.BUILD, executor=False)
        wait_for(lambda: (self.folder / "refused").exists() and
                 (self.folder / "refused").read_text().split() == ["none"] * 2)
        self.go()
        self.assertEqual(self.statuses(), [0, 0, 1, 1])

    def test_with_it_as_many_jobs_run_as_fit_and_all_succeed(self):
        logs = [self.start(runners_test.BUILD)[1] for _ in range(4)]
        wait_for(lambda: self.daemon.jobs() == (2, 2), self.daemon.jobs)
        wait_for(lambda: (self.folder / "licence1").exists() and (self.folder / "licence2").exists())
        self.assertEqual({job["key"] for job in self.daemon.ask("GET", "/v1/jobs")[1]["jobs"]},
                         {"gitlab/g/compiler/build all"})
        self.go()
        self.assertEqual(self.statuses(), [0, 0, 0, 0], [log.read_text() for log in logs])
        self.assertFalse((self.folder / "refused").exists())
        self.assertEqual(self.daemon.jobs(), (0, 0))

    def test_jobs_with_long_and_odd_names_run_under_keys_of_their_own(self):
        long = {"CUSTOM_ENV_CI_PROJECT_PATH": "ä" * 150, "CUSTOM_ENV_CI_JOB_NAME": "ö" * 150 + "\n"}
        names = [long, dict(long, CUSTOM_ENV_CI_JOB_NAME="ö" * 151), {"CUSTOM_ENV_CI_JOB_NAME": "a\tb\n"}]
        keys = set()
        (self.folder / "script").write_text('curl --silent --unix-socket "$SLUICE_SOCKET" http://sluice/v1/jobs')
        for name in names:
            environment = dict(os.environ, PATH=f"{self.tools}:{os.environ['PATH']}", SLUICE_SOCKET=self.daemon.socket,
                               **{"CUSTOM_ENV_CI_PROJECT_PATH": "g", **name})
            ran = subprocess.run([INTEGRATIONS / "gitlab-runner/run", self.folder / "script", "build_script"],
                                 env=environment, capture_output=True, text=True, check=False)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            keys |= {job["key"] for job in json.loads(ran.stdout)["jobs"]}
        self.assertEqual(len(keys), len(names), keys)

    def test_a_daemon_that_dies_half_way_ends_no_running_job(self):
        job, log = self.start(runners_test.UNTIL_GO)
        wait_for(lambda: self.daemon.jobs() == (1, 0), self.daemon.jobs)
        self.daemon.kill()
        self.go()
        self.assertEqual(job.wait(90), 0, log.read_text())

    def test_a_job_that_waits_when_the_daemon_dies_runs_and_says_so_once(self):
        self.assertEqual(self.daemon.ask("POST", "/v1/jobs", {"cost": 20})[1]["state"], "running")
        job, log = self.start("echo built")
        wait_for(lambda: self.daemon.jobs() == (1, 1), self.daemon.jobs)
        self.daemon.kill()
        self.assertEqual(job.wait(90), 0, log.read_text())
        self.assertEqual(log.read_text().count("ungoverned"), 1, log.read_text())
        self.assertIn("built", log.read_text())

    def test_without_a_daemon_jobs_run_and_say_so_once(self):
        self.daemon.kill()
        job, log = self.start("echo built")
        self.assertEqual(job.wait(90), 0, log.read_text())
        said = [line for line in log.read_text().splitlines() if "sluice" in line]
        self.assertEqual(len(said), 1, said)

    def test_without_the_command_jobs_run_and_say_so_once(self):
        (self.tools / "sluice").unlink()
        job, log = self.start("echo built", PATH_ONLY="/usr/bin:/bin")
        self.assertEqual(job.wait(60), 0)
        self.assertEqual(log.read_text().splitlines(),
                         ["sluice: this job runs without a permit: there is no command sluice", "built"])

    def test_a_script_that_fails_is_a_failed_build_with_its_status(self):
        job, log = self.start("exit 7")
        self.assertEqual(job.wait(60), 1)
        self.assertEqual(log.read_text(), "build failure 7\n")

    def test_a_job_that_can_never_run_is_a_failure_of_the_system(self):
        job, log = self.start("echo built", CUSTOM_ENV_SLUICE_COST="2000")
        self.assertEqual(job.wait(60), 2)
        self.assertIn("more than the largest window of 20", log.read_text())
        self.assertNotIn("built", log.read_text())

    def test_other_stages_do_not_wait(self):
        self.assertEqual(self.daemon.ask("POST", "/v1/jobs", {"cost": 20})[1]["state"], "running")
        done = subprocess.run([INTEGRATIONS / "gitlab-runner/run", "/dev/null", "get_sources"], check=False, timeout=30,
                              env=dict(os.environ, PATH=f"{self.tools}:{os.environ['PATH']}",
                                       SLUICE_SOCKET=self.daemon.socket))
        self.assertEqual(done.returncode, 0)

    def test_the_template_and_the_answer_to_config_are_what_the_runner_reads(self):
        template = tomllib.loads((INTEGRATIONS / "gitlab-runner/config.toml").read_text())
        runner = template["runners"][0]
        self.assertEqual(runner["executor"], "custom")
        for path in runner["custom"].values():
            here = Path(path.replace("/usr/share/sluice/integrations", str(INTEGRATIONS)))
            self.assertTrue(os.access(here, os.X_OK), here)
        answer = subprocess.run([INTEGRATIONS / "gitlab-runner/config"], check=True, capture_output=True,
                                env=dict(os.environ, PATH=f"{self.tools}:{os.environ['PATH']}"))
        self.assertRegex(json.loads(answer.stdout)["driver"]["version"], r"^\d+\.\d+")


if __name__ == "__main__":
    unittest.main()
