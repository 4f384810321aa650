# SPDX-License-Identifier: MIT
"""Rules with more than three variables on a device: groups of all values of the slowest ones stand one behind another.

    batches_test.py --dist BUILD/dist --work FOLDER

All versions and shapes give what NumPy does. Sums are of small whole numbers, so they are exact in any order.
"""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
from device_programs import on_device, shapes  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "batches"
AS_GPU = {"POLYBRICKS_RUN_AS_GPU": "1"}
NUM_RANDOM = 6 if polybricks.is_nightly() else 1  # random shapes per program


def numbers(rng, *shape):
    return rng.integers(-4, 5, shape).astype(np.float32)


def convolved(pictures, weights):
    """Out[z, f, y, x], the sums of a layer: inputs are [z, c, y, x] and [f, c, j, i]."""
    rows, columns = weights.shape[2:]
    h, w = pictures.shape[2] - rows + 1, pictures.shape[3] - columns + 1
    return sum(np.einsum("zchw,fc->zfhw", pictures[:, :, j:j + h, i:i + w], weights[:, :, j, i]) for j in range(rows) for i in range(columns))


def layers(rng, size):
    w, h, c, f, batch = size
    pictures, weights = numbers(rng, batch, c, h, w), numbers(rng, f, c, 3, 3)
    points, wide, lines, turned = numbers(rng, f, c, 1, 1), numbers(rng, f, c, 5, 5), numbers(rng, f, c, 1, 3), numbers(rng, 3, 3, c, f)
    want = {"Layer": convolved(pictures, weights), "Points": convolved(pictures, points), "Wide": convolved(pictures, wide), "Lines": convolved(pictures, lines),
            "Turned": convolved(pictures, turned.transpose(3, 2, 0, 1)), "Part": convolved(pictures, weights[:, :, :2]), "Middle": convolved(pictures, wide[:, :, 1:4])}
    return [pictures, weights, points, wide, lines, turned], want


def views(rng, size):
    """The weights are a part of a larger matrix, so that no two of their dimensions are one run."""
    w, h, c, f, batch = size
    pictures, large = numbers(rng, batch, c, h, w), numbers(rng, f, c, 4, 5)
    return [pictures, large], {"Out": convolved(pictures, large[:, :, 1:4, 1:4])}


def stacks(rng, size):
    n, m, k, p, q = size
    a, b = numbers(rng, 2, q, p, m, k), numbers(rng, q, k, n)
    out = np.einsum("rqpmk,qkn->rqpmn", a, b)
    return [a, b], {"Five": out, "Four": out[0], "Turned": out[1, ::-1]}


def cells(rng, size):
    n, m, k, p, q = size
    a = numbers(rng, 2, q, p + 1, m + 2, n + 1)
    near = a[:, :, 1:, :m, :n] + 2 * a[:, :, :-1, 1:m + 1, 1:] - a[:, :, 1:, 2:, :n]
    return [a], {"Near": near, "Sums": a[:, :, :p, :m + 2, :].sum(4), "Window": sum(a[0, :, :p, j:j + m, i:i + n] for j in range(3) for i in range(2))}


# Per program: what makes inputs and results, whether folds may run in blocks, and sizes.
CASES = {"layers": (layers, True, ((5, 5, 1, 1, 1), (37, 7, 8, 5, 2))), "views": (views, True, ((5, 5, 1, 1, 1), (36, 5, 8, 5, 2))),
         "stacks": (stacks, True, ((1, 1, 1, 1, 1), (13, 7, 9, 3, 4))), "cells": (cells, False, ((1, 1, 1, 1, 1), (21, 5, 3, 6, 4)))}


class Test:
    def __init__(self, tools, work, name):
        self.work, self.name = work, name
        self.make, self.has_blocks, self.sizes = CASES[name]
        self.program = tools.compile(PROGRAMS / f"{name}.pbcc", work / name, "--element", "float")
        self.rng = np.random.default_rng(polybricks.seed())
        self.num_runs = 0

    def tunables(self, group, items, **others):
        """`others`: values by role."""
        of_role = {"work_group": group, "items": items}
        out = shapes(self.program, lambda role, count: of_role[role][:count])
        for name, transform in self.program.info["transforms"].items():
            for tunable, data in transform["tunables"].items():
                if data["role"] in others:
                    out.setdefault(name, {})[tunable] = others[data["role"]]
        return out

    def compare(self, files, want, version, tunables, env, in_blocks):
        entry = on_device(self.program, version, tunables=tunables)
        got, statistics = arrays.run(self.program, self.work, files, list(want), "--strict", "--device-copies", "--fill-nan", entry=entry, env=env)
        what = f"{self.name} {version} {tunables}, seed {polybricks.seed()}"
        for output, value in want.items():
            polybricks.check(np.array_equal(got[output], value), f"{what}: {output} is\n{got[output]}\nnot\n{value}")
        device = statistics["devices"][0]
        polybricks.check(device["launches"] > 0, f"{what}: nothing ran on the device")
        polybricks.check(not in_blocks or device["launches_in_blocks"] == len(want), f"{what}: {device['launches_in_blocks']} launches in blocks")
        self.num_runs += 1

    def random_shape(self):
        while True:
            group, items = ([int(self.rng.integers(1, most)) for most in (9, 5, 4)] for _ in range(2))
            if np.prod(group) <= 64 and np.prod(items) <= 16:
                return group, items

    def run_plain(self, files, want):
        for version in ("opencl", "opencl_local"):
            # PoCL takes seconds for a kernel whose folds are long, and minutes where it writes their loops out as for a GPU.
            fixed = [([4, 2, 2], [1, 2, 3])] if version == "opencl" or not self.has_blocks else [([0, 0, 0], [0, 0, 0])]
            num_random = 0 if self.has_blocks and not polybricks.is_nightly() else NUM_RANDOM
            for group, items in fixed + [self.random_shape() for _ in range(num_random)]:
                for env in ({},) if self.has_blocks else ({}, AS_GPU):
                    self.compare(files, want, version, self.tunables(group, items, block_rounds=0), env, False)

    def run_folds(self, files, want, schedules):
        for rounds, stages, parts in schedules if self.has_blocks else ():
            values = {"block_items": [4, 2], "block_rounds": rounds, "block_stages": stages, "block_parts": parts}
            self.compare(files, want, "opencl", self.tunables([4, 2, 2], [1, 1, 1], **values), AS_GPU, True)
        for lanes in () if self.has_blocks else (2, 64, 2048):
            self.compare(files, want, "opencl", self.tunables([0, 0, 0], [0, 0, 0], fold_items=lanes), AS_GPU, False)

    def run(self):
        schedules = ((4, 1, 1), (2, 1, 3), (int(self.rng.integers(1, 12)), int(self.rng.integers(1, 3)), 1))
        if polybricks.is_nightly():
            schedules += ((4, 2, 1),)
        for size in self.sizes:
            matrices, want = self.make(self.rng, size)
            files = arrays.save(self.work, matrices)
            is_last = size == self.sizes[-1]
            if is_last:
                self.run_plain(files, want)
            self.run_folds(files, want, schedules if is_last else schedules[:1])


def main():
    args = polybricks.arguments(__doc__).parse_args()
    tools, work = polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "batches")
    num_runs = 0
    for name in CASES:
        test = Test(tools, work, name)
        test.run()
        num_runs += test.num_runs
    print(f"{num_runs} runs agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
