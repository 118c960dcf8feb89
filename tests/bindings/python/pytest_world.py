"""A suite of tests that a real pytest runs with the plug-in."""
import functools
import os
import subprocess
import sys

from world import CONFIG, PACKAGE, DaemonTest

LEARNING = CONFIG + "cost: {model: history}\n"


@functools.lru_cache
def interpreter():
    """The Python for which pytest and xdist are installed: Debian's, where another one comes first."""
    for program in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([program, "-c", "import pytest, xdist"], stderr=subprocess.DEVNULL).returncode == 0:
            return program
    raise AssertionError("no pytest with xdist: install python3-pytest and python3-pytest-xdist")


class SuiteTest(DaemonTest):
    def setUp(self):
        super().setUp()
        self.suite = self.folder / "project"
        self.suite.mkdir()
        (self.folder / "sluice.yaml").write_text(LEARNING)

    def start_daemon(self, *options, **popen):
        super().start_daemon("--state-dir", self.folder / "state", *options, **popen)

    def write(self, text, name="test_it.py"):
        (self.suite / name).write_text(text)

    def start_pytest(self, *options, suite=None, **popen):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("SLUICE", "PYTEST"))}
        environment.update(PYTHONPATH=str(PACKAGE), SLUICE_SOCKET=self.place)
        # `-p` does what the entry point of the installed package does.
        words = [interpreter(), "-B", "-m", "pytest", "-p", "sluice.pytest_plugin", "-p", "no:cacheprovider",
                 "--rootdir", ".", *options]
        return subprocess.Popen(words, cwd=suite or self.suite, env=environment, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **popen)

    def finished(self, run):
        with run:
            try:
                output, _ = run.communicate(timeout=200)
            finally:
                run.kill()
        return run.returncode, output

    def passed(self, *options):
        """What pytest says, which must end with success."""
        status, output = self.finished(self.start_pytest(*options))
        self.assertEqual(status, 0, output)
        return output
