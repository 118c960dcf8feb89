"""Three suites of tests that need memory, at once in one memory cgroup: killed without the plug-in, passed with it."""
import os
import sys
import unittest

from pytest_world import SuiteTest
from world import SOURCE

sys.path.insert(0, str(SOURCE / "bench/lab"))
import group  # noqa: E402

MIB = 1 << 20
SUITES, WORKERS, TESTS = 3, 2, 4
# The daemon and nine Pythons hold a third of the limit; three tests fit beside them, and four do not.
LIMIT, NEEDED = 640 * MIB, 120 * MIB
CONFIG = """\
window: {law: rfc, initial: 80, minimum: 80, maximum: 80}
sensors: {load: off, cpu_pressure: off, memory_pressure: off, io_pressure: off, pids: off, starting: off, disk: off}
cost: {model: history}
service: {listen: off}
"""
EATS = f"""\
import pytest, time

@pytest.mark.parametrize("number", range({TESTS}))
def test_eats(number):
    data = b"x" * {NEEDED}
    time.sleep(2)
    assert len(data) == {NEEDED}
"""


class SmallGroup(SuiteTest):
    def setUp(self):
        super().setUp()
        try:
            self.group = group.Group(f"sluice-pytest-{os.getpid()}", LIMIT)
        except group.Impossible as problem:
            self.skipTest(str(problem))
        self.addCleanup(self.group.close)
        (self.folder / "sluice.yaml").write_text(CONFIG)
        self.suites = []
        for number in range(SUITES):
            suite = self.folder / f"suite{number}"
            suite.mkdir()
            (suite / "test_it.py").write_text(EATS)
            self.suites.append(suite)

    def run_all(self, *options):
        """How the suites end that start at once: [(status, output)], and how many processes were killed."""
        before = self.group.oom_kills()
        runs = [self.start_pytest("-n", str(WORKERS), *options, suite=suite, preexec_fn=self.group.enter)
                for suite in self.suites]
        ends = [self.finished(run) for run in runs]
        return ends, self.group.oom_kills() - before

    def test_kills_tests_without_permits_and_none_with_them(self):
        ends, kills = self.run_all()
        self.assertGreater(kills, 0, ends)
        self.assertTrue(any(status != 0 for status, _ in ends), ends)

        self.start_daemon(preexec_fn=self.group.enter)
        for known in (False, True):
            ends, kills = self.run_all("--sluice")
            for status, output in ends:
                self.assertEqual(status, 0, output)
                self.assertIn(f"{TESTS} passed", output)
                self.assertIn(f"sluice: {TESTS} tests on permits", output)
            self.assertEqual(kills, 0, f"known: {known}")


if __name__ == "__main__":
    unittest.main()
