# SPDX-License-Identifier: MIT
"""Benchmarks that compare something else than a program with baselines: what tasks cost, what a compiler takes.

A workload.py may hold Experiments beside Workloads, or instead of them.
"""

import dataclasses
import pathlib
import typing

from .results import MeasuredProblem
from .rounds import Run, say
from .workload import size_text


@dataclasses.dataclass(frozen=True)
class Experiment:
    """One benchmark. `contenders(run, size)` yields what takes part at one size: `run` is the ExperimentRun, and each contender one of
    `run.hand_written`, or a Contender."""
    title: str
    source: str                                   # where the question comes from
    sizes: dict[str, list[dict]]                  # as those of a Workload; values may be words
    contenders: typing.Callable
    part: str = ""                                # its name among the benchmarks of a folder

    @property
    def own_name(self):
        return self.part


@dataclasses.dataclass(frozen=True)
class Contender:
    """What takes part. `times(trials)` returns times in ns; it raises Failed, or Unable where the machine lacks something."""
    name: str
    kind: str                                     # "program" or "baseline"
    times: typing.Callable[[int], list]
    on: str = "cpu"
    lines: int | None = None                      # of code in its source file

    def check(self, _problem):
        """Runs it once. Results are judged by `times`."""
        self.times(1)

    def measure(self, _problem, trials):
        return self.times(trials), []


@dataclasses.dataclass(frozen=True)
class Setting:
    """One size of an experiment, as baselines are told it."""
    size: dict
    folder: pathlib.Path
    files: tuple = ()

    def words(self):
        return [word for name, value in self.size.items() for word in (f"--{name}", str(value))]

    def output_files(self):
        return []

    def error(self):
        """Nothing is known of errors: baselines of experiments judge their results themselves."""


class ExperimentRun(Run):
    """An experiment on its way."""

    def compile(self, source, *options):
        """Returns the program of a file."""
        return self.tools.compile(source, self.out / "_".join([self.name, source.parent.name, source.stem, *(word.strip("-") for word in options)]), *options)

    def _problem(self, size, ceilings):
        say(f"{self.name}, {size_text(size)}")
        setting = Setting(size, self.out)
        wanted = (each for each in self.benchmark.contenders(self, size) if self.is_wanted(each.name))
        measured, able = self.checked(wanted, setting)
        self.rounds(setting, able, ceilings)
        return MeasuredProblem(size, {"read_bytes": 0, "written_bytes": 0, "flops": 0}, measured)
