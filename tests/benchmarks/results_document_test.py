# SPDX-License-Identifier: MIT
"""The page of results says what the measurements say, machine by machine."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from harness import results_document  # noqa: E402
from harness.results import Measured, MeasuredProblem, MeasuredWorkload, Results  # noqa: E402


def measured(name, kind, milliseconds, on="cpu"):
    return Measured(name, kind, on, error=0.0, rounds_ns=[[1e6 * milliseconds * drift] for drift in (1, 1.1, 0.9)])


def results(processor, contenders):
    machine = {"processor": processor, "cpus": 2, "compiler": "c++ 1", "numpy": "2", "system": "Linux 6", "device": ""}
    problem = MeasuredProblem({"n": 1000}, {"read_bytes": 4e6, "written_bytes": 4e6, "flops": 0}, contenders)
    return Results(machine, {"threads": 2, "rounds": 3, "trials": 1, "tune": "quick"}, {"cpu triad": [8.0, 8.0, 8.0]},
                   [MeasuredWorkload("copy", "Copy", "nowhere", [problem])])


class ResultsDocument(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def run_publish(self, *options):
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            status = results_document.main(["--results", str(self.path), "--to", str(self.path / "results.md"), *options])
        return status, errors.getvalue()

    def page(self, *runs):
        for number, run in enumerate(runs):
            run.save(self.path / f"{number}.json")
        self.assertEqual(self.run_publish(), (0, ""))
        return (self.path / "results.md").read_text()

    def test_ratios_are_those_of_the_tuned_program(self):
        page = self.page(results("P", [measured("default", "program", 4), measured("tuned", "program", 2), measured("by definition", "program", 3),
                                       measured("OpenMP", "baseline", 5), Measured("MKL", "baseline", "cpu", "missing", "needs mkl")]))
        self.assertIn("| n=1000 | 2.00 ms | cpu | 50 % of cpu triad | 1.50 (by definition) | 2.50 |", page)
        self.assertIn("| P, 2 CPUs | 1 | 2.50 | 1 | 2.50 |", page)
        self.assertIn("Not measured: MKL (needs mkl).", page)

    def test_without_tuning_the_fastest_choice_counts(self):
        page = self.page(results("P", [measured("default", "program", 4), measured("by definition", "program", 3), measured("OpenMP", "baseline", 3)]))
        self.assertIn("| 3.00 ms | cpu: by definition | 33 % of cpu triad | 1.33 (default) | 1.00 |", page)

    def test_kernels_are_compared_with_kernels(self):
        ours, theirs = measured("tuned", "program", 4, "opencl"), measured("CUDA", "baseline", 2, "cuda")
        ours.kernels_ns, theirs.kernels_ns = [[1e6], [1e6], [1e6]], [[3e6], [3e6], [3e6]]
        self.assertIn("| 0.50 (kernels 3.00) |", self.page(results("P", [ours, theirs])))

    def test_the_page_in_docs_says_what_the_measurements_say(self):
        self.assertEqual(results_document.main(["--check"]), 0)

    def test_each_machine_has_a_section(self):
        same = [measured("tuned", "program", 2), measured("OpenMP", "baseline", 5)]
        page = self.page(results("P", same), results("Q", same), results("P", same))
        self.assertEqual([line for line in page.splitlines() if line.startswith("## ")], ["## P, 2 CPUs", "## Q, 2 CPUs"])
        self.assertEqual(page.count("### Copy"), 3)

    def test_what_something_costs_has_a_table_of_its_own_and_no_part_in_the_summary(self):
        run = results("P", [measured("off", "baseline", 2), measured("--trace", "program", 4)])
        run.workloads[0].problems[0].work = {"read_bytes": 0, "written_bytes": 0, "flops": 0}
        page = self.page(run)
        self.assertIn("| n=1000 | 2.00 | 4.00 | 0.50 |", page)
        self.assertIn("| P, 2 CPUs | 0 | - | - | - |", page)

    def test_a_check_finds_a_page_of_old_measurements(self):
        self.page(results("P", [measured("tuned", "program", 2)]))
        self.assertEqual(self.run_publish("--check"), (0, ""))
        results("P", [measured("tuned", "program", 1)]).save(self.path / "0.json")
        status, errors = self.run_publish("--check")
        self.assertEqual(status, 1)
        self.assertIn("writes it anew", errors)

    def test_a_file_that_holds_no_results_is_named(self):
        (self.path / "odd.json").write_text("{}")
        status, errors = self.run_publish()
        self.assertEqual(status, 2)
        self.assertIn("odd.json: no results of format 1", errors)


if __name__ == "__main__":
    unittest.main()
