"""debian/ says what the rest of the project says. ./test package builds and installs the packages."""

import pathlib
import re
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DEBIAN = SOURCE / "debian"


def field(name):
    """A field of the source package, which is the first paragraph of debian/control."""
    paragraph = (DEBIAN / "control").read_text().split("\n\n")[0]
    return re.search(rf"^{name}: (.*(?:\n .*)*)", paragraph, re.MULTILINE)[1]


def list_of_setup(name):
    text = (SOURCE / "scripts/setup.sh").read_text()
    return set(re.search(rf"^{name}=\(([^)]*)\)", text, re.MULTILINE)[1].split())


class Packages(unittest.TestCase):
    def test_have_the_version_of_the_library(self):
        header = (SOURCE / "include/sluice/version.h").read_text()
        version = re.search(r'kVersion = "(.*)"', header)[1]
        newest = (DEBIAN / "changelog").read_text().splitlines()[0]
        self.assertTrue(newest.startswith(f"sluice (1:{version}) "), newest)
        self.assertRegex((SOURCE / "CHANGELOG.md").read_text(), rf"(?m)^## {re.escape(version)}$")

    def test_are_built_with_what_a_build_installs(self):
        named = {re.split(r"[ |(]", each.strip())[0] for each in field("Build-Depends").split(",") if each.strip()}
        self.assertLessEqual(list_of_setup("build_packages"), named)
        self.assertLessEqual(named - {"debhelper-compat", "libboost1.81-dev"},
                             list_of_setup("build_packages") | list_of_setup("package_packages"))

    def test_have_one_maintainer(self):
        signed = set(re.findall(r"^ -- (.*>)  ", (DEBIAN / "changelog").read_text(), re.MULTILINE))
        self.assertEqual(signed, {field("Maintainer")})


class Release(unittest.TestCase):
    def run_release(self, *arguments):
        return subprocess.run([SOURCE / "release", *arguments], capture_output=True, text=True, check=False, timeout=30)

    def test_explains_itself(self):
        done = self.run_release("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("deb [trusted=yes] file:", done.stdout)

    def test_says_what_is_wrong_with_a_call(self):
        for arguments in (["--output"], ["--nonsense"]):
            with self.subTest(arguments):
                done = self.run_release(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertIn("see ./release --help", done.stderr)

    def test_empties_no_folder_of_other_files(self):
        done = self.run_release("--output", SOURCE / "docs")
        self.assertEqual(done.returncode, 1)
        self.assertIn("has files", done.stderr)
        self.assertTrue((SOURCE / "docs/design.md").exists())


if __name__ == "__main__":
    unittest.main()
