"""What runs in the gauntlet, in which order, and what is kept of it."""

import dataclasses
import pathlib
import subprocess
import sys
import tempfile
import unittest

from gauntlet_here import BENCH, row

import cells
import contenders
import jobs
import plan
import plots
import rows
import series
import trial
from rows import PAIR


class PassOne(unittest.TestCase):
    def test_ascends_and_stops_above_one_and_a_half_times_the_best_so_far(self):
        table = (
            ({}, 1),
            ({1: 100.0}, 2),
            ({1: 100.0, 2: 60.0, 3: 90.0}, 4),
            ({1: 100.0, 2: 60.0, 3: 90.1}, None),
            # A long descent is no reason to stop, however far the start is from the best.
            ({1: 900.0, 2: 450.0, 3: 300.0}, 4),
            # The best is that before the one that is judged, not before the one after it.
            ({1: 100.0, 2: 200.0, 3: 50.0}, None),
            ({1: 100.0, 2: 60.0, 3: 60.0, 4: 60.0}, None),
        )
        for totals, expected in table:
            self.assertEqual(plan.next_n((1, 2, 3, 4), totals), expected, totals)

    def test_the_best_is_the_smallest_n_of_the_smallest_total(self):
        self.assertEqual(plan.best_n({1: 90.0, 2: 60.0, 3: 60.0}), 2)
        self.assertIsNone(plan.best_n({}))

    def test_one_that_never_did_all_jobs_is_not_the_best(self):
        cell = next(each for each in cells.all_cells() if each.name == "cpu")
        done = plan.latest([row("make-j1", total_s=90.0), row("make-j2", total_s=9.0, undone=1)])
        self.assertEqual(plan.best_n(plan.scanned(cell, done)), 1)


class Sitting(unittest.TestCase):
    def setUp(self):
        self.cell = cells.Cell("cpu", "", cells.alone(jobs.sleeps(9)), ns=(1, 2, 3),
                               others=("make-j64-l2",), ours=cells.BATCH + cells.JOBSERVER)
        self.totals = {"make-j1": 100.0, "make-j2": 60.0, "make-j3": 95.0}
        self.all = set(plan.contenders_of(self.cell))

    def play(self, found, count, wanted=None):
        """Runs up to `count` of what is next; each takes its total."""
        for _ in range(count):
            run = plan.next_run(self.cell, plan.latest(found), 2, 2, wanted or self.all)
            if run is None:
                break
            found.append(row(run.contender, phase=run.phase, round=run.round, slot=run.slot,
                             total_s=self.totals.get(run.contender, 61.0)))
        return found

    def test_pass_one_then_rounds_in_which_the_best_alternates_with_ours(self):
        found = self.play([], 99)
        names = [(each.phase, each.round, each.contender) for each in found]
        self.assertEqual([name for _, _, name in names[:4]],
                         ["make-j1", "make-j2", "make-j3", "make-j64-l2"])
        one = ["make-j2", "batch-cold", "batch-warm", "make-j2", "jobserver-cold", "jobserver-warm"]
        self.assertEqual(names[4:], [(PAIR, 1, name) for name in one]
                         + [(PAIR, 2, name) for name in one])

    def test_an_interrupted_sitting_goes_on_where_it_stopped(self):
        whole = self.play([], 99)
        for kept in range(len(whole)):
            self.assertEqual(self.play(whole[:kept], 99), whole)

    def test_with_one_kind_of_ours_the_best_comes_again_for_the_pair_with_itself(self):
        self.assertEqual(plan.slots(self.cell, "make-j2", {"batch-cold", "batch-warm"}),
                         ["make-j2", "batch-cold", "batch-warm", "make-j2"])
        self.assertEqual(plan.slots(self.cell, "make-j2", set()), [])

    def test_those_that_are_not_wanted_do_not_run(self):
        found = self.play([], 99, {"make-j2", "batch-warm"})
        self.assertEqual([each.contender for each in found],
                         ["make-j2"] + ["make-j2", "batch-warm", "make-j2"] * 2)

    def test_larger_ns_than_jobs_are_not_tried(self):
        cell = cells.Cell("x", "", cells.alone(jobs.sleeps(12)))
        self.assertEqual(cell.tried(), (1, 2, 3, 4, 6, 8, 16))

    def test_beside_a_build_as_many_run_by_hand_as_ours_had(self):
        self.cell = cells.Cell("cpu", "", cells.alone(jobs.sleeps(9)), ns=(), others=(),
                               against="by-hand")
        self.all = {"batch-cold", "batch-warm"}
        found = self.play([], 1)
        found[0] = dataclasses.replace(found[0], compilers_mean=3.4)
        names = [each.contender for each in self.play(found, 3)]
        self.assertEqual(names, ["batch-cold", "make-j3", "batch-warm", "make-j2"])

    def test_without_pass_one_the_number_of_cpus_has_to_do(self):
        self.assertEqual(plan.baseline(self.cell, {}, 2), "make-j2")
        wait = next(each for each in cells.all_cells() if each.name == "wait")
        self.assertEqual(plan.baseline(wait, {}, 2), "xargs-P200")


class Rows(unittest.TestCase):
    def test_a_row_is_read_as_it_was_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "rows.tsv")
            original = row(total_s=61.125)
            rows.append(path, original)
            self.assertEqual(rows.load(path), [original])

    def test_rows_of_before_a_column_came_are_read_and_go_on_in_the_same_file(self):
        later = 3
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "rows.tsv")
            rows.append(path, row("make-j1"))
            lines = path.read_text().splitlines()
            path.write_text("".join("\t".join(line.split("\t")[:-later]) + "\n" for line in lines))
            self.assertEqual(rows.load(path), [row("make-j1")])
            new = row("make-j2", busy_again_s=1.0, below_half_s=0.25, limit_mb=1363.0)
            rows.append(path, new)
            self.assertEqual(rows.load(path), [row("make-j1"), new])
            path.write_text("".join("\t".join(line.split("\t")[:9]) + "\n" for line in lines))
            self.assertRaisesRegex(ValueError, "another version", rows.load, path)

    def test_the_recorded_sessions_can_be_read(self):
        for path in sorted((BENCH / "results").glob("*.tsv")):
            self.assertTrue(rows.load(path), path)

    def test_a_line_cut_off_by_a_kill_is_run_again_and_written_over(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "rows.tsv")
            rows.append(path, row("make-j1"))
            rows.append(path, row("make-j2"))
            path.write_text(path.read_text()[:-9])
            self.assertEqual([each.contender for each in rows.load(path)], ["make-j1"])
            rows.append(path, row("make-j2"))
            self.assertEqual([each.contender for each in rows.load(path)], ["make-j1", "make-j2"])

    def test_of_two_rows_of_one_run_the_later_counts(self):
        found = plan.latest([row(total_s=1.0), row(total_s=2.0)])
        self.assertEqual([each.total_s for each in found.values()], [2.0])


class Jobs(unittest.TestCase):
    def test_make_and_the_list_have_the_same_jobs_in_the_same_order(self):
        with tempfile.TemporaryDirectory() as folder:
            some = jobs.shuffled(jobs.compilers(3) + jobs.sleeps(3))
            jobs.write(pathlib.Path(folder), some)
            listed = pathlib.Path(folder, "jobs.txt").read_text().splitlines()
            self.assertEqual(listed, [job.command() for job in some])
            make = subprocess.run(["make", "-n", "-j1"], cwd=folder, capture_output=True, text=True,
                                  check=True).stdout.splitlines()
            self.assertEqual(make, listed)

    def test_a_job_says_when_it_ran_however_it_is_run(self):
        for command in ("make -k -j2", "xargs -d '\\n' -n 1 -P 2 sh -c <jobs.txt"):
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                jobs.write(folder, jobs.sleeps(2, 0.1, 0.1))
                jobs.clear_outputs(folder)
                subprocess.run(["sh", "-c", command], cwd=folder, check=True, timeout=30,
                               capture_output=True)
                found = jobs.spans([folder], 100)
                self.assertEqual(set(found), {"w0000", "w0001"})
                for span in found.values():
                    self.assertGreaterEqual(span.end - span.start, 0.09)
                    self.assertLess(span.end - span.start, 10.0)

    def test_a_failed_job_says_nothing_and_leaves_no_product(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            failing = jobs.Job("u0000", "k", ": >o/u0000.o && false", 0.0, 0.0)
            jobs.write(folder, [failing])
            jobs.clear_outputs(folder)
            subprocess.run(["sh", "-c", failing.command()], cwd=folder, check=False)
            found = jobs.spans([folder], 100)
            self.assertEqual(found, {})
            jobs.remove_poisoned(folder, found)
            self.assertEqual(list((folder / "o").iterdir()), [])

    def test_half_of_the_mixed_jobs_compile_and_only_their_order_differs(self):
        mixed = {cell.name: cell.jobs() for cell in cells.all_cells()
                 if cell.name.startswith("mixed")}
        self.assertEqual(len(mixed), 3)
        for each in mixed.values():
            self.assertEqual(set(each), set(mixed["mixed-shuffled"]))
            self.assertEqual(sum(job.compiles() for job in each), len(each) // 2)
        self.assertTrue(mixed["mixed-compilers-first"][0].compiles())
        self.assertFalse(mixed["mixed-sleeps-first"][0].compiles())


class Figures(unittest.TestCase):
    def test_most_at_once_counts_one_that_ends_as_another_starts_once(self):
        table = (
            ([], 0),
            ([(0, 1), (1, 2), (2, 3)], 1),
            ([(0, 3), (1, 2), (1, 4)], 3),
        )
        for spans, expected in table:
            self.assertEqual(trial.most_at_once([jobs.Span(*span) for span in spans]), expected)

    def test_quantiles_are_values_that_were_there(self):
        self.assertEqual(trial.quantile([], 0.5), rows.NONE)
        self.assertEqual(trial.quantile([3.0], 0.95), 3.0)
        self.assertEqual(trial.quantile([float(n) for n in range(1, 21)], 0.95), 19.0)
        self.assertEqual(trial.quantile([1.0, 2.0, 3.0, 9.0], 0.5), 2.0)

    def test_a_jobs_time_is_divided_by_that_of_its_kind_alone(self):
        cell = cells.Cell("x", "", cells.alone([jobs.compiler("a", 0), jobs.sleep("b", 1.0),
                                                jobs.compiler("c", 1)]))
        spans = {"a": jobs.Span(10.0, 13.0), "b": jobs.Span(0.0, 1.1)}
        alone = {"compile0": 1.5, "sleep1": 1.0, "compile1": 1.0}
        self.assertEqual([round(each, 6) for each in trial.stretches(cell, spans, alone)],
                         [1.1, 2.0])

    def test_the_window_is_what_its_latest_event_said(self):
        log = ('{"event":"window","t":5.0E-1,"from":30,"size":60,"cause":"x"}\nnoise\n'
               '{"event":"window","t":2.0E0,"from":60,"size":120}\n{"event":"window","t":3')
        windows = series.windows_of(log)
        self.assertEqual([series.window_at(windows, at) for at in (0.1, 1.0, 9.0)], [30, 60, 120])
        self.assertEqual(series.window_at(series.windows_of("make: done\n"), 1.0), "")


class Plots(unittest.TestCase):
    HEAD = "\t".join(series.COLUMNS) + "\n"

    def test_only_what_is_known_is_drawn(self):
        others = self.HEAD + "0.25\t1\t1\t0.5\t0.1\t10\t\n"
        ours = self.HEAD + "0.25\t1\t1\t0.5\t0.1\t10\t30\n"
        self.assertEqual([panel[0] for panel in plots.panels_of(others)],
                         ["at once", "share", "MB"])
        self.assertEqual([panel[0] for panel in plots.panels_of(ours)][-1], "points")
        self.assertEqual(plots.panels_of(self.HEAD), [])

    def test_each_curve_is_of_its_column(self):
        told = plots.script("a'b.tsv", "c.png", "cpu/batch-warm",
                            plots.panels_of(self.HEAD + "0.25\t1\t1\t0.5\t0.1\t10\t30\n"))
        for name, number in (("compilers", 3), ("memory", 6), ("window", 7)):
            self.assertIn(f"using 1:{number} with steps lw 2 title '{name}'", told)
        self.assertIn("'a''b.tsv'", told)


class Contenders(unittest.TestCase):
    def test_a_warm_one_starts_with_what_the_cold_one_left(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            setting = contenders.Setting(None, folder, folder / "state", folder / "c", "sluice")
            self.assertFalse(contenders.prepare_state("batch-warm", setting))
            self.assertTrue(contenders.prepare_state("batch-cold", setting))
            (setting.state_of("batch-cold") / "history").write_text("samples")
            self.assertTrue(contenders.prepare_state("batch-warm", setting))
            self.assertTrue((setting.state_of("batch-warm") / "history").exists())
            self.assertTrue(contenders.prepare_state("batch-cold", setting))
            self.assertFalse((setting.state_of("batch-cold") / "history").exists())

    def test_every_name_in_every_cell_has_a_command(self):
        state = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for cell in cells.all_cells():
            setting = contenders.Setting(cell, state, state, state / "c", "sluice")
            for name in plan.contenders_of(cell):
                self.assertTrue(contenders.command(name, setting)[-1], name)

    def test_two_builds_run_at_once_and_one_that_fails_fails_both(self):
        for lines, status in ((["true", "true"], 0), (["(exit 3)", "true"], 3),
                              (["true", "(exit 4)"], 4)):
            script = contenders.at_once(lines) + "exit $status"
            self.assertEqual(subprocess.run(["sh", "-c", script], check=False).returncode, status)


class CommandLine(unittest.TestCase):
    def call(self, *words):
        return subprocess.run([sys.executable, "-B", BENCH / "run", *words], text=True,
                              capture_output=True, timeout=30, check=False)

    def test_help_shows_every_option(self):
        said = self.call("--help").stdout
        for word in ("--cells", "--only", "--pairs", "--list", "--table", "--json", "--short",
                     "--work", "--rows", "--plots", "--model"):
            self.assertIn(word, said)

    def test_the_list_names_every_cell_and_runs_nothing(self):
        with tempfile.TemporaryDirectory() as work:
            said = self.call("--list", "--work", work)
            self.assertEqual(said.returncode, 0, said.stderr)
            for cell in cells.all_cells():
                self.assertIn(cell.name, said.stdout)
            self.assertIn("bench/overload/run", said.stdout)
            self.assertFalse(pathlib.Path(work, "runs").exists())

    def test_an_unknown_cell_is_refused_by_name(self):
        said = self.call("--cells", "cpu,nonsense", "--list")
        self.assertEqual(said.returncode, 2)
        self.assertIn("nonsense", said.stderr)


if __name__ == "__main__":
    unittest.main()
