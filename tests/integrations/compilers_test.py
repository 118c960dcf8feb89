"""cargo, go and javac themselves below `sluice build`, with a daemon whose window has room for two jobs."""
import json
import subprocess
import time
import unittest

from builds import ONE_AT_ONCE, BuildTest
from daemons import COMMAND

CRATES = ("a", "b", "c", "d", "e", "f")
# Takes rustc a second or two.
FUNCTION = """\
pub fn f{number}(words: Vec<String>) -> std::collections::HashMap<String, usize> {{
    words.into_iter().enumerate().map(|(at, word)| (format!("{{word}}{number}"), at)).collect()
}}
"""
CRATE = '[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n'
# Of the package "own" with the file of that name, which its compiler makes before it waits for the other's.
GO_TEST = """\
package {own}

import (
\t"os/exec"
\t"testing"
)

func TestBoth(t *testing.T) {{
\tif said, err := exec.Command("../cc1", "../done_{own}", "../done_{other}").CombinedOutput(); err != nil {{
\t\tt.Fatalf("%v: %s", err, said)
\t}}
}}
"""
COMPILER = """\
#!/usr/bin/python3
import os, sys, time
while time.process_time() < 0.4: pass
open(sys.argv[1], "w").close()
until = time.monotonic() + 60
while time.monotonic() < until and not os.path.exists(sys.argv[2]):
    for i in range(100000): pass
sys.exit(0 if os.path.exists(sys.argv[2]) else 1)
"""
GO_MAIN = 'package main\n\nimport (\n\t"net/http"\n{imports}\n)\n\nfunc main() {{ println(http.StatusOK, {sum}) }}\n'


class CompilersTest(BuildTest):
    def setUp(self):
        super().setUp()
        # go ignores a module in the folder for temporary files itself.
        temporary = self.folder / "tmp"
        temporary.mkdir()
        self.environment.update(GOCACHE=str(self.folder / "gocache"), TMPDIR=str(temporary))


class Compilers(CompilersTest):
    def assert_held_back(self, end, program, least):
        """At least so many runs of the program had a permit, never more than two at once, none without."""
        self.assertGreaterEqual(len(self.runs_of(end, program)), least, end)
        self.assertEqual(end["most_running"], 2, end)
        self.assertGreaterEqual(end["most_held"], 1, end)
        self.assert_none_without_permit(end)

    def write_crates(self):
        self.write("Cargo.toml", f"[workspace]\nmembers = {json.dumps(CRATES)}\n")
        for name in CRATES:
            self.write(f"{name}/Cargo.toml", CRATE.format(name=name))
            self.write(f"{name}/src/lib.rs", "".join(FUNCTION.format(number=number) for number in range(100)))

    def test_each_rustc_of_cargo_has_a_permit(self):
        self.write_crates()
        end = self.build("cargo", "build", "--offline")
        self.assertEqual(end["runs"], len(CRATES), end)
        self.assert_held_back(end, "rustc", len(CRATES))

    def test_two_cargo_in_one_target_folder_take_no_longer_than_without(self):
        self.write_crates()
        took = []
        for prefix in ([], [COMMAND, "build", "--"]):
            start = time.monotonic()
            both = [self.start(*prefix, "cargo", "build", "--offline", *options) for options in ([], ["--release"])]
            for process in both:
                said = process.communicate(timeout=300)[1]
                self.assertEqual(process.returncode, 0, said)
            took.append(time.monotonic() - start)
            subprocess.run(["rm", "-r", self.folder / "target"], check=True)
        self.assertLess(took[1], took[0] + 5, took)

    def test_each_compile_and_link_of_go_has_a_permit(self):
        self.write("go.mod", "module m\n\ngo 1.19\n")
        for name in CRATES:
            functions = "".join(f"func F{number}(i int) string {{ return strconv.Itoa(i + {number}) }}\n"
                                for number in range(2000))
            self.write(f"{name}/{name}.go", f'package {name}\n\nimport "strconv"\n\n{functions}')
        self.write("main.go", GO_MAIN.format(imports="\n".join(f'\t"m/{name}"' for name in CRATES),
                                             sum=" + ".join(f"{name}.F1(1)" for name in CRATES)))
        end = self.build("go", "build", "-p", "8", "-o", "program", ".")
        self.assert_held_back(end, "compile", len(CRATES))
        self.assertIn("link", [job["name"].split()[0] for job in end["heaviest"]], end)

    def test_each_javac_of_make_has_a_permit(self):
        names = ("A", "B", "C", "D")
        for name in names:
            self.write(f"{name}.java", f"public class {name} {{}}\n")
        self.write("Makefile", f"all: {' '.join(f'{name}.class' for name in names)}\n%.class: %.java\n\tjavac $<\n")
        end = self.build("make", "-j4")
        self.assertEqual(end["runs"], len(names), end)
        self.assert_held_back(end, "javac", 3)


class TestsBelowAClock(CompilersTest):
    """With room for one job."""
    config = ONE_AT_ONCE + "build: {timed_hold: 100ms}\n"

    def test_of_go_test_each_program_goes_on_after_the_longest_hold(self):
        self.write("go.mod", "module m\n\ngo 1.19\n")
        for own, other in ("ab", "ba"):
            self.write(f"{own}/{own}_test.go", GO_TEST.format(own=own, other=other))
        self.write("cc1", COMPILER)
        (self.folder / "cc1").chmod(0o755)
        end = self.build("go", "test", "-p", "2", "./...")
        # Neither compiler ends before the other one has run, too.
        self.assertGreaterEqual(end["beyond"]["clock"], 1, end)
        self.assertEqual(end["beyond"]["stall"], 0, end)


if __name__ == "__main__":
    unittest.main()
