"""What the rows of the gauntlet are made into, and what its gate asserts."""

import unittest

from gauntlet_here import row, round_of

import cells
import figures
import jobs
import neighbours
import series
import short
import text
import trial

CPU = next(cell for cell in cells.all_cells() if cell.name == "cpu")


def figure(card, name):
    return next(each for each in card if each.name == name)


class Estimates(unittest.TestCase):
    def test_the_interval_is_of_order_statistics_and_says_how_often_it_holds(self):
        table = (
            ([3.0], 3.0, 3.0, 3.0, 0.0),
            ([5.0, 1.0, 2.0, 4.0, 3.0], 3.0, 1.0, 5.0, 0.9375),
            ([float(n) for n in range(1, 10)], 5.0, 2.0, 8.0, 0.9609375),
        )
        for values, median, low, high, coverage in table:
            found = figures.estimate(values)
            self.assertEqual((found.median, found.low, found.high), (median, low, high))
            self.assertAlmostEqual(found.coverage, coverage)
        self.assertIsNone(figures.estimate([]))


class Pairs(unittest.TestCase):
    def test_ours_are_paired_with_the_best_that_ran_before_them_in_the_same_round(self):
        rows = (round_of(1, ("make-j2", 50.0), ("batch-cold", 55.0), ("batch-warm", 51.0),
                         ("make-j2", 40.0), ("jobserver-cold", 44.0))
                + round_of(2, ("make-j2", 100.0), ("batch-cold", 120.0)))
        self.assertEqual(figures.ratios(figures.pairs(rows, "cpu", "batch-cold"), "total_s"),
                         [1.1, 1.2])
        self.assertEqual(figures.ratios(figures.pairs(rows, "cpu", "jobserver-cold"), "total_s"),
                         [1.1])
        self.assertEqual(figures.ratios(figures.best_pairs(rows, "cpu"), "total_s"), [0.8])

    def test_other_cells_and_unfinished_runs_do_not_count(self):
        rows = round_of(1, ("make-j2", 50.0), ("batch-cold", 55.0), cell="wait")
        unfinished = [row("make-j2", phase="pair", round=1),
                      row("batch-cold", phase="pair", round=1, slot=1, undone=1)]
        self.assertEqual(figures.pairs(rows + unfinished, "cpu", "batch-cold"), [])


class Scorecard(unittest.TestCase):
    def card(self, *warm):
        rows = [each for number, total in enumerate(warm, 1)
                for each in round_of(number, ("make-j2", 100.0), ("batch-warm", total))]
        return figures.scorecard(rows, [CPU])

    def test_a_figure_holds_if_its_interval_reaches_the_bound(self):
        table = (
            ((101.0, 102.0, 102.5), "reached"),
            ((102.0, 104.0, 105.0), "within its interval"),
            ((113.3, 113.3, 114.0), "missed by 10 %"),
        )
        for warm, expected in table:
            found = figure(self.card(*warm), "cpu: batch-warm, total")
            self.assertEqual(text.verdict(found), expected, warm)

    def test_a_lower_bound_is_missed_from_below(self):
        found = figures.judged("share", [0.6, 0.6, 0.6], 0.8, at_least=1)
        self.assertEqual(text.verdict(found), "missed by 25 %")
        self.assertTrue(figures.judged("share", [0.9, 0.7], 0.8, at_least=1).holds)

    def test_cells_that_did_not_run_are_not_measured(self):
        found = figure(figures.scorecard([], [CPU]), "cpu: batch-warm, total")
        self.assertEqual(text.verdict(found), "not measured")

    def test_cpu_seconds_memory_and_stretch_are_judged_beside_the_total(self):
        card = self.card(100.0)
        self.assertEqual(figure(card, "cpu: batch-warm, CPU s").bound, 1.03)
        self.assertEqual(figure(card, "cpu: batch-cold, CPU s").bound, 1.08)
        self.assertEqual(figure(card, "cpu: batch-warm, peak memory").bound, 1.15)
        self.assertEqual(figure(card, "cpu: batch-warm, p95 stretch").bound, 1.8)

    def test_a_kill_or_a_failure_of_ours_is_a_miss_of_its_own(self):
        card = figures.scorecard([row("batch-warm", oom_kills=1, failed=2)], [CPU])
        self.assertEqual(text.verdict(figure(card, "cpu: batch-warm, OOM kills")), "missed")
        self.assertEqual(figure(card, "cpu: batch-warm, failed jobs").value.median, 2)

    def test_it_is_printed_with_the_table(self):
        rows = round_of(1, ("make-j2", 100.0), ("batch-warm", 101.0))
        self.assertIn("make-j2", text.table(figures.lines(rows)))
        self.assertIn("not measured", text.scorecard(self.card()))


class Means(unittest.TestCase):
    def setUp(self):
        some = cells.alone(jobs.sleeps(4))
        self.cells = [cells.Cell("cpu", "", some), cells.Cell("wait", "", some, fixed="xargs-P",
                                                              baseline=4)]

    def rows(self):
        scan = [row("make-j1", total_s=100.0), row("make-j2", total_s=50.0),
                row("make-j3", total_s=70.0), row("make-j4", total_s=60.0),
                row("xargs-P1", cell="wait", total_s=100.0),
                row("xargs-P2", cell="wait", total_s=50.0),
                row("xargs-P3", cell="wait", total_s=35.0),
                row("xargs-P4", cell="wait", total_s=25.0)]
        return scan + (round_of(1, ("make-j2", 50.0), ("batch-cold", 55.0), ("batch-warm", 50.0))
                       + round_of(1, ("xargs-P4", 25.0), ("batch-cold", 50.0), ("batch-warm", 25.0),
                                  cell="wait"))

    def test_ours_are_compared_with_the_single_n_that_is_best_over_all_cells(self):
        card = figures.scorecard(self.rows(), self.cells)
        warm = next(each for each in card if "geometric mean of batch-warm" in each.name)
        # make-j4: 1.2 x the best and 1 x; ours: 1 x and 1 x.
        self.assertIn("N, 4, in 2 cells", warm.name)
        self.assertAlmostEqual(warm.value.median, 1.0 / 1.2 ** 0.5)
        self.assertTrue(warm.holds is False)

    def test_a_cell_whose_pass_one_was_interrupted_does_not_count(self):
        rows = [each for each in self.rows() if each.contender != "xargs-P4" or each.round]
        self.assertEqual(figures.means(rows, self.cells)[2], ["cpu"])

    def test_an_n_that_pass_one_did_not_reach_counts_as_the_rule_that_stopped_it(self):
        found = figures.to_best(self.cells[0], {1: 50.0, 2: 100.0})
        self.assertEqual([found[n] for n in (1, 2, 3, 4)], [1.0, 2.0, 1.5, 1.5])

    def test_an_n_larger_than_all_jobs_counts_as_the_one_that_runs_all(self):
        found = figures.to_best(self.cells[0], {1: 100.0, 2: 60.0, 3: 50.0, 4: 55.0})
        self.assertEqual({found[n] for n in (4, 6, 200)}, {1.1})


class Neighbours(unittest.TestCase):
    def card(self, name, rows):
        return figures.scorecard(rows, [each for each in cells.all_cells() if each.name == name])

    def test_what_a_thread_got_has_lower_bounds(self):
        rows = [row("batch-warm", cell="neighbour-thread", phase="pair", round=1, slot=2,
                    neighbour_share=0.82, neighbour_later_share=0.8)]
        card = self.card("neighbour-thread", rows)
        found = {each.name: each for each in card}
        stay = found["neighbour-thread: batch-warm, its share over its stay"]
        later = found["neighbour-thread: batch-warm, once earlier jobs ended"]
        self.assertEqual((stay.holds, later.holds), (True, False))

    def test_beside_a_build_ours_are_compared_with_as_many_by_hand(self):
        rows = [row("batch-cold", cell="neighbour-make-j8", phase="pair", round=1, slot=0,
                    cpu_s=80.0, total_s=100.0),
                row("make-j2", cell="neighbour-make-j8", phase="pair", round=1, slot=1,
                    cpu_s=80.0, total_s=80.0)]
        found = figure(self.card("neighbour-make-j8", rows),
                       "neighbour-make-j8: batch-cold, CPU by as many by hand")
        self.assertAlmostEqual(found.value.median, 0.8)
        self.assertFalse(found.holds)

    def test_beside_niced_threads_ours_are_compared_with_themselves_alone(self):
        rows = round_of(1, ("batch-cold-alone", 50.0), ("batch-cold", 54.0),
                        ("batch-warm-alone", 50.0), ("batch-warm", 60.0), cell="neighbour-nice19")
        card = self.card("neighbour-nice19", rows)
        self.assertEqual([each.holds for each in card[:2]], [True, False])

    def test_what_older_rows_lack_is_not_recorded(self):
        for cell, what, name, bound in (
                ("neighbour-thread", "busy_again_s", "busy again, s", 2.0),
                ("neighbour-make-j8", "below_half_s", "longest below half, s", 0.5)):
            def verdict(cell=cell, name=name, **columns):
                rows = [row("batch-warm", cell=cell, phase="pair", round=1, slot=2, **columns)]
                return text.verdict(figure(self.card(cell, rows), f"{cell}: batch-warm, {name}"))
            self.assertEqual(verdict(), "not recorded")
            self.assertEqual(verdict(**{what: 0.9 * bound}), "reached")
            self.assertEqual(verdict(**{what: 1.1 * bound}), "missed by 10 %")
            cold = figure(self.card(cell, []), f"{cell}: batch-cold, {name}")
            self.assertEqual(text.verdict(cold), "not measured")

    def test_two_builds_with_little_memory_may_have_no_kill(self):
        name = "two-builds-memory"
        rows = [row("daemon-cold", cell=name, phase="pair", round=number, slot=1, oom_kills=kills)
                for number, kills in ((1, 0), (2, 0))]
        found = figure(self.card(name, rows), f"{name}: daemon-cold, OOM kills")
        self.assertEqual(text.verdict(found), "reached")
        rows.append(row("daemon-cold", cell=name, phase="pair", round=3, slot=1, oom_kills=1))
        kills = [each for each in self.card(name, rows) if each.name == found.name]
        self.assertEqual([text.verdict(each) for each in kills], ["missed"])
        warm = figure(self.card(name, rows), f"{name}: daemon-warm, OOM kills")
        self.assertEqual(text.verdict(warm), "not measured")

    def test_the_cpus_are_busy_again_at_a_look_that_began_after_the_thread_had_left(self):
        def looks(*shares):
            return [series.Look(20.0 + 0.25 * number, 2, busy, -1.0, 0.0)
                    for number, busy in enumerate(shares)]
        self.assertEqual(series.busy_again(looks(1, 0.99, 0.6, 0.95, 1), 20.125), 0.625)
        self.assertEqual(series.busy_again(looks(1, 0.5, 0.5, 0.5), 20.0), 0.75, "never again")
        self.assertIsNone(series.busy_again(looks(1, 1), 20.1))

    def test_a_thread_that_the_contender_did_not_outlive_has_not_left(self):
        thread = neighbours.Thread("/", None)
        self.assertIsNone(thread.left())
        thread.used = [(neighbours.FROM_S, 0.0), (neighbours.UNTIL_S - 1, 9.0)]
        self.assertIsNone(thread.left())
        thread.used.append((neighbours.UNTIL_S + 0.05, 10.0))
        self.assertEqual(thread.left(), neighbours.UNTIL_S + 0.05)

    def test_the_longest_time_below_half_is_that_in_which_jobs_waited(self):
        table = (
            ([], 1, 0.0),
            ([(0, 5), (5, 9)], 1, 0.0),
            ([(0, 5), (5.25, 9), (10, 12)], 1, 1.0),
            # After the last start nothing waits.
            ([(0, 5), (1, 20)], 2, 1.0),
            ([(0, 9), (1, 3), (7, 9), (8, 9)], 2, 4.0),
        )
        for spans, least, expected in table:
            found = trial.longest_below([jobs.Span(*span) for span in spans], least)
            self.assertEqual(found, expected, spans)

    def test_a_share_is_of_the_time_since_then(self):
        used = [(8.0, 0.0), (10.0, 1.0), (12.0, 3.0)]
        self.assertEqual(neighbours.share_since(used, 8.0), 0.75)
        self.assertEqual(neighbours.share_since(used, 9.5), 1.0)
        self.assertEqual(neighbours.share_since(used, 12.0), -1.0)
        self.assertEqual(neighbours.share_since([], 8.0), -1.0)

    def test_it_is_settled_when_the_jobs_that_ran_as_it_came_have_ended(self):
        spans = [jobs.Span(0, 5), jobs.Span(4, 9), jobs.Span(7, 11), jobs.Span(9, 20)]
        self.assertEqual(neighbours.settled(spans, 8), 11)
        self.assertEqual(neighbours.settled([], 8), 8)


class Gate(unittest.TestCase):
    def test_outcomes_are_asserted_and_times_never(self):
        good = dict(phase="pair", round=1, slot=1, contender="batch-cold")
        table = (
            (row(cell="wait", jobs_most=51, total_s=9999.0, **good), ""),
            (row(cell="wait", jobs_most=50, **good), "50 sleeps at once"),
            (row(cell="mixed-sleeps-first", compilers_most=4, **good), ""),
            (row(cell="mixed-sleeps-first", compilers_most=5, **good), "5 compilers at once"),
            (row(cell="wait", jobs_most=99, oom_kills=1, **good), "1 OOM kills"),
            (row(cell="wait", jobs_most=99, failed=3, **good), "3 of 48 jobs not done"),
            (row(cell="wait", jobs_most=99, status=-9, **good), "exit status -9"),
        )
        for each, expected in table:
            found = short.problems(each, 2)
            self.assertEqual(len(found), 1 if expected else 0, found)
            if expected:
                self.assertIn(expected, found[0])

    def test_a_host_that_does_not_count_cpu_time_is_seen(self):
        self.assertTrue(short.cpus_are_measured((100, 200), (120, 250)))
        self.assertFalse(short.cpus_are_measured((0, 0), (0, 0)))
        self.assertFalse(short.cpus_are_measured((100, 200), (150, 250)))


if __name__ == "__main__":
    unittest.main()
