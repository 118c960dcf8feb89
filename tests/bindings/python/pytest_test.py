"""The plug-in for pytest: the real pytest and xdist with a real daemon."""
import os
import unittest
import urllib.parse

import sluice
from pytest_world import LEARNING, SuiteTest
from world import COMMAND, soon, wait_for

MIB = 1 << 20
LEAKS = """\
import pytest
held = []

@pytest.fixture(scope="session", autouse=True)
def server():
    yield
    open("torn_down", "a").write("x")

@pytest.mark.parametrize("number", range(4))
def test_leaks(number):
    held.append(b"x" * (60 << 20))
"""


class Workers(SuiteTest):
    def test_are_as_many_as_fit(self):
        # Room for one: fewer than xdist starts on most hosts.
        (self.folder / "sluice.yaml").write_text(LEARNING.replace("20", "1"))
        self.write('import os\ndef test_it(): open("workers", "w").write(os.environ["PYTEST_XDIST_WORKER_COUNT"])\n')
        self.start_daemon()
        fit = self.ask("GET", "/v1/fit?program=pytest%3Aproject")["jobs"]
        self.passed("--sluice", "-n", "auto")
        self.assertEqual((self.suite / "workers").read_text(), str(fit))
        self.assertEqual(fit, 1)

    def test_that_stay_large_are_replaced_and_no_test_is_lost(self):
        self.write(LEAKS)
        self.start_daemon()
        output = self.passed("--sluice", "-n", "1", "-o", "sluice_restart=40MiB")
        self.assertIn("4 passed", output)
        self.assertIn("2 workers restarted for their memory", output)
        self.assertEqual((self.suite / "torn_down").read_text(), "xxx", "fixtures of all three end")

    def test_are_not_replaced_if_that_is_off_or_xdist_may_not(self):
        self.write(LEAKS)
        self.start_daemon()
        for options in (["-o", "sluice_restart=0"], ["-o", "sluice_restart=40MiB", "--max-worker-restart=0"],
                        ["-o", "sluice_restart=40MiB", "--dist", "loadfile"]):
            output = self.passed("--sluice", "-n", "1", *options)
            self.assertIn("4 passed", output)
            self.assertNotIn("restarted", output)

    def test_that_crash_still_fail_their_test(self):
        self.write("import os\ndef test_it(): os._exit(1)\ndef test_other(): pass\n")
        self.start_daemon()
        status, output = self.finished(self.start_pytest("--sluice", "-n", "1", "-o", "sluice_restart=1MiB"))
        self.assertEqual(status, 1, output)
        self.assertIn("1 failed, 1 passed", output)


class Tests(SuiteTest):
    def test_wait_until_there_is_room(self):
        self.write('def test_it(): open("ran", "w")\n')
        self.start_daemon()
        with sluice.Client(self.place) as client, client.permit(cost=20):
            run = self.start_pytest("--sluice")
            self.wait_for_jobs(1, 1)
            self.assertFalse((self.suite / "ran").exists())
        status, output = self.finished(run)
        self.assertEqual(status, 0, output)
        self.assertIn("sluice: 1 tests on permits", output)

    def test_with_a_marker_that_has_no_keyword_fail_and_name_it(self):
        self.write('import pytest\n@pytest.mark.sluice("2GiB")\ndef test_it(): pass\n')
        self.start_daemon()
        status, output = self.finished(self.start_pytest("--sluice"))
        self.assertNotEqual(status, 0, output)
        self.assertIn('the marker sluice takes keywords alone, such as memory="2GiB"', output)

    def test_hold_nothing_while_they_wait(self):
        self.write("import os, pytest\npytestmark = pytest.mark.sluice(cost=20)\n"
                   '@pytest.mark.parametrize("number", range(6))\n'
                   "def test_is_alone(number):\n"
                   '    os.close(os.open("running", os.O_CREAT | os.O_EXCL))\n'
                   '    os.remove("running")\n')
        self.start_daemon()
        self.assertIn("6 passed", self.passed("--sluice", "-n", "3"))

    def expected_of(self, test):
        """What its runs teach, in bytes."""
        fit = self.ask("GET", "/v1/fit?key=" + urllib.parse.quote(f"pytest:project:test_it.py::{test}", safe=""))
        self.assertEqual(fit["rung"], "key", fit)
        return fit["memory"]

    def test_teach_how_much_they_need(self):
        self.write("def test_grows(): bytearray(b'x' * (100 << 20))\ndef test_is_small(): pass\n")
        self.start_daemon()
        self.passed("--sluice")
        growth = self.expected_of("test_grows") - self.expected_of("test_is_small")
        self.assertTrue(90 * MIB <= growth <= 300 * MIB, growth)

    def test_need_their_growth_over_what_their_worker_holds_already(self):
        self.write("import os, time\n"
                   "held = []\n"
                   "def test_first():\n    if os.path.exists('second'): held.append(b'x' * (100 << 20))\n"
                   "def test_small():\n"
                   "    open('ready', 'w')\n"
                   "    while os.path.exists('ready'): time.sleep(0.01)\n")
        self.start_daemon()
        declared = []
        for _ in range(2):
            run = self.start_pytest("--sluice")
            wait_for((self.suite / "ready").exists)
            job, = self.ask("GET", "/v1/jobs")["jobs"]
            declared.append(job["prediction"]["memory"]["mean"] if job["prediction"]["memory"] else 0)
            (self.suite / "second").touch()
            (self.suite / "ready").unlink()
            self.assertEqual(self.finished(run)[0], 0)
        self.assertGreaterEqual(declared[1], 110 * MIB, declared)

    def test_count_what_their_processes_hold(self):
        self.write("import subprocess, sys\n"
                   "def test_it(): subprocess.run([sys.executable, '-c',\n"
                   "    'import time; held = b\"x\" * (60 << 20); print(time.sleep(3))'], check=True)\n")
        self.start_daemon()
        self.passed("--sluice")
        self.assertGreaterEqual(self.expected_of("test_it"), 60 * MIB)

    def test_lend_their_permit_to_what_they_start(self):
        words = [COMMAND, "run", "--cost", "20", "true"]
        self.write("import pytest, subprocess\n@pytest.mark.sluice(cost=20)\n"
                   f"def test_it(): subprocess.run({words}, check=True, timeout=60)\n")
        self.start_daemon()
        self.passed("--sluice")

    def test_are_left_alone_unless_that_is_asked_for(self):
        self.write("def test_it(): pass\n")
        self.start_daemon()
        self.assertNotIn("sluice:", self.passed())
        (self.suite / "pytest.ini").write_text("[pytest]\nsluice = true\n")
        self.assertIn("sluice: 1 tests on permits", self.passed())
        self.assertNotIn("sluice:", self.passed("--no-sluice"))

    def test_with_names_that_no_key_can_have_have_keys(self):
        self.write("import pytest\n@pytest.mark.parametrize('text', ['x' * 400, 'x' * 401, 'a\\tb'])\n"
                   "def test_it(text): pass\n")
        self.start_daemon()
        self.assertIn("sluice: 3 tests on permits", self.passed("--sluice"))

    def test_that_declare_nonsense_are_not_run(self):
        self.start_daemon()
        for declared, said in (("memry='1GiB'", "memry"), ("memory=-1", "memory must be"),
                               ("cost='much'", "cost must")):
            self.write(f"import pytest\n@pytest.mark.sluice({declared})\ndef test_it(): pass\n")
            status, output = self.finished(self.start_pytest("--sluice"))
            self.assertEqual(status, 4, output)
            self.assertIn(said, output)

    def test_that_declare_nonsense_fail_alone_in_workers(self):
        self.start_daemon()
        self.write("import pytest\n@pytest.mark.sluice(cost=0)\ndef test_it(): pass\ndef test_other(): pass\n")
        status, output = self.finished(self.start_pytest("--sluice", "-n", "2"))
        self.assertEqual(status, 1, output)
        self.assertIn("ERROR at setup of test_it", output)
        self.assertIn("cost must be from 1 to 16777215, not 0", output)
        self.assertIn("1 passed, 1 error", output)
        self.assertIn("sluice: 1 tests on permits", output)
        self.assertNotIn("without a permit", output)


class WithoutDaemon(SuiteTest):
    def test_tests_run_and_that_is_said_once(self):
        self.write("import pytest\n@pytest.mark.parametrize('number', range(8))\ndef test_it(number): pass\n")
        for options in ([], ["-n", "2"], ["-n", "auto"]):
            output = self.passed("--sluice", *options)
            self.assertIn("8 passed", output)
            self.assertEqual(output.count("sluice: 8 tests without a permit: no sluice daemon found"), 1, output)
            self.assertEqual(output.count("no sluice daemon found"), 1, output)

    def test_tests_go_on_when_it_dies_half_way(self):
        self.write("import os, time\ndef test_first(): pass\n"
                   "def test_second():\n"
                   "    open('ready', 'w')\n"
                   "    while os.path.exists('ready'): time.sleep(0.01)\n"
                   "def test_third(): pass\n")
        self.start_daemon()
        run = self.start_pytest("--sluice")
        wait_for((self.suite / "ready").exists)
        self.kill_daemon()
        os.remove(self.suite / "ready")
        status, output = self.finished(run)
        self.assertEqual(status, 0, output)
        self.assertIn("sluice: 2 tests on permits", output)
        self.assertIn("sluice: 1 tests without a permit: no sluice daemon found", output)

    def test_tests_go_on_when_it_hangs(self):
        self.start_daemon()
        self.write(f"import os, signal\ndef test_it(): os.kill({self.daemon.pid}, signal.SIGSTOP)\n")
        with soon():
            self.assertIn("1 passed", self.passed("--sluice"))


if __name__ == "__main__":
    unittest.main()
