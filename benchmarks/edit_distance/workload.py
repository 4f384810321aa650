# SPDX-License-Identifier: MIT
"""The table of edit distances of two sequences: a recurrence without an independent dimension."""

import numpy

from harness.workload import Baseline, Work, Workload

TILES = ((64, 64), (128, 128), (256, 64), (256, 128), (256, 256), (512, 128), (512, 256), (1024, 64))


def inputs(size, random):
    return [random.integers(0, 4, size[name]).astype(float) for name in ("n", "m")]


def reference(_size, a, b):
    """Row by row. A chain of insertions along a row is the least of what its cells have without them, each less its own column."""
    columns = numpy.arange(len(a) + 1.0)
    table = numpy.empty((len(b) + 1, len(a) + 1))
    table[0] = columns
    for j, letter in enumerate(b):
        row = table[j] + 1
        row[1:] = numpy.minimum(row[1:], table[j, :-1] + (a != letter))
        table[j + 1] = numpy.minimum.accumulate(row - columns) + columns
    return [table]


WORKLOAD = Workload(
    title="Edit distances",
    source="R. A. Wagner, M. J. Fischer, The String-to-String Correction Problem, 1974",
    inputs=inputs,
    reference=reference,
    tolerance=0,
    sizes={"smoke": [{"n": 1, "m": 0}, {"n": 331, "m": 517}], "cpu": [{"n": 4096, "m": 4096}], "gpu": [{"n": 4096, "m": 4096}, {"n": 16384, "m": 16384}]},
    # Of a cell: three additions and three comparisons.
    work=lambda size: Work(read_bytes=8 * (size["n"] + size["m"]), written_bytes=8 * (size["n"] + 1) * (size["m"] + 1),
                           flops=6 * size["n"] * size["m"]),
    choices={f"tiles of {width} x {height}": {"transforms": {"EditDistance": {"tunables": {"T#4.tile": [width, height]}}}} for width, height in TILES},
    baselines=(
        Baseline("plain loops", "openmp.cpp", ("-fopenmp",), options={"tiles": "0"}),
        Baseline("OpenMP over tiles", "openmp.cpp", ("-fopenmp",)),
    ),
)
