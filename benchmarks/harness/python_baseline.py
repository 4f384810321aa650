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

    def inputs(self):
        """All inputs; those without dimensions are numbers."""
        return [numpy.load(file)[()] for file in self._files]

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


def run(solve, *options, prepare=lambda value: value, finish=lambda results: results):
    """Measures `solve`, which takes the inputs, then the numbers that the command line gives to `options`, and returns one array or a
    tuple of them. `prepare` brings an input to where `solve` wants it, without the clock. `finish` waits until results are there, and
    counts."""
    this = Run()
    values = [prepare(value) for value in this.inputs()] + [this.number(name, 0) for name in options]
    kept = []

    def solved():
        kept[:] = [finish(solve(*values))]

    def outputs():
        return [numpy.asarray(result) for result in (kept[0] if isinstance(kept[0], (tuple, list)) else kept)]
    this.measure(kept.clear, solved, outputs)
