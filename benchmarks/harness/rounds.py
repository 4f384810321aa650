# SPDX-License-Identifier: MIT
"""What all measurements share: contenders are tried first, and then timed in interleaved rounds."""

import dataclasses
import random
import sys

from .common import polybricks
from .compile_baseline import Missing, command_of, with_runtime
from .contenders import Failed, HandWritten
from .environment import Environment
from .results import Measured, MeasuredWorkload


@dataclasses.dataclass
class Options:
    """What a run is asked to do."""
    out: object                  # folder for programs and inputs
    threads: int
    trials: int
    rounds: int
    device: str                  # as --device has it
    limit_s: float               # a contender that takes longer is left out
    tune: str                    # "none" or an effort of pbtune
    config: object = None        # a configuration file to measure as well
    only: str = ""               # contenders whose names hold one of these words, separated by commas
    seed: int = 1
    samples: int = 0             # random configurations that are compared with the reference, but not measured
    element: str = "double"      # what ElementT is
    is_resident: bool = False    # data is on the device before the clock starts, and stays there
    with_groups: bool = False    # choices on a device get the fastest groups
    environment: Environment = dataclasses.field(default_factory=lambda: Environment(None))   # of baselines in Python


class CompilingOnce(polybricks.Tools):
    """The tools, which compile each program with the same options once."""

    def __init__(self, dist):
        super().__init__(dist)
        self._programs = {}

    def compile(self, source, output, *options):
        """Returns the program, which lies elsewhere than in `output` if it was compiled before. Raises ToolError."""
        key = (source, *options)
        if key not in self._programs:
            self._programs[key] = super().compile(source, output, *options)
        return self._programs[key]


def say(text):
    print(text, file=sys.stderr, flush=True)


class Run:
    """One benchmark on its way. A subclass has `_problem(size, ceilings)`, which measures one size."""

    def __init__(self, folder, benchmark, tools, options):
        self.folder, self.benchmark, self.tools, self.options = folder, benchmark, tools, options
        self.name = f"{folder.name}.{benchmark.own_name}" if benchmark.own_name else folder.name
        self.out = options.out / folder.name
        self.out.mkdir(parents=True, exist_ok=True)
        self.device_options = ["--device", options.device]
        self.has_device = options.device != "none"

    def device_name(self):
        """The name of the OpenCL device in use, or an empty text."""
        return ""

    def run(self, sizes, ceilings):
        """Measures every size. `ceilings.sample()` is called in each round."""
        problems = [self._problem(size, ceilings) for size in sizes]
        return MeasuredWorkload(self.name, self.benchmark.title, self.benchmark.source, problems)

    def is_wanted(self, name):
        """Whether `--only` asks for a contender."""
        return not self.options.only or any(word in name for word in self.options.only.split(","))

    def hand_written(self, baseline, kind="baseline"):
        """Returns the contender that a baseline is, or a Measured that says what is missing."""
        try:
            if baseline.on != "cpu" and not self.has_device:
                raise Missing("no device is in use")
            command = command_of(self.folder, with_runtime(baseline, self.tools.dist), self.out, self.options.environment)
        except Missing as error:
            say(f"  {baseline.name}: missing: {error}")
            return Measured(baseline.name, kind, baseline.on, "missing", str(error))
        return HandWritten(baseline, self.folder, command, self.options, kind)

    @staticmethod
    def checked(contenders, problem):
        """Tries each contender once. `contenders` may yield a Measured in place of one that is missing.

        Returns what is known of all, and pairs (contender, Measured) of those that may be timed.
        """
        measured, able = [], []
        for contender in contenders:
            if isinstance(contender, Measured):
                measured.append(contender)
                continue
            figures = Measured(contender.name, contender.kind, contender.on, lines=contender.lines)
            measured.append(figures)
            try:
                figures.error = contender.check(problem)
                able.append((contender, figures))
            except Failed as error:
                _give_up(figures, error)
        return measured, able

    def rounds(self, problem, able, ceilings, same_as=None):
        """Times the contenders that `checked` returned, in random order in each round. `same_as` names contenders that are another one
        under a second name: they have its times, because a difference between the two would be noise."""
        same_as = same_as or {}
        timed = [(contender, figures) for contender, figures in able if contender.name not in same_as]
        order = random.Random(self.options.seed)
        for number in range(self.options.rounds):
            say(f"  round {number + 1} of {self.options.rounds}")
            ceilings.sample()
            for contender, figures in order.sample(timed, len(timed)):
                if figures.status != "ok":
                    continue
                try:
                    times, kernels = contender.measure(problem, self.options.trials)
                    figures.rounds_ns.append(times)
                    if kernels:
                        figures.kernels_ns.append(kernels)
                except Failed as error:
                    _give_up(figures, error)
        known = {figures.name: figures for _, figures in timed}
        for contender, figures in able:
            if contender.name in same_as:
                other = known[same_as[contender.name]]
                figures.status, figures.message, figures.rounds_ns = other.status, other.message, list(other.rounds_ns)


def _give_up(figures, error):
    figures.status, figures.message, figures.rounds_ns = error.status, str(error), []
    say(f"  {figures.name}: {error}")
