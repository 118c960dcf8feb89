"""What runs, in which order, what is kept of it, and what the oracle starts."""

import contextlib
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

from overload_here import BENCH, row

import contenders
import jobset
import overhead
import packing
import rows
import sitting
import trial
import watch
from packing import Weight


class Packing(unittest.TestCase):
    def test_each_that_fits_starts_and_others_are_passed_over(self):
        heavy, medium, light, wait = (Weight(1000, 1), Weight(600, 1), Weight(200, 1), Weight(1, 0))
        table = (
            ([heavy, medium, light, wait], [], Weight(1300, 2), [0, 2, 3]),
            ([medium, medium, light], [], Weight(1300, 2), [0, 1]),
            ([light, wait], [medium, medium], Weight(1300, 2), [1]),
            ([heavy], [light], Weight(1100, 2), []),
            ([heavy], [light], Weight(1200, 2), [0]),
            ([], [], Weight(1300, 2), []),
        )
        for waiting, running, budget, expected in table:
            self.assertEqual(packing.fitting(waiting, running, budget), expected)

    def test_what_fits_nowhere_runs_alone(self):
        self.assertEqual(packing.fitting([Weight(5000, 1), Weight(1, 0)], [], Weight(1000, 2)), [0])

    def test_no_budget_is_ever_exceeded(self):
        chance = random.Random(4)
        for _ in range(500):
            budget = Weight(chance.randint(10, 50), chance.randint(1, 4))
            waiting = [Weight(chance.randint(1, 60), chance.randint(0, 1)) for _ in range(9)]
            chosen = [waiting[i] for i in packing.fitting(waiting, [], budget)]
            if len(chosen) > 1:
                self.assertLessEqual(sum(each.memory_mb for each in chosen), budget.memory_mb)
                self.assertLessEqual(sum(each.cpus for each in chosen), budget.cpus)
            self.assertTrue(chosen)

    def test_biggest_first_keeps_the_order_of_equals(self):
        weights = {"light": Weight(2, 1), "heavy": Weight(9, 1)}
        jobs = [["a", "light", ""], ["b", "heavy", ""], ["c", "light", ""], ["d", "heavy", ""]]
        names = [job[0] for job in packing.in_order(jobs, weights, "biggest-first")]
        self.assertEqual(names, ["b", "d", "a", "c"])
        self.assertEqual(packing.in_order(jobs, weights, "arrival"), jobs)

    def test_the_program_runs_all_jobs_and_says_whether_one_failed(self):
        with tempfile.TemporaryDirectory() as folder:
            for last, status in (("true", 0), ("false", 1)):
                plan = {"jobs": [["a", "k", "touch a"], ["b", "k", "touch b"], ["c", "k", last]],
                        "weights": {"k": [6, 1]}, "budget_mb": 10, "cpus": 2, "order": "arrival"}
                path = pathlib.Path(folder, "plan.json")
                path.write_text(json.dumps(plan))
                result = subprocess.run([sys.executable, "-B", BENCH / "packing.py", path],
                                        cwd=folder, timeout=30, check=False)
                self.assertEqual(result.returncode, status)
                self.assertTrue(pathlib.Path(folder, "a").exists())
                self.assertTrue(pathlib.Path(folder, "b").exists())


class Rows(unittest.TestCase):
    def test_a_row_is_read_as_it_was_written(self):
        original = row(total_s=61.125, starts={"amber": 0.0, "birch": 12.34})
        self.assertEqual(rows.from_line(rows.to_line(original)), original)

    def test_a_line_cut_off_by_a_kill_is_run_again_and_written_over(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "rows.tsv")
            rows.append(path, row("make-j1"))
            rows.append(path, row("make-j2"))
            path.write_text(path.read_text()[:-9])
            self.assertEqual([each.contender for each in rows.load(path)], ["make-j1"])
            rows.append(path, row("make-j2"))
            self.assertEqual([each.contender for each in rows.load(path)], ["make-j1", "make-j2"])

    def test_rows_of_another_version_are_refused_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "rows.tsv")
            path.write_text("something\telse\n")
            with self.assertRaisesRegex(ValueError, "rows.tsv.*another version"):
                rows.load(path)


class Sitting(unittest.TestCase):
    def setUp(self):
        self.two = [contenders.own("one=true"), contenders.own("two=true")]

    def test_all_contenders_run_in_a_cell_before_the_next_cell(self):
        plan = sitting.cells((1.9, 2.9), (1, 2))
        todo = [(cell.factor, cell.seed, cell.order, cell.tenant, who.name)
                for cell, who in sitting.runs_of(plan, self.two, set(), "test")]
        self.assertEqual(todo[:4], [(1.9, 1, "shuffled", 0, "one"), (1.9, 1, "shuffled", 0, "two"),
                                    (1.9, 2, "shuffled", 0, "one"), (1.9, 2, "shuffled", 0, "two")])
        self.assertEqual([each[:4] for each in todo[8::2]],
                         [(1.9, 1, "heavy-first", 0), (2.9, 1, "heavy-first", 0),
                          (2.9, 1, "shuffled", 1)])

    def test_an_interrupted_sitting_goes_on_where_it_stopped(self):
        plan, done = sitting.cells((1.9,), (1, 2), hard=False), []

        def run(cell, contender):
            if len(done) == 3 and not run.resumed:
                raise KeyboardInterrupt
            return row(contender.name, seed=cell.seed), ""

        run.resumed = False
        with self.assertRaises(KeyboardInterrupt):
            sitting.run_all(sitting.runs_of(plan, self.two, set(), "test"), run, str, done.append)
        run.resumed = True
        left = sitting.runs_of(plan, self.two, {each.key() for each in done}, "test")
        self.assertEqual([(cell.seed, who.name) for cell, who in left], [(2, "two")])
        sitting.run_all(left, run, str, done.append)
        self.assertEqual([(each.seed, each.contender) for each in done],
                         [(1, "one"), (1, "two"), (2, "one"), (2, "two")])

    def test_rows_of_other_jobs_do_not_count_as_done(self):
        plan = sitting.cells((1.9,), (1,), hard=False)
        keys = {row("one", jobset="other").key()}
        self.assertEqual(len(sitting.runs_of(plan, self.two, keys, "test")), 2)

    def test_one_that_cannot_run_is_said_and_keeps_no_row(self):
        said, done = [], []
        todo = sitting.runs_of([rows.Cell(1.9, 1)], self.two[:1], set(), "test")
        sitting.run_all(todo, lambda *_: (None, "ninja is not there"), said.append, done.append)
        self.assertEqual(done, [])
        self.assertIn("left out: ninja is not there", said[-1])


class Jobs(unittest.TestCase):
    def test_a_seed_changes_the_order_and_never_the_jobs(self):
        one, again, two = (jobset.jobs_of(jobset.FULL, seed, "shuffled") for seed in (1, 1, 2))
        self.assertEqual(one, again)
        self.assertNotEqual(one, two)
        self.assertEqual(set(one), set(two))
        self.assertEqual(len(one), 24)

    def test_heavy_first_is_by_weight(self):
        kinds = [job.kind for job in jobset.jobs_of(jobset.FULL, 1, "heavy-first")]
        self.assertEqual(kinds, sorted(kinds, key=jobset.KINDS.index))

    def test_the_order_is_the_same_for_make_ninja_and_the_list(self):
        with tempfile.TemporaryDirectory() as folder:
            jobs = jobset.jobs_of(jobset.SHORT, 3, "shuffled")
            jobset.write(folder, jobs, jobset.SHORT)
            names = [job.name for job in jobs]
            listed = pathlib.Path(folder, "jobs.txt").read_text().splitlines()
            self.assertEqual(listed, [job.command for job in jobs])
            make = subprocess.run(["make", "-n", "-j1"], cwd=folder, capture_output=True, text=True,
                                  check=True).stdout.splitlines()
            self.assertEqual(make, listed)
            ninja = pathlib.Path(folder, "build.ninja").read_text()
            places = [ninja.index(f"build o/{name}.o") for name in names]
            self.assertEqual(places, sorted(places))

    def test_only_compilations_go_through_the_launcher(self):
        with tempfile.TemporaryDirectory() as folder:
            jobs = jobset.jobs_of(jobset.SHORT, 3, "shuffled")
            jobset.write(folder, jobs, jobset.SHORT)
            said = subprocess.run(["make", "-n", "-f", "launched.mk", "LAUNCHER=ask"], cwd=folder,
                                  capture_output=True, text=True, check=True).stdout.splitlines()
            self.assertEqual(said, [job.command if job.kind == "wait" else "ask " + job.command
                                    for job in jobs])

    def test_what_a_failed_job_left_is_removed_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            jobset.clear_outputs(folder)
            out = pathlib.Path(folder, "o")
            for name in ("amber", "birch"):
                (out / f"{name}.o").write_text("x")
            (out / "done.log").write_text("ok amber\n")
            self.assertEqual(jobset.remove_poisoned(folder), ["birch"])
            self.assertEqual(sorted(path.name for path in out.iterdir()), ["amber.o", "done.log"])


def stat(command, cpu_ticks, start_ticks):
    fields = ["S"] + ["0"] * 10 + [str(cpu_ticks), "0"] + ["0"] * 6 + [str(start_ticks), "0"]
    return f"7 ({command}) " + " ".join(fields)


class Attempts(unittest.TestCase):
    def setUp(self):
        self.seen = watch.Attempts(["amber", "birch"])

    def see(self, pid, command, cpu_s, start_s, line):
        self.seen.see(pid, stat(command, cpu_s * watch.TICKS, start_s * watch.TICKS), lambda: line)

    def test_a_job_starts_with_its_first_process(self):
        self.see(1, "make", 0, 1, b"make\0-k\0")
        self.see(3, "cc1plus", 1, 9, b"cc1plus\0amber.cpp\0")
        self.see(2, "sh", 0, 8, b"sh\0-c\0g++ -c amber.cpp -o o/amber.o && echo ok amber\0")
        self.see(6, "as", 0, 10, b"as\0-o\0o/amber.o\0")
        self.see(4, "sh", 0, 12, b"sh\0-c\0sleep 4 && touch o/birch.o\0")
        self.see(5, "sh", 0, 2, b"sh\0-c\0g++ -c other.cpp\0")
        self.assertEqual(self.seen.starts, {"amber": 8.0, "birch": 12.0})

    def test_cpu_of_all_compilers_but_the_last_of_a_built_job_is_wasted(self):
        self.see(3, "cc1plus", 1, 9, b"cc1plus\0amber.cpp\0")
        self.see(3, "cc1plus", 5, 9, b"")
        self.see(6, "cc1plus", 7, 30, b"cc1plus\0amber.cpp\0")
        self.see(8, "cc1plus", 2, 31, b"cc1plus\0birch.cpp\0")
        self.assertEqual(self.seen.repeated(), 1)
        self.assertEqual(self.seen.wasted_cpu({"amber", "birch"}), 5.0)
        self.assertEqual(self.seen.wasted_cpu({"amber"}), 7.0)

    def test_a_command_with_brackets_and_spaces_is_read(self):
        self.assertEqual(watch.stat_of(stat("a) (b", 50, 200)),
                         ("a) (b", 50 / watch.TICKS, 200 / watch.TICKS))


class Contenders(unittest.TestCase):
    def test_a_warm_one_starts_with_what_the_cold_one_left(self):
        by_name = {each.name: each for each in contenders.all_contenders()}
        with tempfile.TemporaryDirectory() as folder:
            setting = contenders.Setting(pathlib.Path(folder), pathlib.Path(folder, "state"),
                                         "sluice", (), {}, 1000)
            self.assertFalse(trial.prepare_state(by_name["batch-warm"], setting))
            self.assertTrue(trial.prepare_state(by_name["batch-cold"], setting))
            (setting.state / "batch-cold" / "history").write_text("samples")
            self.assertTrue(trial.prepare_state(by_name["batch-warm"], setting))
            self.assertTrue((setting.state / "batch-warm" / "history").exists())
            self.assertTrue(trial.prepare_state(by_name["batch-cold"], setting))
            self.assertFalse((setting.state / "batch-cold" / "history").exists())

    def test_small_jobs_are_the_light_and_the_waiting_ones(self):
        jobs = [jobset.Job("a", "heavy", ""), jobset.Job("b", "light", ""),
                jobset.Job("c", "wait", ""), jobset.Job("d", "light", "")]
        self.assertEqual(trial.small_waits(jobs, {"a": 50.0, "b": 2.0, "c": 4.0}), (3.0, 4.0))
        self.assertEqual(trial.small_waits(jobs, {}), (0.0, 0.0))

    def test_what_the_brake_ended_is_told_from_what_failed(self):
        head = "Seq\tCommand\tOutcome\tAttempt\n"
        table = (
            ("", -1),
            ("Seq\tCommand\n1\ta\n", -1),
            (head, -1),
            (head + "1\ta\tok\t1\n2\tb\tok\t1\n", 0),
            (head + "1\ta\tok\t2\n2\techo \"b\tok\t3\n", 3),
            (head + "1\ta\tfailed\t1\n1\ta\tok\t2\n2\tb\tok\t2\n", 1),
            (head + "1\ta\tok\t1\n2\tb", -1),
        )
        for joblog, expected in table:
            self.assertEqual(trial.braked_in(joblog), expected, joblog)

    def test_the_overhead_of_what_is_there_is_measured_and_the_rest_is_named(self):
        times, left_out = overhead.measure("/nowhere/sluice", 3, 2, str)
        self.assertEqual(len(times["make-j2"]), 2)
        self.assertIn("/nowhere/sluice is not there", left_out["batch-off"])
        self.assertIn("make-j2", overhead.text_of(times, left_out, 3))

    def test_own_contenders_need_a_name_and_a_command(self):
        for wrong in ("make", "=make", "mine="):
            with self.assertRaisesRegex(ValueError, "NAME=COMMAND"):
                contenders.own(wrong)


class CommandLine(unittest.TestCase):
    def test_help_shows_every_option_with_examples(self):
        with contextlib.redirect_stdout(io.StringIO()):
            result = subprocess.run([sys.executable, "-B", BENCH / "run", "--help"], text=True,
                                    capture_output=True, timeout=30, check=True)
        for word in ("--sluice", "--limits", "--seeds", "--only", "--short", "--list",
                     "bench/overload/run overhead"):
            self.assertIn(word, result.stdout)


if __name__ == "__main__":
    unittest.main()
