"""Commands that the Python client runs on permits of their own, and a governor of its own."""
import os
import signal
import subprocess
import sys
import threading
import unittest
from pathlib import Path

import sluice
from world import COMMAND, DaemonTest, wait_for


class Run(DaemonTest):
    def setUp(self):
        super().setUp()
        self.start_daemon()
        self.client = sluice.Client(self.place)
        self.addCleanup(self.client.close)

    def ended(self):
        """The job of the command that ended last."""
        submitted = self.ask("GET", "/v1/status")["counters"]["submitted"]
        return self.job(submitted)

    def test_is_subprocess_run_on_a_permit(self):
        done = self.client.run(["sh", "-c", "cat; echo $NAME >&2; exit 3"], input="in", capture_output=True,
                               text=True, key="k", queue="nightly", env={"NAME": "n", "PATH": os.environ["PATH"]})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "in", "n\n"))
        job = self.ended()
        self.assertEqual((job["key"], job["queue"], job["program"], job["outcome"]), ("k", "nightly", "sh", "failed"))
        self.assertEqual(self.client.run([Path("/bin/true")], cwd="/").returncode, 0)
        self.assertEqual((self.ended()["program"], self.ended()["outcome"]), ("true", "ok"))
        self.assertEqual(self.jobs(), (0, 0))

    def test_raises_as_subprocess_run_does(self):
        with self.assertRaises(subprocess.CalledProcessError) as caught:
            self.client.run(["sh", "-c", "echo out; exit 4"], check=True, capture_output=True)
        self.assertEqual((caught.exception.returncode, caught.exception.output), (4, b"out\n"))
        with self.assertRaises(FileNotFoundError):
            self.client.run(["/no/such/program"])
        self.assertEqual(self.ended()["outcome"], "cancelled")
        with self.assertRaises(subprocess.TimeoutExpired) as caught:
            self.client.run(["sh", "-c", "echo out; exec sleep 1000"], timeout=0.5, capture_output=True)
        self.assertEqual(caught.exception.timeout, 0.5)
        self.assertEqual(self.ended()["outcome"], "cancelled")
        with self.assertRaisesRegex(TypeError, "no_such_option"):
            self.client.run(["true"], no_such_option=1)
        with self.assertRaisesRegex(ValueError, "^stdin and input"):
            self.client.run(["true"], stdin=0, input=b"")
        self.assertEqual(self.jobs(), (0, 0))

    def test_waits_until_the_command_fits(self):
        file = self.folder / "ran"
        with self.client.permit(cost=20):
            thread = threading.Thread(target=lambda: self.client.run(["touch", file], cost=20))
            thread.start()
            self.wait_for_jobs(1, 1)
            self.assertFalse(file.exists())
        thread.join(60)
        self.assertTrue(file.exists())

    def test_tells_the_daemon_which_process_it_is(self):
        code = "import time; held = b'x' * (64 << 20); time.sleep(1000)"
        thread = threading.Thread(target=lambda: self.client.run([sys.executable, "-c", code],
                                                                 stdout=subprocess.DEVNULL))
        thread.start()
        self.wait_for_jobs(1, 0)
        number = self.ask("GET", "/v1/jobs")["jobs"][0]["number"]
        job = self.job(number)
        self.assertEqual((job["measured"], job["lease"]["pid"]), (True, os.getpid()))

        def usage():
            return self.job(number)["usage"] or {"memory": 0, "source": None}

        wait_for(lambda: usage()["memory"] > 64 << 20, usage)
        self.assertEqual(usage()["source"], "processes")
        children = Path(f"/proc/self/task/{thread.native_id}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)
        thread.join(60)
        self.assertEqual(self.job(number)["outcome"], "failed")

    def test_gives_the_command_its_permit_and_items(self):
        done = self.client.run(["env"], capture_output=True, text=True, resources={"db": 1})
        found = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
        self.assertIn(found["SLUICE_RM_DB_ITEMS"], {"one", "two"})
        self.assertEqual(found["SLUICE_PERMIT_SOCKET"], self.place)
        self.assertTrue(found["SLUICE_PERMIT"] and found["SLUICE_PERMIT_POINTS"])
        self.assertNotIn("SLUICE_PERMIT", os.environ)

    def test_goes_on_when_the_daemon_dies(self):
        done = []
        thread = threading.Thread(target=lambda: done.append(self.client.run(["sleep", "1"])))
        thread.start()
        self.wait_for_jobs(1, 0)
        self.kill_daemon()
        thread.join(60)
        self.assertEqual(done[0].returncode, 0)


class Governor(DaemonTest):
    def governor(self, **options):
        governor = sluice.Governor(program=COMMAND, state_dir=self.folder, **options)
        self.addCleanup(governor.__exit__, None, None, None)
        return governor

    def test_is_a_daemon_of_the_program_alone(self):
        governor = self.governor(config=self.folder / "sluice.yaml")
        with governor:
            with governor.permit(cost=20):
                self.assertEqual(governor.status()["jobs"]["running"], 1)
            self.assertEqual(governor.run(["true"]).returncode, 0)
            self.assertIsNone(governor.status()["listen"])
            daemon = governor._daemon.process
        self.assertIsNotNone(daemon.returncode)
        self.assertFalse(os.path.exists(governor._daemon.folder))

    def test_starts_again_when_its_daemon_died(self):
        governor = self.governor()
        with governor.permit():
            pass
        governor._daemon.process.kill()
        governor._daemon.process.wait()
        with governor.permit() as permit:
            self.assertTrue(permit.is_governed)

    def test_starts_again_when_its_daemon_is_still_stopping(self):
        slow = self.folder / "slow"
        # A signal to the shell reaches the daemon, and the shell outlives it.
        slow.write_text(f"#!/bin/sh\n'{COMMAND}' \"$@\" & echo $! > {self.folder}/pid\ntrap \"kill $!\" TERM\n"
                        "while kill -0 $! 2> /dev/null; do wait $!; done\nsleep 0.5\n")
        slow.chmod(0o755)
        governor = sluice.Governor(program=slow, state_dir=self.folder)
        self.addCleanup(governor.__exit__, None, None, None)
        with governor.permit():
            pass
        first = governor._daemon.process
        os.kill(int((self.folder / "pid").read_text()), signal.SIGTERM)
        wait_for(lambda: not os.path.exists(governor._daemon.socket))
        self.assertIsNone(first.poll(), "it has ended already")
        with governor.permit() as permit:
            self.assertTrue(permit.is_governed)
        self.assertIsNot(governor._daemon.process, first)

    def start_program(self, code):
        """A program with a governor, and with a process group that Ctrl-C can reach."""
        text = f"import sluice, time\ngovernor = sluice.Governor(program={COMMAND!r})\n" + code
        program = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True,
                                   start_new_session=True, env=dict(os.environ, XDG_STATE_HOME=str(self.folder)))
        self.addCleanup(program.stdout.close)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        return program

    def test_outlives_ctrl_c(self):
        program = self.start_program(
            "with governor.permit(): pass\n"
            "before = governor._daemon.process.pid\n"
            "try:\n  print('ready', flush=True)\n  time.sleep(1000)\n"
            "except KeyboardInterrupt: pass\n"
            "for _ in range(20):\n  time.sleep(0.01)\n  assert governor.permit().__enter__().is_governed\n"
            "print(governor._daemon.process.pid == before)\n")
        self.assertEqual(program.stdout.readline(), "ready\n")
        os.killpg(program.pid, signal.SIGINT)
        self.assertEqual(program.communicate(timeout=60)[0], "True\n")

    def test_that_is_not_closed_ends_with_its_program(self):
        program = self.start_program("with governor.permit(): print(governor._daemon.process.pid, flush=True)\n")
        daemon = int(program.stdout.readline())
        self.assertEqual(program.wait(60), 0)
        self.assertFalse(os.path.exists(f"/proc/{daemon}"))

    def test_is_started_once_by_threads_that_need_it_at_the_same_time(self):
        governor = self.governor()
        failed, daemons = [], set()

        def work():
            try:
                with governor.permit(cost=1):
                    daemons.add(governor._daemon.process.pid)
            except sluice.SluiceError as error:
                failed.append(error)
        for _ in range(2):
            threads = [threading.Thread(target=work) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
            governor._daemon.process.kill()
            governor._daemon.process.wait()
        self.assertEqual((failed, len(daemons)), ([], 2))

    def test_outlives_a_forked_child_that_ends_its_block(self):
        for ends_by_block in (True, False):
            with self.subTest(ends_by_block=ends_by_block), self.governor() as governor:
                with governor.permit():
                    pass
                child = os.fork()
                if child == 0:
                    try:
                        if ends_by_block:
                            governor.__exit__(None, None, None)
                        else:
                            governor._remove()
                    finally:
                        os._exit(0)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
                governor._idle.clear()
                with governor.permit() as permit:
                    self.assertTrue(permit.is_governed)

    def test_cannot_be_used_after_its_block(self):
        with self.governor() as governor:
            pass
        with self.assertRaisesRegex(sluice.NoDaemon, "this governor's block has ended"):
            governor.status()

    def test_says_why_its_daemon_does_not_start(self):
        (self.folder / "sluice.yaml").write_text("windw: {}\n")
        with self.assertRaisesRegex(sluice.NoDaemon, r"ended with status 2: .*unknown key `windw`"):
            self.governor(config=self.folder / "sluice.yaml").status()
        governor = sluice.Governor(program="/no/such/program")
        self.addCleanup(governor.__exit__, None, None, None)
        with self.assertRaisesRegex(sluice.NoDaemon, "cannot start /no/such/program: No such file"):
            governor.status()


if __name__ == "__main__":
    unittest.main()
