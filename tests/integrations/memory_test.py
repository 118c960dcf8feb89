"""distcc's slots of this host and GNU parallel, in a small memory cgroup: killed without Sluice, and not with it."""
import os
import sys
import unittest

from daemons import INTEGRATIONS, LAUNCH, SOURCE, wait_for
from licences import LicencesTest

sys.path.insert(0, str(SOURCE / "bench/lab"))
import group  # noqa: E402

MIB = 1 << 20
# Three jobs fit into the group, and four do not.
LIMIT, NEEDED, JOBS = 640 * MIB, 190 * MIB, 4
# parallel starts no job while one holds its memory.
CONFIG = """\
window: {law: rfc, initial: 80, minimum: 80, maximum: 80}
sensors: {load: off, cpu_pressure: off, memory_pressure: off, io_pressure: off, pids: off, starting: off, disk: off,
          cgroup: {limit: 25%}}
cost: {model: history}
service: {listen: off}
"""
# Holds its memory until all jobs have begun, but no longer than HOLD seconds.
EATS = f"""\
#!/usr/bin/env python3
import os, sys, time
if "-c" in sys.argv or "eat" in sys.argv:
    with open("began", "a") as began:
        began.write("x")
    held = b"x" * {NEEDED}
    until = time.monotonic() + float(os.environ["HOLD"])
    while time.monotonic() < until and os.path.getsize("began") < {JOBS}:
        time.sleep(0.05)
    time.sleep(0.5)
if "-o" in sys.argv:
    open(sys.argv[sys.argv.index("-o") + 1], "w").close()
"""
MAKE = "all: {objects}\n%.o: %.c\n\t$(CC) -c $< -o $@\n"


class SmallGroup(LicencesTest):
    config = CONFIG

    def setUp(self):
        try:
            self.group = group.Group(f"sluice-tools-{os.getpid()}", LIMIT)
        except group.Impossible as problem:
            self.skipTest(str(problem))
        self.addCleanup(self.group.close)
        super().setUp()
        (self.tools / "gcc").write_text(EATS)
        (self.tools / "sluice-launch").symlink_to(LAUNCH)
        for number in range(JOBS):
            (self.folder / f"source{number}.c").touch()
        objects = " ".join(f"source{number}.o" for number in range(JOBS))
        (self.folder / "Makefile").write_text(MAKE.format(objects=objects))
        # Otherwise distcc calls the host's gcc by its full name.
        self.environment = dict(os.environ, DISTCC_NO_REWRITE_CROSS="1", HOME=str(self.folder),
                                PATH=f"{self.tools}:{os.environ['PATH']}", SLUICE_SOCKET=self.daemon.socket,
                                XDG_RUNTIME_DIR=str(self.folder), DISTCC_DIR=str(self.folder),
                                DISTCC_HOSTS=f"localhost/{JOBS}")

    def start_daemon(self, daemon):
        daemon.start("--state-dir", str(self.folder / "state"), preexec_fn=self.group.enter)

    def ends(self, hold, *words):
        """Its status, what it printed, and how many processes the kernel killed meanwhile."""
        before = self.group.oom_kills()
        for name in ("began", *(f"source{number}.o" for number in range(JOBS))):
            (self.folder / name).unlink(missing_ok=True)
        self.environment["HOLD"] = str(hold)
        status, output = self.finished(self.tool(*words))
        return status, output, self.group.oom_kills() - before

    def tool(self, *words):
        return self.start(words, self.environment, cwd=self.folder, preexec_fn=self.group.enter)


class Distcc(SmallGroup):
    def test_overruns_the_memory_without_the_launcher_and_not_with_it(self):
        status, output, kills = self.ends(60, "make", "-k", f"-j{JOBS}", "CC=distcc gcc")
        self.assertNotEqual(status, 0, output)
        self.assertGreater(kills, 0, output)
        status, output, kills = self.ends(2, "make", "-k", f"-j{JOBS}", "CC=distcc sluice-launch gcc")
        self.assertEqual((status, kills), (0, 0), output)

    def test_goes_on_when_the_daemon_dies(self):
        (self.tools / "gcc").write_text(EATS.replace(str(NEEDED), "1"))
        self.environment["HOLD"] = "2"
        process = self.tool("make", f"-j{JOBS}", "CC=distcc sluice-launch gcc")
        wait_for(lambda: self.daemon.jobs()[0] > 0, self.daemon.jobs)
        self.daemon.kill()
        status, output = self.finished(process)
        self.assertEqual(status, 0, output)


class Parallel(SmallGroup):
    parallel = ("parallel", "--will-cite", f"-j{JOBS}")
    limit = ("--limit", str(INTEGRATIONS / "parallel/limit"))
    jobs = ("--delay", "2", "gcc eat {}", ":::", *"abcd")

    def test_overruns_the_memory_without_the_limit_and_not_with_it(self):
        status, output, kills = self.ends(60, *self.parallel, *self.jobs)
        self.assertNotEqual(status, 0, output)
        self.assertGreater(kills, 0, output)
        status, output, kills = self.ends(8, *self.parallel, *self.limit, *self.jobs)
        self.assertEqual((status, output, kills), (0, "", 0))

    def test_goes_on_when_the_daemon_dies(self):
        self.daemon.ask("POST", "/v1/pause")
        wait_for(lambda: self.daemon.ask("GET", "/health/status")[0] == 503)
        before = self.refusals()
        process = self.tool(*self.parallel, *self.limit, "echo {}", ":::", "a", "b")
        wait_for(lambda: self.refusals() >= before + 2, self.refusals)
        self.assertIsNone(process.poll())
        self.daemon.kill()
        status, output = self.finished(process)
        line = f"sluice: jobs start without a limit: no daemon at {self.daemon.socket}\n"
        self.assertEqual((status, sorted(output.splitlines(True))), (0, ["a\n", "b\n", line]))

    def refusals(self):
        """How often the daemon has said that it takes no work."""
        page = self.daemon.ask("GET", "/metrics")[1]
        counts = [line.split()[-1] for line in page.splitlines()
                  if line.startswith("sluice_client_requests_total") and 'op="health"' in line and '"503"' in line]
        return sum(float(count) for count in counts)


if __name__ == "__main__":
    unittest.main()
