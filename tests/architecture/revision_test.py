"""Which commit a build says it is of: cmake/revision.cmake."""

import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "cmake/revision.cmake"


def git(folder, *arguments):
    identity = ("-c", "user.name=test", "-c", "user.email=test@localhost")
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, check=True,
                          capture_output=True, text=True)
    return done.stdout.strip()


class Revision(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = pathlib.Path(folder.name) / "source"
        self.source.mkdir()
        self.output = pathlib.Path(folder.name) / "revision.cpp"

    def commit(self):
        git(self.source, "init", "--quiet")
        (self.source / "file").write_text("one\n")
        git(self.source, "add", "file")
        git(self.source, "commit", "--quiet", "--message", "one")
        return git(self.source, "rev-parse", "--short=12", "HEAD")

    def written(self, given=""):
        subprocess.run(["cmake", f"-DSOURCE={self.source}", f"-DREVISION={given}",
                        f"-DOUTPUT={self.output}", "-P", SCRIPT], check=True)
        return self.output.read_text().split('return "')[1].split('"')[0]

    def test_is_unknown_in_a_tarball(self):
        self.assertEqual(self.written(), "unknown")

    def test_is_the_commit_in_a_working_tree(self):
        commit = self.commit()
        self.assertEqual(self.written(), commit)

    def test_says_where_the_tree_differs_from_the_commit(self):
        commit = self.commit()
        (self.source / "file").write_text("two\n")
        self.assertEqual(self.written(), f"{commit}-dirty")

    def test_is_what_the_packager_gives_even_in_a_working_tree(self):
        self.commit()
        self.assertEqual(self.written("1.2-3~deb1"), "1.2-3~deb1")

    def test_does_not_break_the_source_that_holds_it(self):
        self.assertEqual(self.written('a"; int b; //'), "aintb")

    def test_is_not_written_again_where_it_has_not_changed(self):
        self.commit()
        self.written()
        before = self.output.stat().st_mtime_ns
        self.written()
        self.assertEqual(self.output.stat().st_mtime_ns, before)


if __name__ == "__main__":
    unittest.main()
