"""The model of a host takes as long as the recorded runs of the gauntlet did."""

import os
import unittest

from gauntlet_here import BENCH, row

import cells
import jobs
import model
import rows

SLUICE = os.environ["SLUICE_COMMAND"]


class Recorded(unittest.TestCase):
    def test_the_model_agrees_with_each_recorded_cell_that_it_can_model(self):
        seen = set()
        for path in sorted((BENCH / "results").glob("*.tsv")):
            for each in model.compared(rows.load(path), cells.all_cells(), SLUICE):
                with self.subTest(session=path.stem, cell=each.cell, contender=each.contender):
                    self.assertTrue(each.agrees(), each)
                seen.add((each.cell, each.contender))
        self.assertEqual(seen, {(cell, name) for cell in model.CELLS for name in model.CONTENDERS})


class Modelled(unittest.TestCase):
    def cell(self, *some, **more):
        return cells.Cell("cpu", "", cells.alone(some), **more)

    def test_a_job_is_as_slow_as_the_recorded_run_and_a_sleep_takes_what_it_says(self):
        cell = self.cell(jobs.compiler("a", 2), jobs.sleep("b", 2.0), jobs.threads("c", 2))
        slow = model.slowness(row(cpu_s=8.8), cell)
        self.assertAlmostEqual(slow, 2.0)
        text = model.scenario(cell, "batch-cold", slow, 2)
        self.assertIn("variant: a, phases: [{runs: 2.000s, cores: 1}]", text)
        self.assertIn("variant: b, phases: [{runs: 50ms, cores: 0.06}, {runs: 2.000s}]", text)
        self.assertIn("variant: c, phases: [{runs: 3.400s, cores: 2}]", text)
        self.assertIn("history: []", text)
        self.assertEqual(model.slowness(row(), self.cell(jobs.sleep("b", 2.0))), 1.0)

    def test_a_warm_one_knows_all_jobs_and_begins_with_the_longest(self):
        cell = self.cell(jobs.compiler("a", 0), jobs.compiler("b", 7))
        text = model.scenario(cell, "batch-warm", 1.0, 2)
        self.assertIn("variant: b, runs: 4.800s, cores: 1.0000", text)
        self.assertLess(text.index("id: b"), text.index("id: a"))

    def test_compilers_share_the_cpus_of_the_machine_of_the_row(self):
        cell = self.cell(*jobs.compilers(8))
        for cpus, least, most in ((1, 17.0, 18.0), (2, 8.5, 10.5)):
            total = model.replay(SLUICE, model.scenario(cell, "batch-warm", 1.0, cpus))
            self.assertTrue(least <= total <= most, (cpus, total))
        self.assertEqual(model.cpus_of(row(jobset="223dd5d0-gcc12.2.0-16cpu")), 16)

    def test_a_job_that_does_not_end_well_has_no_total(self):
        ends = '{"t":1.0,"event":"submitted","job":"a"}\n{"t":9.0,"event":"finished","job":"a"'
        self.assertEqual(model.total_s(ends + "}\n"), 9.0)
        self.assertIsNone(model.total_s(ends + ',"outcome":"oom"}\n'))
        self.assertIsNone(model.total_s(ends.splitlines()[0]))

    def test_it_agrees_within_fifteen_per_cent(self):
        for modelled, agrees in ((114.0, True), (116.0, False), (86.0, True), (84.0, False)):
            found = model.Comparison("cpu", "batch-cold", 1, 100.0, modelled)
            self.assertEqual(found.agrees(), agrees, modelled)
            self.assertTrue(model.table([found]).endswith("yes" if agrees else "no"), modelled)


if __name__ == "__main__":
    unittest.main()
