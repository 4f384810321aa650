# SPDX-License-Identifier: MIT
"""Runs one program under many configurations, each with `--strict`, and compares its outputs with a reference.

What the scripts of tests/e2e share: they say which configurations, inputs and tolerance.
"""

import numpy as np


class AgreementCheck:
    """One program. A script's class derives from it and has `configurations`, and `random_input` and `agrees` where these differ."""

    def __init__(self, program, work, name, shapes, reference):
        """`shapes(n)`: what random_input makes of each input; `reference(*inputs)`: the outputs."""
        self.program, self.work, self.name = program, work, name
        self.shapes, self.reference = shapes, reference
        self.runs, self.failures = 0, []

    def configurations(self):
        """Yields (words for messages, options of the run, entry of the configuration)."""
        raise NotImplementedError

    def random_input(self, rng, shape):
        return rng.normal(size=shape)

    def agrees(self, got, want):
        raise NotImplementedError

    def run_size(self, n):
        rng = np.random.default_rng(n)
        inputs = [self.random_input(rng, shape) for shape in self.shapes(n)]
        expected = self.reference(*inputs)
        paths = [self.work / f"{self.name}_in{i}.npy" for i in range(len(inputs))]
        for path, array in zip(paths, inputs):
            np.save(path, array)
        outputs = [self.work / f"{self.name}_out{i}.npy" for i in range(len(expected))]
        config = self.work / f"{self.name}.run.cfg"
        for words, options, entry in self.configurations():
            self.program.write_configuration(config, entry)
            self.program.run("--strict", *options, *paths, *outputs, config=config)
            self.runs += 1
            for path, want in zip(outputs, expected):
                got, want = np.load(path), np.asarray(want)
                if got.shape != want.shape or not self.agrees(got, want):
                    self.failures.append(f"{self.name} n={n} {words}: {path.name} differs")

    def run_sizes(self, sizes):
        """The failures at all sizes; prints a line."""
        for n in sizes:
            self.run_size(n)
        print(f"{self.name}: {self.runs} runs, {len(self.failures)} failures")
        return self.failures
