# SPDX-License-Identifier: MIT
"""What baselines in Python share: the command line of baseline.h, NumPy files, and the clock."""

import json
import pathlib
import sys
import time

import numpy


class Run:
    """The command line, and what is measured."""

    def __init__(self):
        words, self._options, self._files = iter(sys.argv[1:]), {}, []
        for word in words:
            if word.startswith("--"):
                self._options[word[2:]] = next(words)
            else:
                self._files.append(word)

    def number(self, name, otherwise):
        """The value of an option."""
        return int(self._options.get(name, otherwise))

    def input(self, number):
        return numpy.load(self._files[number])

    def measure(self, prepare, solve, outputs):
        """Runs `solve` once without counting, writes what `outputs` returns, and then runs `solve` as often as asked. `prepare` comes
        before each run and is not timed."""
        times = []
        for trial in range(self.number("trials", 3) + 1):
            prepare()
            start = time.perf_counter_ns()
            solve()
            times.append(time.perf_counter_ns() - start)
            if trial == 0 and "out" in self._options:
                for number, array in enumerate(outputs()):
                    numpy.save(pathlib.Path(self._options["out"]) / f"out{number}.npy", array)
        print(json.dumps({"times_ns": times[1:], "kernel_ns": []}))
