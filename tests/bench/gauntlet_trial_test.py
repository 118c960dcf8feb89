"""Runs of the gauntlet with real processes of moments, without a group."""

import dataclasses
import pathlib
import tempfile
import unittest

import gauntlet_here  # noqa: F401  sets the path

import cells
import contenders
import jobs
import neighbours
import process
import rows
import trial

FAILS_ONCE = "{ [ -e tried ] || { : >tried; false; }; }"


class RealTrial(unittest.TestCase):
    def run_trial(self, contender, some):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        cell = cells.Cell("x", "", cells.alone(some))
        setting = contenders.Setting(cell, folder / "jobs", folder / "state", folder / "c", "none")
        jobs.write(setting.folder, some)
        self.kept = folder / "kept"
        run = rows.Run("x", rows.SCAN, 0, 0, contender)
        return trial.run_trial(run, setting, "test", {"sleep0.1": 0.1}, self.kept, trial.NoGroup(),
                               timeout_s=30.0)

    def test_one_that_does_all_has_nothing_repaired(self):
        for contender in ("make-j3", "xargs-P3"):
            row = self.run_trial(contender, jobs.sleeps(3, 0.1, 0.1))
            self.assertEqual((row.jobs, row.failed, row.undone, row.status), (3, 0, 0, 0))
            self.assertEqual(row.total_s, row.first_s)
            self.assertEqual((row.jobs_most, row.compilers_most), (3, 0))
            self.assertGreaterEqual(row.stretch_median, 0.9)
            self.assertEqual(row.neighbour_share, rows.NONE)

    def test_one_at_a_time_is_seen_as_one(self):
        self.assertEqual(self.run_trial("make-j1", jobs.sleeps(3, 0.1, 0.1)).jobs_most, 1)

    def test_what_failed_is_repaired_and_costs_time(self):
        # It leaves a product, which make would take for good.
        failing = jobs.Job("u0000", "k", f": >o/u0000.o && {FAILS_ONCE} && sleep 0.2", 0.0, 0.0)
        row = self.run_trial("make-j2", [failing, *jobs.sleeps(1, 0.1, 0.1)])
        self.assertEqual((row.failed, row.undone), (1, 0))
        self.assertGreater(row.status, 0)
        self.assertGreater(row.total_s, row.first_s + 0.2)

    def test_what_never_succeeds_makes_the_row_worthless(self):
        failing = jobs.Job("u0000", "k", "false", 0.0, 0.0)
        self.assertEqual(self.run_trial("make-j2", [failing]).undone, 1)

    def test_output_and_series_are_kept(self):
        self.run_trial("make-j3", jobs.sleeps(3, 0.1, 0.1))
        self.assertTrue((self.kept / "output.log").exists())
        self.assertTrue((self.kept / "series.tsv").read_text().startswith("t\tjobs\t"))


class RealNeighbours(unittest.TestCase):
    def start(self, command, folder):
        self.started = trial.start(command, folder, trial.NoGroup(), None)
        self.addCleanup(process.end, self.started)
        return self.started

    def test_a_thread_comes_and_goes_with_the_time_of_the_contender(self):
        thread = neighbours.Thread("/", self.start)
        thread.look(neighbours.FROM_S - 0.1)
        self.assertFalse(hasattr(self, "started"))
        thread.look(neighbours.FROM_S)
        self.assertIsNone(self.started.poll())
        thread.look(neighbours.UNTIL_S)
        self.assertIsNotNone(self.started.poll())
        thread.look(neighbours.UNTIL_S + 1)
        self.assertEqual([at for at, _ in thread.used], [neighbours.FROM_S, neighbours.UNTIL_S])

    def test_the_largest_job_runs_alone_for_its_peak_and_must_succeed(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        small, large = jobs.sleep("small", 0.01), jobs.sleep("large", 0.2)
        cell = cells.Cell("x", "", cells.alone([small, large]))
        self.assertEqual(trial.measure_peak(cell, folder, trial.NoGroup()), 0, "nothing is counted")
        self.assertEqual(set(jobs.spans([folder], 100)), {"large"})
        failing = dataclasses.replace(large, work="exit 3")
        cell = cells.Cell("x", "", cells.alone([small, failing]))
        self.assertRaisesRegex(RuntimeError, "exit status 3", trial.measure_peak, cell, folder,
                               trial.NoGroup())

    def test_one_that_outlives_the_contender_is_ended(self):
        thread = neighbours.Thread("/", self.start)
        thread.look(neighbours.FROM_S)
        thread.end()
        self.assertIsNotNone(self.started.poll())

    def test_compilations_are_written_that_make_takes(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        neighbours.write_compilations(folder)
        text = (folder / "Makefile").read_text()
        self.assertEqual(text.count("-o /dev/null"), neighbours.COMPILATIONS)


if __name__ == "__main__":
    unittest.main()
