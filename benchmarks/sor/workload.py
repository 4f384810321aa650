# SPDX-License-Identifier: MIT
"""Red-black over-relaxation of Poisson's equation from zero."""

import numpy

from harness.workload import Baseline, Work, Workload, at

OMEGA = 1.9


def inputs(size, random):
    return [random.uniform(-1, 1, (size["m"], size["n"])), numpy.int32(size["iterations"])]


def reference(_size, f, iterations):
    rows, columns = f.shape
    u = numpy.zeros((rows + 2, columns + 2))
    for colour in [0, 1] * int(iterations):
        for y in (0, 1):
            x = (y + colour) % 2
            own = u[1 + y:-1:2, 1 + x:-1:2]
            around = f[y::2, x::2] + u[y:-2:2, 1 + x:-1:2] + u[2 + y::2, 1 + x:-1:2] + u[1 + y:-1:2, x:-2:2] + u[1 + y:-1:2, 2 + x::2]
            own += OMEGA * (0.25 * around - own)
    return [u[1:-1, 1:-1].copy()]


def choice(rule, half_sweep="Rows", on="cpu", split="cpu", steps=16):
    """A configuration: the rule of `Iterate`, how and where half sweeps run, and where the grid is split into colours and joined."""
    sites = {
        "Iterate": {"Sweeps|Bands": at(rule)},
        "HalfSweep": {"Rows|Cells": at(half_sweep, on)},
        "Split": {"Rows|Pairs": at("Rows" if split == "cpu" else "Pairs", split)},
        "Join": {"Rows|Cells": at("Rows" if split == "cpu" else "Cells", split)},
        "Zero": {"A#1": at("A#1", on)},
    }
    cutoff = {} if on == split == "cpu" else {"sequential_cutoff": 1}

    def configuration(threads):
        tunables = {"Iterate": {"steps": steps, "bands": threads}}
        return {"global": {"threads": threads, **cutoff},
                "transforms": {name: {"sites": here, "tunables": tunables.get(name, {})} for name, here in sites.items()}}
    return configuration


def half_sweeps(size):
    """What half sweeps move if no cache keeps a plane, which a rule may do that takes many half sweeps over few rows."""
    cells = size["iterations"] * size["n"] * size["m"]
    return Work(read_bytes=24 * cells, written_bytes=8 * cells, flops=8 * cells)


def grid(n, iterations, m=None):
    return {"n": n, "m": m or n, "iterations": iterations}


WORKLOAD = Workload(
    title="Poisson's equation by red-black over-relaxation",
    source="P. Phothilimthana et al., Portable Performance on Heterogeneous Architectures, 2013",
    inputs=inputs,
    reference=reference,
    sizes={"smoke": [grid(1, 3), grid(22, 9, 75), grid(37, 6, 101)],
           "cpu": [grid(2048, 100)],
           "gpu": [grid(2048, 100), grid(8192, 20)]},
    work=half_sweeps,
    choices={
        "half sweeps": choice("Sweeps"),
        "half sweeps, cell by cell": choice("Sweeps", "Cells"),
        "bands of 8 half sweeps": choice("Bands", steps=8),
        "bands of 16 half sweeps": choice("Bands"),
        "bands of 32 half sweeps": choice("Bands", steps=32),
        "half sweeps on the device": choice("Sweeps", "Cells", "opencl"),
        "half sweeps on the device, in tiles": choice("Sweeps", "Cells", "opencl_local"),
        "split and half sweeps on the device": choice("Sweeps", "Cells", "opencl", split="opencl"),
        "split on the device, half sweeps on the CPU": choice("Sweeps", split="opencl"),
    },
    baselines=(
        Baseline("OpenMP", "openmp.cpp", ("-fopenmp",)),
        *(Baseline(f"OpenMP in bands of {steps} half sweeps", "openmp.cpp", ("-fopenmp",), options={"steps": str(steps)}) for steps in (16, 32)),
        Baseline("OpenCL by hand", "opencl.cpp", ("-lOpenCL",), ("ocl-icd-opencl-dev",), on="opencl"),
    ),
)
