# SPDX-License-Identifier: MIT
"""Accelerations of bodies that attract one another, all pairs."""

import numpy

from harness.workload import Baseline, Work, Workload, single_rule

SOFTENING = 1e-3


def inputs(size, random):
    n = size["n"]
    return [random.uniform(0.5, 1.5, n), *(random.uniform(-1, 1, n) for _ in range(3))]


def reference(size, mass, *positions):
    sums = [numpy.zeros(size["n"]) for _ in range(3)]
    for first in range(0, size["n"], 256):
        part = slice(first, first + 256)
        distances = [axis[None, :] - axis[part, None] for axis in positions]
        square = sum(d * d for d in distances) + SOFTENING
        factor = mass[None, :] / (square * numpy.sqrt(square))
        for total, d in zip(sums, distances):
            total[part] = (factor * d).sum(axis=1)
    return sums


def choice(on, **tunables):
    return single_rule("Accelerations", "AllPairs", "AllPairs", on, tunables)


WORKLOAD = Workload(
    title="n-body",
    source="L. Nyland, M. Harris, J. Prins, Fast N-Body Simulation with CUDA, 2007; a benchmark of Lift (2017)",
    inputs=inputs,
    reference=reference,
    sizes={"smoke": [{"n": 1}, {"n": 307}], "cpu": [{"n": 8192}], "gpu": [{"n": 8192}, {"n": 65536}]},
    # 20 operations per pair, as the source counts them.
    work=lambda size: Work(read_bytes=32 * size["n"], written_bytes=24 * size["n"], flops=20.0 * size["n"] ** 2),
    choices={
        "on the CPU": choice("cpu"),
        "on the device": choice("opencl"),
        "on the device, in tiles": choice("opencl_local"),
    },
    baselines=(
        Baseline("OpenMP", "openmp.cpp", ("-fopenmp",)),
        Baseline("OpenMP simd", "openmp.cpp", ("-fopenmp",), options={"way": "simd"}),
        Baseline("OpenCL by hand, in tiles", "opencl.cpp", ("-lOpenCL",), ("ocl-icd-opencl-dev",), on="opencl"),
    ),
)
