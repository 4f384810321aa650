# SPDX-License-Identifier: MIT
"""Experiments are measured in rounds as workloads are, and reported with one line per size."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from harness import page, text_report  # noqa: E402
from harness.contenders import Failed, Unable  # noqa: E402
from harness.experiment import Contender, Experiment, ExperimentRun  # noqa: E402
from harness.results import Results  # noqa: E402
from harness.rounds import Options  # noqa: E402


class NoCeilings:
    samples = 0

    def sample(self):
        self.samples += 1


def contenders(_run, size):
    def unable(_trials):
        raise Unable("lacks something")

    def wrong(_trials):
        raise Failed("wrong result")

    yield Contender("by hand", "baseline", lambda trials: [4e6 * size["n"]] * trials)
    yield Contender("ours", "program", lambda trials: [2e6 * size["n"]] * trials)
    yield Contender("theirs", "baseline", unable)
    yield Contender("odd", "program", wrong)


EXPERIMENT = Experiment(title="Something", source="nowhere", part="some", contenders=contenders, sizes={"smoke": [{"n": 1}, {"n": 2}]})


class Experiments(unittest.TestCase):
    def measure(self, only=""):
        self.ceilings = NoCeilings()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
            options = Options(pathlib.Path(folder), threads=1, trials=3, rounds=5, device="none", limit_s=1, tune="none", only=only)
            return ExperimentRun(pathlib.Path(folder) / "what", EXPERIMENT, None, options).run(EXPERIMENT.sizes["smoke"], self.ceilings)

    def test_each_round_has_the_times_of_its_trials(self):
        measured = self.measure()
        self.assertEqual(measured.name, "what.some")
        self.assertEqual(measured.problems[1].named("ours").rounds_ns, [[4e6] * 3] * 5)
        self.assertEqual(self.ceilings.samples, 10)

    def test_who_cannot_run_is_missing_and_who_is_wrong_failed(self):
        problem = self.measure().problems[0]
        self.assertEqual([each.status for each in problem.contenders], ["ok", "ok", "missing", "failed"])
        self.assertEqual(problem.named("odd").message, "wrong result")

    def test_contenders_are_those_that_were_asked_for(self):
        self.assertEqual([each.name for each in self.measure("hand,our").problems[0].contenders], ["by hand", "ours"])

    def test_a_second_name_of_a_contender_has_its_times(self):
        calls = []

        def times(trials):
            calls.append(trials)
            return [1e6 * len(calls)] * trials

        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
            options = Options(pathlib.Path(folder), threads=1, trials=2, rounds=3, device="none", limit_s=1, tune="none")
            run = ExperimentRun(pathlib.Path(folder) / "what", EXPERIMENT, None, options)
            both, able = run.checked([Contender(name, "program", times) for name in ("default", "tuned")], None)
            del calls[:]
            run.rounds(None, able, NoCeilings(), {"tuned": "default"})
        self.assertEqual(calls, [2] * 3)
        self.assertEqual([each.rounds_ns for each in both], [[[1e6] * 2, [2e6] * 2, [3e6] * 2]] * 2)

    def test_several_sizes_are_one_table(self):
        results = Results({"processor": "P", "cpus": 2, "compiler": "c++ 1", "device": ""}, {}, {}, [self.measure()])
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            text_report.print_results(results)
        self.assertRegex(text.getvalue(), r"n=2 +8\.00 +4\.00 +- +- +2\.00")
        self.assertRegex(text.getvalue(), r"geometric mean +2\.00")
        self.assertNotIn("The fastest of each problem", text.getvalue())
        self.assertIn("n=1: theirs: missing: lacks something", text.getvalue())
        self.assertEqual(page.page(results).count("<table>"), 2)


if __name__ == "__main__":
    unittest.main()
