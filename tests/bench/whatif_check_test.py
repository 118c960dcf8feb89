"""When an answer of `sluice whatif` counts as right. No work runs: the bench answers from numbers."""

import pathlib
import sys
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "bench"))

import whatif_check  # noqa: E402  found through the path above


def waits(p50, p95):
    return {"waits": {"p50_seconds": p50, "p95_seconds": p95}}


class Recorded(whatif_check.Bench):
    """Knows what each state folder of a run and the model would say."""

    def __init__(self, recorded, answer, real):
        super().__init__("sluice", pathlib.Path("/nowhere"))
        self.recorded, self.answer, self.real, self.runs = recorded, answer, list(real), []

    def run(self, cell, name, seed, history=None, changed=False):
        self.runs.append((name, seed, history, changed))
        return pathlib.Path(name)

    def whatif(self, state, *question):
        if not question:
            return {"recorded": waits(*self.real.pop(0))}
        return {"recorded": waits(*self.recorded), "model": waits(*self.recorded), "variants": [waits(*self.answer)]}


def found(recorded, answer, real):
    bench = Recorded(recorded, answer, real)
    return whatif_check.check(bench, whatif_check.all_cells()[0], len(real)), bench


class Check(unittest.TestCase):
    def test_an_answer_holds_within_a_tenth_of_the_median_and_a_quarter_of_the_95th_percentile(self):
        both, _ = found((10, 10), (21.9, 49), [(20, 40)] * 3)
        self.assertTrue(both["p50_seconds"]["holds"])
        self.assertTrue(both["p95_seconds"]["holds"])
        both, _ = found((10, 10), (22.1, 51), [(20, 40)] * 3)
        self.assertFalse(both["p50_seconds"]["holds"])
        self.assertFalse(both["p95_seconds"]["holds"])

    def test_half_a_second_and_the_spread_of_the_real_runs_are_allowed(self):
        both, _ = found((10, 10), (0.4, 30), [(0, 20), (0, 22), (0, 32)])
        self.assertTrue(both["p50_seconds"]["holds"])
        self.assertTrue(both["p95_seconds"]["holds"], "12 s of spread")

    def test_a_cell_passes_if_its_answers_hold_and_one_of_the_recorded_waits_does_not(self):
        both, _ = found((10, 20), (30, 60), [(30, 60)] * 3)
        self.assertTrue(whatif_check.passes(both))
        both, _ = found((10, 60), (30, 60), [(30, 60)] * 3)
        self.assertTrue(whatif_check.passes(both))

    def test_recorded_waits_do_not_pass_where_the_configuration_changed_the_waits(self):
        both, _ = found((10, 20), (10, 20), [(30, 60)] * 3)
        self.assertFalse(whatif_check.passes(both))

    def test_a_cell_in_which_the_recorded_waits_hold_shows_nothing(self):
        both, _ = found((10, 20), (10, 20), [(10, 20)] * 3)
        self.assertFalse(whatif_check.passes(both))

    def test_all_runs_start_with_what_was_learned_in_another_order(self):
        _, bench = found((10, 20), (30, 60), [(30, 60)] * 2)
        learned = pathlib.Path("learned/history.db")
        asked = whatif_check.ASKED_ORDER
        self.assertNotEqual(whatif_check.LEARNED_ORDER, asked)
        self.assertEqual(bench.runs, [
            ("learned", whatif_check.LEARNED_ORDER, None, False), ("recorded", asked, learned, False),
            ("real-0", asked, learned, True), ("real-1", asked, learned, True)])


if __name__ == "__main__":
    unittest.main()
