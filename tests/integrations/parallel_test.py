"""What GNU parallel's `--limit` says without a daemon, asked by a shell in parallel's place; memory_test.py has the
real one."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from daemons import INTEGRATIONS

LIMIT = INTEGRATIONS / "parallel/limit"
LINE = "sluice: jobs start without a limit: no daemon at /no/such/socket\n"


class LimitWithoutDaemon(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sluice-limit-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.marks = self.folder / f"sluice-limit-{os.geteuid()}"

    def said(self, before=""):
        """By a shell that asks twice."""
        environment = dict(os.environ, SLUICE_SOCKET="/no/such/socket", TMPDIR=str(self.folder))
        environment.pop("XDG_RUNTIME_DIR", None)
        done = subprocess.run(["sh", "-c", f"{before}\n{LIMIT} && {LIMIT} && echo starts"], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, "starts\n"))
        return done.stderr

    def test_is_said_once_to_each_and_leaves_no_marks_of_those_that_ended(self):
        for _ in range(3):
            self.assertEqual(self.said(), LINE)
        self.assertEqual(os.listdir(self.folder), [self.marks.name])
        self.assertEqual(len(os.listdir(self.marks)), 1)

    def test_is_said_although_another_process_had_the_same_number(self):
        self.assertEqual(self.said(f"mkdir -p {self.marks}/$$-0 {self.folder}/sluice-limit-$$"), LINE)

    def test_is_said_although_somebody_else_has_the_place(self):
        (self.folder / "elsewhere").mkdir()
        self.marks.symlink_to(self.folder / "elsewhere")
        self.assertEqual(self.said(), 2 * LINE)
        self.assertEqual(os.listdir(self.folder / "elsewhere"), [])
        self.marks.unlink()
        self.marks.touch()
        self.assertEqual(self.said(), 2 * LINE)


if __name__ == "__main__":
    unittest.main()
