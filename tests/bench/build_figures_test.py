"""What bench/build makes of the lines of its program, and of its rows. No build runs."""

import pathlib
import subprocess
import sys
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
BENCH = PROJECT / "bench" / "build"
sys.path[:0] = [str(BENCH), str(PROJECT / "bench" / "lab")]

import rows  # noqa: E402  found through the path above
import stamps  # noqa: E402
import summary  # noqa: E402


class Stamps(unittest.TestCase):
    def test_a_line_has_the_start_each_continuation_and_the_end(self):
        read = stamps.read("1.5 2.0:7 3.0:90 4.25\n5 6\n")
        self.assertEqual(read, [stamps.Stamp(1.5, ((2.0, 7), (3.0, 90)), 4.25),
                                stamps.Stamp(5.0, (), 6.0)])

    def test_each_start_is_counted_from_the_first_exit_that_no_start_has_used(self):
        read = stamps.read("0 10\n0 11\n1 10.5:3 20\n11.25 30\n")
        found = stamps.latencies(read)
        self.assertEqual(found, [0.5, 0.25])

    def test_a_continuation_after_the_first_is_no_start(self):
        read = stamps.read("0 10\n1 10.5:3 12:3 20\n")
        self.assertEqual(stamps.latencies(read), [0.5])

    def test_the_memory_of_the_first_stop_counts(self):
        read = stamps.read("0 1:99 2:150 3\n0 1:100 3\n0 3\n")
        self.assertEqual(stamps.held_below(read, 100), (2, 1))

    def test_a_percentile_of_few_is_the_largest_and_of_none_is_none(self):
        self.assertEqual(stamps.percentile([3, 1, 2], 0.95), 3)
        self.assertEqual(stamps.percentile(range(100), 0.5), 50)
        self.assertIsNone(stamps.percentile([], 0.95))


def row(contender, number, seconds, **changes):
    values = dict(figure="tiny", contender=contender, round=number, when="", load=1.0, limit_mb=0,
                  jobs=10, seconds=seconds, done=10, oom_kills=0, peak_mb=5.0, cpu_s=1.0, status=0,
                  facts={})
    return rows.Row(**dict(values, **changes))


class Summary(unittest.TestCase):
    def test_ratios_are_within_a_round_and_their_median_counts(self):
        table = summary.of([row("make-j4", 1, 10.0), row("build", 1, 11.0),
                            row("make-j4", 2, 20.0), row("build", 2, 30.0),
                            row("make-j4", 3, 10.0), row("build", 3, 12.0),
                            row("build", 4, 99.0)])
        self.assertEqual([line["ratio"] for line in table], [1.0, 1.2])

    def test_failures_and_kills_are_summed(self):
        line, = summary.of([row("build", 1, 1.0, done=7, oom_kills=2), row("build", 2, 1.0, done=9)])
        self.assertEqual((line["failed"], line["jobs"], line["oom_kills"]), (4, 20, 2))


class CommandLine(unittest.TestCase):
    def call(self, *words):
        return subprocess.run([sys.executable, "-B", BENCH / "run", *words], text=True,
                              capture_output=True, timeout=30, check=False)

    def test_the_list_names_every_figure(self):
        said = self.call("--list")
        self.assertEqual(said.returncode, 0, said.stderr)
        for name in ("hits", "room", "execs", "tiny", "recipes", "four"):
            self.assertRegex(said.stdout, rf"(?m)^{name} ")

    def test_an_unknown_figure_is_named(self):
        said = self.call("--list", "sixes")
        self.assertEqual(said.returncode, 2)
        self.assertIn("no figure sixes; --list shows them", said.stderr)


if __name__ == "__main__":
    unittest.main()
