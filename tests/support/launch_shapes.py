# SPDX-License-Identifier: MIT
"""Runs of a program with choices and shapes of launches, whose results have the bits of a reference."""

import itertools

import numpy as np

import arrays
import polybricks

NUM_SHAPES = 5 if polybricks.is_nightly() else 1  # random shapes per case
NUM_MIXED = 3 if polybricks.is_nightly() else 1  # mixtures of devices and the CPU per case
# Work-items and places of a work-item, per loop; the runtime chooses all of them first.
SHAPES = [((0, 0, 0), (0, 0, 0)), ((5, 7, 3), (1, 2, 3))] + ([((1, 1, 1), (1, 1, 1)), ((64, 2, 4), (2, 16, 1))] if polybricks.is_nightly() else [])


def on_device(alternatives):
    return next((a for a in alternatives if a[1] == "opencl"), alternatives[0])


class Check:
    """A compiled program, the names of its outputs, and the rules whose launches get the shapes.

    A case is a pair of lists: the inputs, and what the outputs must be."""

    def __init__(self, program, work, names, rules, rng):
        self.program, self.work, self.names, self.rules, self.rng, self.num_runs = program, work, names, rules, rng, 0

    def config(self, choose, shape):
        choices, tunables = {}, {}
        for transform, site, alternatives in self.program.sites():
            choices.setdefault(transform, {})[site] = choose(alternatives)
        for transform, data in self.program.info["transforms"].items():
            for rule, (role, numbers) in itertools.product(self.rules, zip(("work_group", "items"), shape)):
                tunable = data["tunables"].get(f"{rule}.opencl.{role}")
                if tunable:
                    tunables.setdefault(transform, {})[f"{rule}.opencl.{role}"] = list(numbers[:tunable["count"]]) if "count" in tunable else numbers[0]
        return choices, self.program.configuration(choices, tunables, sequential_cutoff=0, threads=2)

    def run(self, case, choose, shape, *options, env=None):
        """Runs the program and returns its statistics."""
        choices, config = self.config(choose, shape)
        got, statistics = arrays.run(self.program, self.work, arrays.save(self.work, case[0]), self.names, *options, entry=config, env=env)
        self.num_runs += 1
        for (name, found), value in zip(got.items(), case[1]):
            polybricks.check(np.array_equal(found, value),
                             f"{self.program.path.name}, {[m.shape for m in case[0]]}, {options}, {choices}, shape {shape}, seed {polybricks.seed()}: "
                             f"{name} is {found} and not {value}")
        return statistics

    def run_on_device(self, case, shape):
        """Only inputs are copied to the device: all else is there already."""
        device = self.run(case, on_device, shape, "--strict", "--device-copies")["devices"][0]
        if "--checked" in self.program.path.name:
            return  # old values of outputs count there
        most = sum(each.nbytes for each in case[0])
        polybricks.check(device["bytes_to_device"] <= most + 64, f"{self.program.path.name}: {device} of {most} bytes to the device")

    def draw_shape(self):
        return [int(n) for n in self.rng.integers(1, 20, 3)], [int(n) for n in self.rng.integers(1, 5, 3)]

    def run_all(self, case):
        self.run(case, lambda alternatives: alternatives[0], SHAPES[0])
        for shape in SHAPES + [self.draw_shape() for _ in range(NUM_SHAPES)]:
            self.run_on_device(case, shape)
        for _ in range(NUM_MIXED):
            self.run(case, lambda alternatives: alternatives[self.rng.integers(len(alternatives))], self.draw_shape(), "--device-copies")
