"""The memory group of the overload benchmark: where it is made, that it holds, that it goes."""

import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import unittest

from overload_here import BENCH

import contenders
import group
import jobset
import rows
import trial
import watch

HYBRID = """\
30 24 0:26 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
31 24 0:27 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
32 24 0:28 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct
"""
PURE = "30 24 0:26 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"


class Places(unittest.TestCase):
    def test_the_version_that_has_the_memory_controller_is_used(self):
        mounted = group.mounts(HYBRID)
        own = group.own_paths("5:memory:/ci\n4:cpu,cpuacct:/\n0::/user.slice\n")
        version, parents = group.places(mounted, own)
        self.assertEqual(version, 1)
        self.assertEqual({name: str(path) for name, path in parents.items()},
                         {"memory": "/sys/fs/cgroup/memory/ci", "cpuacct": "/sys/fs/cgroup/cpu"})

    def test_a_mount_of_a_subtree_is_not_doubled(self):
        mounted = group.mounts("31 24 0:27 /docker/a /sys/fs/cgroup/memory rw - cgroup c rw,memory")
        own = group.own_paths("5:memory:/docker/a/job\n")
        self.assertEqual(str(group.folder_of("memory", mounted, own)), "/sys/fs/cgroup/memory/job")

    def test_version_2_takes_the_nearest_group_that_hands_memory_down(self):
        with tempfile.TemporaryDirectory() as root:
            top = pathlib.Path(root)
            leaf = top / "system.slice" / "ci.service"
            leaf.mkdir(parents=True)
            for folder, controllers in ((top, "cpu memory pids"), (top / "system.slice", "memory"),
                                        (leaf, "")):
                (folder / "cgroup.subtree_control").write_text(controllers + "\n")
            self.assertEqual(group.delegating(leaf, top), top / "system.slice")
            (top / "system.slice" / "cgroup.subtree_control").write_text("pids\n")
            self.assertEqual(group.delegating(leaf, top), top)
            (top / "cgroup.subtree_control").write_text("cpu\n")
            self.assertIsNone(group.delegating(leaf, top))

    def test_it_is_said_what_to_do_where_there_is_none(self):
        with self.assertRaisesRegex(group.Impossible, "no memory cgroup is mounted"):
            group.places({}, {})
        own = group.own_paths("0::/\n")
        mounted = group.mounts(PURE.replace("/sys/fs/cgroup", "/nowhere"))
        with self.assertRaisesRegex(group.Impossible, r"write \+memory"):
            group.places(mounted, own)


def make_group(test, limit=None):
    try:
        made = group.Group(f"sluice-overload-test-{os.getpid()}", limit)
    except group.Impossible as error:
        test.skipTest(str(error))
    test.addCleanup(made.close)
    return made


TAKE = "import sys; taken = b'x' * (int(sys.argv[1]) << 20); print('taken', flush=True)"


class RealGroup(unittest.TestCase):
    def take(self, made, megabytes):
        return subprocess.run([sys.executable, "-c", TAKE, str(megabytes)], preexec_fn=made.enter,
                              capture_output=True, timeout=60, check=False)

    def test_what_exceeds_the_limit_is_killed_and_counted(self):
        made, before = make_group(self, 64 << 20), group.oom_kills_of_host()
        self.assertEqual(self.take(made, 16).returncode, 0)
        self.assertEqual(made.oom_kills(), 0)
        self.assertEqual(self.take(made, 200).returncode, -signal.SIGKILL)
        self.assertEqual(made.oom_kills(), 1)
        self.assertGreaterEqual(group.oom_kills_of_host() - before, 1)

    def test_memory_and_cpu_of_the_group_are_seen(self):
        made = make_group(self)
        command = TAKE + "; sys.stdin.read()"
        process = subprocess.Popen([sys.executable, "-c", command, "100"], preexec_fn=made.enter,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), b"taken\n")
        self.assertGreater(made.working_set(), 100 << 20)
        process.stdin.close()
        memory = watch.Memory()
        self.assertTrue(watch.until_end(process, made, memory))
        self.assertEqual(process.wait(), 0)
        if made.cpu_seconds() is not None:
            self.assertGreater(made.cpu_seconds(), 0.0)

    def test_closing_ends_what_runs_in_groups_below_and_removes_them(self):
        made = make_group(self)
        process = subprocess.Popen(["sleep", "1000"], preexec_fn=made.enter)
        self.addCleanup(process.wait)
        below = made.memory / "job" / "inner"
        below.mkdir(parents=True)
        (below / "cgroup.procs").write_text(str(process.pid))
        made.close()
        self.assertEqual(process.wait(timeout=10), -signal.SIGKILL)
        self.assertFalse(made.memory.exists())

    def test_a_frozen_process_is_ended_too(self):
        made = make_group(self)
        frozen = made.folders.get("freezer", made.memory)
        process = subprocess.Popen(["sleep", "1000"], preexec_fn=made.enter)
        self.addCleanup(process.wait)
        state = frozen / ("freezer.state" if made.version == 1 else "cgroup.freeze")
        if not state.exists():
            self.skipTest("no freezer is mounted")
        state.write_text("FROZEN" if made.version == 1 else "1")
        made.close()
        self.assertEqual(process.wait(timeout=10), -signal.SIGKILL)


TINY = jobset.Shape("tiny", {"heavy": 0, "medium": 0, "light": 0, "wait": 3}, {}, 0.1)


class RealTrial(unittest.TestCase):
    def run_trial(self, command, cell=rows.Cell(1.9, 1)):
        make_group(self).close()
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        jobs = jobset.jobs_of(TINY, 1, "shuffled")
        jobset.write(folder, jobs, TINY)
        setting = contenders.Setting(folder, folder / "state", "", tuple(jobs), {}, 256)
        return trial.run_trial(cell, contenders.own("fake=" + command), setting, "tiny",
                               folder / "log")

    def test_one_that_builds_all_has_nothing_repaired(self):
        row = self.run_trial("make -k -j3")
        self.assertEqual((row.jobs, row.failed, row.unbuilt, row.status), (3, 0, 0, 0))
        self.assertEqual((row.repair_s, row.total_s, row.limit_mb), (0.0, row.first_s, 256))
        self.assertGreater(row.first_s, 0.1)

    def test_what_it_did_not_build_is_repaired_and_what_failed_left_is_no_product(self):
        last = jobset.jobs_of(TINY, 1, "shuffled")[-1].name
        row = self.run_trial(f"head -n 1 jobs.txt | sh; touch o/{last}.o; exit 3")
        self.assertEqual((row.failed, row.unbuilt, row.poisoned, row.status), (2, 0, 1, 3))
        self.assertGreater(row.repair_s, 0.2)
        self.assertEqual(row.total_s, row.first_s + row.repair_s)

    def test_what_it_leaves_running_is_ended(self):
        with tempfile.NamedTemporaryFile("r") as left:
            row = self.run_trial(f"sleep 1000 & echo $! >{left.name}; make -k")
            pid = int(left.read())
        self.assertEqual((row.failed, row.unbuilt), (0, 0))
        self.assertFalse(runs(pid))


def runs(pid):
    """Whether there is more of a process than an entry that nobody has reaped yet."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() != b""
    except OSError:
        return False


def keep_measured(work):
    """As if each kind had been measured alone before, which would take seconds."""
    folder = pathlib.Path(work, jobset.identity(jobset.SHORT))
    folder.mkdir()
    each = {"peak_mb": 100.0, "cpu_s": 1.0, "wall_s": 1.0}
    (folder / "alone.json").write_text(json.dumps({kind: each for kind in jobset.KINDS}))


class Interrupt(unittest.TestCase):
    def test_an_interrupt_leaves_no_group_and_no_process_behind(self):
        made = make_group(self)
        made.close()
        with tempfile.TemporaryDirectory() as work:
            keep_measured(work)
            os.mkfifo(ready := os.path.join(work, "ready"))
            command = [sys.executable, "-B", BENCH / "run", "--short", "--only", "stuck",
                       "--work", work, "--contender", f"stuck=echo $$ >{ready}; exec sleep 1000"]
            bench = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
            self.addCleanup(bench.stderr.close)
            stuck = int(self.first_line(ready))
            bench.send_signal(signal.SIGINT)
            said = bench.communicate(timeout=30)[1]
            self.assertEqual(bench.returncode, 130, said)
            self.assertFalse(runs(stuck))
            left = made.memory.parent.glob(f"sluice-overload-{bench.pid}-*")
            self.assertEqual(list(left), [])

    def first_line(self, fifo):
        descriptor = os.open(fifo, os.O_RDWR)
        self.addCleanup(os.close, descriptor)
        readable, _, _ = select.select([descriptor], [], [], 45)
        self.assertTrue(readable, "the contender never started")
        return os.read(descriptor, 100).split()[0]


if __name__ == "__main__":
    unittest.main()
