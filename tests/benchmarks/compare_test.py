# SPDX-License-Identifier: MIT
"""Measurements are kept as they are, and benchmarks/compare finds what changed beyond the noise, and nothing else."""

import contextlib
import io
import math
import pathlib
import random
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from harness import compare, page  # noqa: E402
from harness.results import Measured, MeasuredProblem, MeasuredWorkload, Results, least_ns, ratio  # noqa: E402


def results(seed, factors, rounds=7):
    """A run in which contender X takes 1 ms times factors[X], with noise of the machine and of each contender."""
    noise = random.Random(seed)
    machine = [math.exp(noise.gauss(0, 0.2)) for _ in range(rounds)]
    contenders = [Measured(name, "baseline" if name == "by hand" else "program", "cpu", error=0.0,
                           rounds_ns=[[1e6 * factor * each * math.exp(noise.gauss(0, 0.005)) for _ in range(3)] for each in machine])
                  for name, factor in factors.items()]
    contenders.append(Measured("library", "baseline", "cpu", "missing", "needs libx-dev"))
    problem = MeasuredProblem({"n": 100}, {"read_bytes": 8e5, "written_bytes": 8e5, "flops": 1e3}, contenders)
    return Results({"processor": "P", "cpus": 2, "compiler": "c++ 1", "device": ""}, {"rounds": rounds}, {"cpu triad": [10.0, 12.0, 11.0]},
                   [MeasuredWorkload("copy", "Copy", "nowhere", [problem])])


class Compare(unittest.TestCase):
    def run_compare(self, old, new, *options):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in ("old.json", "new.json")]
            for file, each in zip(files, (old, new)):
                each.save(file)
            text = io.StringIO()
            with contextlib.redirect_stdout(text):
                self.assertEqual(compare.main([*map(str, files), *options]), 0)
        return text.getvalue()

    def test_a_faster_program_is_found_although_the_machine_is_noisy(self):
        text = self.run_compare(results(1, {"by hand": 1, "tuned": 1.0, "default": 2}), results(2, {"by hand": 1, "tuned": 0.8, "default": 2}))
        self.assertRegex(text, r"tuned +1\.2[0-9] ")
        self.assertNotIn("default", text)
        self.assertIn("1 of 3 figures changed", text)

    def test_noise_is_no_change(self):
        factors = {"by hand": 1, "tuned": 1.0, "default": 2}
        self.assertIn("0 of 3 figures changed", self.run_compare(results(3, factors), results(4, factors)))

    def test_small_changes_are_left_out_if_asked(self):
        old, new = results(5, {"by hand": 1, "tuned": 1.0}), results(6, {"by hand": 1, "tuned": 0.8})
        self.assertIn("0 of 2 figures changed", self.run_compare(old, new, "--least", "0.5"))

    def test_another_format_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.json"
            file.write_text('{"format": 2}')
            words = io.StringIO()
            with contextlib.redirect_stderr(words):
                self.assertEqual(compare.main([str(file), str(file)]), 2)
            self.assertIn("no results of format 1", words.getvalue())


class Figures(unittest.TestCase):
    def test_ratios_cancel_what_both_sides_meet(self):
        problem = results(7, {"by hand": 3, "tuned": 1}).workloads[0].problems[0]
        one = ratio(problem.named("by hand"), problem.named("tuned"))
        self.assertAlmostEqual(one.median, 3, delta=0.1)
        self.assertLess(one.high - one.low, 0.2)
        self.assertTrue(math.isnan(ratio(problem.named("library"), problem.named("tuned")).median))

    def test_the_ceiling_is_what_bounds_the_work(self):
        rates = {"cpu triad": [10.0], "cpu read": [20.0], "cpu fma": [50.0]}
        self.assertEqual(least_ns({"read_bytes": 100, "written_bytes": 100, "flops": 10}, rates, "cpu"), (20.0, "cpu triad"))
        self.assertEqual(least_ns({"read_bytes": 100, "written_bytes": 1, "flops": 10}, rates, "cpu"), (5.05, "cpu read"))
        self.assertEqual(least_ns({"read_bytes": 1, "written_bytes": 1, "flops": 1000}, rates, "cpu"), (20.0, "cpu fma"))

    def test_files_keep_what_was_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.json"
            results(8, {"by hand": 1, "tuned": 2}).save(file)
            again = Results.load(file)
        contender = again.workloads[0].problems[0].named("tuned")
        self.assertEqual(len(contender.rounds_ns), 7)
        self.assertGreater(contender.median(), 5e5)

    def test_the_page_has_plots_and_no_links_to_elsewhere(self):
        text = page.page(results(9, {"by hand": 1, "tuned": 0.5}))
        self.assertIn("<svg", text)
        self.assertIn("needs libx-dev", text)
        self.assertNotIn("http", text)


if __name__ == "__main__":
    unittest.main()
