"""Daemons that a build leaves behind: sccache's, watchman and gradle's. They go on, and nobody governs them any more.

Their compiles for a later build are not below it, so they have no permit of that build.
"""
import os
import signal
import socket
import subprocess
import time
import unittest
from pathlib import Path

from builds import ONE_AT_ONCE, BuildTest
from daemons import wait_for

# Of equal files sccache compiles one.
FUNCTION = "int {name}{number}(int a) {{ return a * a + {number}; }}\n"
CRATE = '[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n'
NAMES = ("a", "b", "c")


class LeftDaemon(BuildTest):
    def end_at_exit(self, process):
        def end():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.addCleanup(end)

    def assert_let_go(self, process):
        """It lives, and is neither stopped, nor traced, nor charged."""
        wait_for(lambda: self.daemon.jobs() == (0, 0), lambda: self.daemon.ask("GET", "/v1/jobs"))
        facts = dict(line.split(":\t", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
        self.assertNotIn(facts["State"][0], "tTZX", facts)
        self.assertEqual(facts["TracerPid"], "0", facts)

    def only(self, program):
        found = self.processes(program)
        self.assertEqual(len(found), 1, found)
        self.end_at_exit(found[0])
        return found[0]

    def write_functions(self, name, count, first=0):
        self.write(f"{name}.c", "".join(FUNCTION.format(name=name, number=number)
                                        for number in range(first, first + count)))


class Sccache(LeftDaemon):
    config = ONE_AT_ONCE

    def setUp(self):
        super().setUp()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.environment["SCCACHE_SERVER_PORT"] = str(free.getsockname()[1])
        self.environment["SCCACHE_DIR"] = str(self.folder / "cache")
        self.addCleanup(subprocess.run, ["sccache", "--stop-server"], env=self.environment, check=False,
                        capture_output=True)

    def test_compiles_for_the_build_that_started_it_and_later_for_nobody(self):
        # Of three clients that start a server at once, one may fail.
        self.write("Makefile", "all: a.o b.o c.o\n%.o: %.c server\n\tsccache gcc -O2 -c $< -o $@\n"
                               "server:\n\tsccache --start-server\n\ttouch $@\n")
        for name in NAMES:
            self.write_functions(name, 500)
        first = self.build("make", "-j3")
        server = self.only("sccache")
        self.assert_let_go(server)
        self.assertEqual(len(self.runs_of(first, "cc1")), 3, first)
        self.assertEqual(first["most_running"], 1, first)
        for name in NAMES:
            self.write_functions(name, 500, 1000)
        second = self.build("make", "-j3")
        self.assertEqual((second["runs"], second["most_held"]), (0, 0), second)
        self.assertIn(b"a1000", (self.folder / "a.o").read_bytes())
        self.assertEqual(self.only("sccache"), server)
        self.assert_let_go(server)

    def test_compiles_of_a_build_that_has_ended_go_on(self):
        for name in NAMES:
            self.write_functions(name, 4000)
        compiles = "sccache --start-server; " + "".join(f"sccache gcc -O2 -c {name}.c -o {name}.o 2>/dev/null & " for name in NAMES)
        building = self.start_build("sh", "-c", compiles + "until [ -e over ]; do sleep 0.05; done")
        wait_for(lambda: self.daemon.jobs()[1] > 0)
        over = time.monotonic()
        (self.folder / "over").touch()
        self.end_of(building)
        self.assertLess(time.monotonic() - over, 5)
        wait_for(lambda: self.daemon.jobs() == (0, 0))
        wait_for(lambda: all((self.folder / f"{name}.o").exists() for name in NAMES))
        wait_for(lambda: len(self.processes("sccache")) == 1)
        self.assert_let_go(self.only("sccache"))

    def test_wraps_rustc_for_the_build_that_started_it(self):
        self.write("Cargo.toml", '[workspace]\nmembers = ["a", "b", "c"]\n')
        for name in NAMES:
            self.write(f"{name}/Cargo.toml", CRATE.format(name=name))
            self.write(f"{name}/src/lib.rs", f"pub fn {name}() -> String {{ 1.to_string() }}\n")
        # sccache's client itself compiles incrementally.
        self.environment.update({"RUSTC_WRAPPER": "sccache", "CARGO_INCREMENTAL": "0"})
        first = self.build("sh", "-c", "sccache --start-server && cargo build --offline")
        server = self.only("sccache")
        # sccache also asks it for the names of files.
        self.assertGreaterEqual(len(self.runs_of(first, "rustc")), 3, first)
        self.assert_let_go(server)
        second = self.build("cargo", "build", "--offline", "--release")
        self.assertEqual(second["runs"], 0, second)
        self.assertEqual(self.only("sccache"), server)
        self.assert_let_go(server)


class Watchman(LeftDaemon):
    config = ONE_AT_ONCE

    def test_takes_no_permit_from_the_build_that_started_it(self):
        self.environment["USER"] = "builder"
        self.write_functions("a", 500)
        first = self.build("sh", "-c", "watchman watch . && sleep 0.3 && gcc -O2 -c a.c")
        server = self.only("watchman")
        self.assert_let_go(server)
        self.assertEqual((first["runs"], first["most_held"]), (1, 0), first)
        self.assert_none_without_permit(first)
        self.build("sh", "-c", f"watchman watch-list | grep -q {self.folder}")
        self.assertEqual(self.only("watchman"), server)
        self.assert_let_go(server)


class Gradle(LeftDaemon):
    MAIN = "org.gradle.launcher.daemon.bootstrap.GradleDaemon"

    def test_compiles_for_a_second_build_in_the_daemon_of_the_first(self):
        self.write("build.gradle", "apply plugin: 'java'\n")
        self.write("gradle.properties", "org.gradle.daemon=true\norg.gradle.jvmargs=-Xmx256m\n")
        self.write("src/main/java/A.java", "public class A {}\n")
        first = self.build("gradle", "--offline", "--quiet", "compileJava")
        server = self.only(self.MAIN)
        self.assert_let_go(server)
        self.assertGreaterEqual(len(self.runs_of(first, "java")), 1, first)
        self.write("src/main/java/B.java", "public class B {}\n")
        second = self.build("gradle", "--offline", "--quiet", "compileJava")
        self.assertTrue((self.folder / "build/classes/java/main/B.class").exists())
        self.assertEqual(self.only(self.MAIN), server)
        self.assert_let_go(server)
        # Only its client.
        self.assertEqual(second["most_running"], 1, second)


if __name__ == "__main__":
    unittest.main()
