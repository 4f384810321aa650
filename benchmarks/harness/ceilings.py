# SPDX-License-Identifier: MIT
"""What the machine can do at most, measured in the rounds of the same run."""

import json
import pathlib

from .common import polybricks
from .compile_baseline import Missing, compile_baseline
from .workload import Baseline

CPU = Baseline("CPU", "ceilings.cpp", ("-fopenmp",))
DEVICE = Baseline("device", "ceilings_opencl.cpp", ("-lOpenCL",), on="opencl")


class Ceilings:
    """Rates by name, in bytes or floating-point operations per ns, one value per sample. A device is measured if the run has one;
    baselines in CUDA have the ceilings of the OpenCL device."""

    def __init__(self, options):
        self.values = {}
        self._commands = []
        tiny = options.rounds <= 1
        self._add(CPU, options, "--threads", options.threads, "--elements", 1 << 16 if tiny else 1 << 24)
        if options.device != "none":
            self._add(DEVICE, options, "--device", options.device, *(("--elements", 1 << 16, "--steps", 64) if tiny else ()))

    def _add(self, baseline, options, *words):
        """Compiles a program that measures ceilings. Without the libraries that it needs there are none."""
        try:
            self._commands.append([compile_baseline(pathlib.Path(__file__).resolve().parent, baseline, options.out), *words])
        except Missing:
            pass

    def sample(self):
        """Measures once more."""
        for command in self._commands:
            for name, value in json.loads(polybricks.run_tool(command).stdout).items():
                self.values.setdefault(name, []).append(value)
