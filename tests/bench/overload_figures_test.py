"""What the rows of the overload benchmark are made into."""

import unittest

from overload_here import row

import figures
import text


def figure(card, name):
    return next(each for each in card if each.name == name)


class Normalisation(unittest.TestCase):
    def test_reference_is_the_median_of_runs_without_failures(self):
        table = (
            ([100.0, 120.0, 80.0], [], 100.0),
            ([100.0, 120.0], [{"failed": 1}, {"oom_kills": 2}, {"unbuilt": 1}, {"status": 2},
                              {"repeated": 1}], 110.0),
            ([], [{"failed": 1}], None),
        )
        for good, bad, expected in table:
            rows = [row(cpu_s=cpu) for cpu in good] + [row(cpu_s=999.0, **each) for each in bad]
            self.assertEqual(figures.reference_cpu(rows), expected)

    def test_a_run_on_a_slow_machine_counts_as_if_it_had_been_fast(self):
        slow = row(cpu_s=150.0, total_s=90.0)
        self.assertAlmostEqual(figures.normalised(slow, 100.0), 60.0)

    def test_wasted_cpu_earns_no_credit(self):
        killed = row(cpu_s=150.0, wasted_s=50.0, total_s=90.0, failed=2)
        self.assertAlmostEqual(figures.normalised(killed, 100.0), 90.0)

    def test_without_anything_to_compare_with_times_stay_as_they_are(self):
        self.assertEqual(figures.normalised(row(), None), 60.0)
        self.assertEqual(figures.normalised(row(cpu_s=0.0), 100.0), 60.0)


class Ratios(unittest.TestCase):
    def test_the_yardstick_is_the_best_make_that_had_no_failure(self):
        rows = [row("make-j2", total_s=60.0), row("make-j1", total_s=120.0),
                row("make-j4", total_s=40.0, failed=1), row("make-j8-l2", total_s=30.0),
                row("batch-warm", total_s=45.0)]
        found = figures.ratios(rows, "batch-warm", figures.FIXED, 100.0)
        self.assertEqual(list(found.values()), [0.75])

    def test_the_oracle_is_taken_in_its_better_order_under_the_same_budget(self):
        rows = [row("oracle-first-fit-90", total_s=50.0), row("oracle-biggest-90", total_s=40.0),
                row("oracle-biggest", total_s=10.0), row("batch-warm", total_s=44.0)]
        found = figures.ratios(rows, "batch-warm", figures.ORACLE_90, 100.0)
        self.assertAlmostEqual(list(found.values())[0], 1.1)

    def test_cells_are_not_mixed_and_the_tenants_is_left_out(self):
        rows = [row("make-j2", total_s=60.0), row("make-j2", seed=2, total_s=100.0),
                row("make-j2", tenant=1, total_s=10.0), row("batch-warm", seed=2, total_s=50.0),
                row("batch-warm", tenant=1, total_s=90.0)]
        found = figures.ratios(rows, "batch-warm", figures.FIXED, 100.0)
        self.assertEqual({cell.seed: value for cell, value in found.items()}, {2: 0.5})

    def test_a_run_that_never_built_everything_has_no_ratio(self):
        rows = [row("make-j2"), row("batch-warm", unbuilt=1)]
        self.assertEqual(figures.ratios(rows, "batch-warm", figures.FIXED, 100.0), {})

    def test_a_run_repeated_later_replaces_the_earlier_one(self):
        rows = [row("make-j2"), row("batch-warm", total_s=90.0), row("batch-warm", total_s=30.0)]
        found = figures.ratios(rows, "batch-warm", figures.FIXED, 100.0)
        self.assertEqual(list(found.values()), [0.5])


class Lateness(unittest.TestCase):
    def late(self, starts, **changes):
        rows = [row("make-j1"), row("batch-arrival", starts=starts, **changes)]
        return list(figures.lateness(rows, "batch-arrival", 100.0).values())[0]

    def test_the_latest_job_counts(self):
        table = (
            ({"amber": 0.1, "birch": 0.2, "cedar": 30.0}, 0.1),
            ({"amber": 0.0, "birch": 26.0, "cedar": 41.0}, 6.0),
        )
        for starts, expected in table:
            self.assertAlmostEqual(self.late(starts), expected)

    def test_starts_are_normalised_like_totals(self):
        starts = {"amber": 0.0, "birch": 30.0, "cedar": 60.0}
        self.assertAlmostEqual(self.late(starts, cpu_s=150.0), 0.0)

    def test_a_job_that_never_started_is_as_late_as_the_end_of_the_run(self):
        self.assertAlmostEqual(self.late({"amber": 0.0, "birch": 0.0}), 20.0)


class Scorecard(unittest.TestCase):
    def test_counts_must_hold_in_every_cell_and_times_in_the_middle_of_a_limits_cells(self):
        rows = [row("make-j2", seed=seed) for seed in (1, 2, 3)]
        rows += [row("batch-warm", seed=seed, total_s=total, oom_kills=kills)
                 for seed, total, kills in ((1, 48.0, 0), (2, 51.0, 0), (3, 66.0, 1))]
        card = figures.scorecard(rows)
        kills = figure(card, "batch-warm: OOM kills in a cell")
        self.assertEqual((kills.value, kills.within, kills.cells, kills.passed), (1, 2, 3, False))
        time = figure(card, "batch-warm / the best make -jN, limit 1.9 x")
        self.assertAlmostEqual(time.value, 0.85)
        self.assertAlmostEqual(time.worst, 1.1)
        self.assertEqual((time.within, time.bound, time.passed), (2, 0.90, True))

    def test_bounds_are_met_exactly(self):
        table = ((1.45, 54.0, True), (1.9, 54.1, False), (2.9, 61.2, True), (2.9, 61.3, False))
        for factor, total, passed in table:
            rows = [row("make-j2", factor=factor), row("batch-warm", factor=factor, total_s=total)]
            name = f"batch-warm / the best make -jN, limit {factor:g} x"
            self.assertEqual(figure(figures.scorecard(rows), name).passed, passed, factor)

    def test_a_cold_jobserver_may_have_one_kill_and_beside_a_tenant_its_kills_are_only_told(self):
        rows = [row("jobserver-cold", oom_kills=1), row("jobserver-cold", tenant=1, oom_kills=7),
                row("jobserver-warm", tenant=1, oom_kills=3), row("batch-cold", tenant=1)]
        card = figures.scorecard(rows)
        self.assertTrue(figure(card, "jobserver-cold: OOM kills in a cell").passed)
        told = figure(card, "jobserver-warm: OOM kills beside the second tenant")
        self.assertEqual((told.value, told.passed), (3, None))
        self.assertEqual(figure(card, "batch-cold: OOM kills in a cell").cells, 1)

    def test_what_was_not_measured_neither_passes_nor_fails(self):
        card = figures.scorecard([])
        self.assertTrue(card)
        self.assertEqual({each.passed for each in card}, {None})
        self.assertIn("no data", text.scorecard(card))

    def test_overhead_is_compared_with_its_bounds(self):
        card = figures.scorecard([], {"batch-off": 0.99, "batch-auto": 2.01})
        self.assertTrue(figure(card, "batch-off: overhead per no-op job").passed)
        self.assertFalse(figure(card, "batch-auto: overhead per no-op job").passed)


class Table(unittest.TestCase):
    def test_a_line_has_medians_of_times_and_sums_of_losses(self):
        rows = [row(seed=seed, total_s=total, failed=failed, oom_kills=failed, braked=1)
                for seed, total, failed in ((1, 50.0, 0), (2, 60.0, 2), (3, 90.0, 1))]
        line, = figures.lines(rows)
        self.assertEqual((line.runs, line.total_s), (3, 60.0))
        self.assertEqual((line.least_s, line.most_s), (50.0, 90.0))
        self.assertEqual((line.failed, line.oom_kills, line.braked), (3, 3, 3))

    def test_sections_are_shuffled_heavy_first_second_tenant_for_each_limit(self):
        rows = [row(factor=2.9, tenant=1), row(factor=2.9, order="heavy-first"), row(factor=2.9),
                row(factor=1.45)]
        sections = [(line.factor, line.order, line.tenant) for line in figures.lines(rows)]
        self.assertEqual(sections, [(1.45, "shuffled", 0), (2.9, "shuffled", 0),
                                    (2.9, "heavy-first", 0), (2.9, "shuffled", 1)])

    def test_people_are_told_what_counts_for_nothing(self):
        rows = [row(unbuilt=2), row("ninja", tenant=1, tenant_killed=1)]
        printed = text.table(figures.lines(rows))
        self.assertIn("2 jobs were never built", printed)
        self.assertIn("the second tenant was killed", printed)


if __name__ == "__main__":
    unittest.main()
