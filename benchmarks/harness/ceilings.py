# SPDX-License-Identifier: MIT
"""What the machine can do at most, measured in the rounds of the same run."""

import json
import pathlib

from .common import polybricks
from .compile_baseline import Missing, compile_baseline
from .workload import Baseline

CPU = Baseline("CPU", "ceilings.cpp", ("-fopenmp",))


class Ceilings:
    """Rates by name, in bytes or floating-point operations per ns, one value per sample."""

    def __init__(self, options):
        self.values = {}
        self._commands = []
        elements = 1 << 24 if options.rounds > 1 else 1 << 16
        try:
            program = compile_baseline(pathlib.Path(__file__).resolve().parent, CPU, options.out)
            self._commands.append([program, "--threads", options.threads, "--elements", elements])
        except Missing:
            pass

    def sample(self):
        """Measures once more."""
        for command in self._commands:
            for name, value in json.loads(polybricks.run_tool(command).stdout).items():
                self.values.setdefault(name, []).append(value)
