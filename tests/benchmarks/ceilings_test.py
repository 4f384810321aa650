# SPDX-License-Identifier: MIT
"""Reports compare each contender with the ceilings of its own processor, and ceilings of a device are measured with it."""

import pathlib
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from harness import ceilings, page, text_report  # noqa: E402
from harness.compile_baseline import Missing, compile_baseline  # noqa: E402
from harness.results import Measured, MeasuredProblem, MeasuredWorkload, Results  # noqa: E402
from harness.results_document import workload_text  # noqa: E402

CPU = {"cpu triad": [8.0]}
BOTH = {**CPU, "device triad": [80.0]}


def problem(*contenders):
    return MeasuredProblem({"n": 1000}, {"read_bytes": 4e6, "written_bytes": 4e6, "flops": 0}, list(contenders))


def measured(name, on, ms, kernel_ms=None, kind="baseline"):
    return Measured(name, kind, on, rounds_ns=[[1e6 * ms]], kernels_ns=[[1e6 * kernel_ms]] if kernel_ms else [])


def row(one, contender, rates):
    """The contender's shares of ceilings by their headings."""
    figures = zip(text_report.headings(one, rates), text_report.cells(one, contender, rates))
    return {heading: cell for heading, cell in figures if "of " in heading}


class Reports(unittest.TestCase):
    def test_each_contender_has_the_ceiling_of_its_processor(self):
        on_cpu, on_device = measured("OpenMP", "cpu", 2), measured("cuBLAS", "cuda", 0.4, 0.125)
        one = problem(on_cpu, on_device)
        self.assertEqual(row(one, on_cpu, BOTH), {"of cpu triad": "50 %", "of device triad": "-", "kernels of device triad": "-"})
        self.assertEqual(row(one, on_device, BOTH), {"of cpu triad": "-", "of device triad": "25 %", "kernels of device triad": "80 %"})

    def test_there_are_no_columns_of_a_device_without_need(self):
        on_cpu, on_device = measured("OpenMP", "cpu", 2), measured("mixed", "cpu+opencl", 1)
        self.assertEqual(text_report.headings(problem(on_cpu), BOTH), ["ms", "spread", "kernels", "of cpu triad", "error", "lines"])
        self.assertEqual(row(problem(on_cpu, on_device), on_device, CPU), {"of cpu triad": "-"})

    def test_the_page_and_the_document_have_the_shares(self):
        workload = MeasuredWorkload("copy", "Copy", "nowhere", [problem(measured("tuned", "cpu+opencl", 0.4, 0.125, "program"))])
        text = page.page(Results({"processor": "P"}, {}, BOTH, [workload]))
        self.assertIn("<th>kernels of device triad</th>", text)
        self.assertIn("<td>80 %</td>", text)
        self.assertIn("| 25 % of device triad, kernels 80 % |", workload_text(workload, BOTH))


class Device(unittest.TestCase):
    def test_rates_of_the_first_device(self):
        with tempfile.TemporaryDirectory() as folder:
            options = types.SimpleNamespace(rounds=1, threads=1, device="0", out=pathlib.Path(folder))
            try:
                compile_baseline(ROOT / "benchmarks" / "harness", ceilings.DEVICE, options.out)
            except Missing as missing:
                self.skipTest(str(missing))
            rates = ceilings.Ceilings(options)
            rates.sample()
            rates.sample()
        names = ("triad", "copy", "read", "fma", "upload", "download", "pinned upload", "pinned download")
        self.assertEqual([name for name in rates.values if name.startswith("device ")], [f"device {name}" for name in names])
        for name, values in rates.values.items():
            self.assertEqual(len(values), 2, name)
            self.assertGreater(min(values), 0, name)


if __name__ == "__main__":
    unittest.main()
