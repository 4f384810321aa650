# SPDX-License-Identifier: MIT
"""Systems with three diagonals: one large one, or many small ones."""

import numpy

from harness.workload import Baseline, Work, Workload, at


def inputs(size, random):
    shape = (size["m"], size["n"])
    return [random.uniform(-1, 1, shape), random.uniform(2.5, 4, shape), random.uniform(-1, 1, shape), random.uniform(-1, 1, shape)]


def thomas(columns):
    """Solves the system whose diagonals and right side are given as sequences. Their elements are numbers, or arrays of many systems."""
    ratios, values, ratio, value = [], [], 0.0, 0.0
    for a, b, c, d in columns:
        pivot = b - a * ratio
        ratio, value = c / pivot, (d - a * value) / pivot
        ratios.append(ratio)
        values.append(value)
    for i in range(len(values) - 2, -1, -1):
        values[i] = values[i] - ratios[i] * values[i + 1]
    return values


def reference(size, *matrices):
    if size["n"] == 0 or size["m"] == 0:
        return [numpy.zeros((size["m"], size["n"]))]
    if size["m"] < 16:
        return [numpy.array([thomas(zip(*(matrix[s].tolist() for matrix in matrices))) for s in range(size["m"])])]
    return [numpy.array(thomas(zip(*(matrix.T for matrix in matrices)))).T]


def choice(rule, systems="OneByOne", columns=("Down", "Up"), on="cpu", smallest=64, chunk=2):
    """A configuration: the rule of `Solve`, how the systems at its end are eliminated, and where data-parallel steps run."""
    down, up = columns
    sites = {
        "Solve": {"Eliminate|Chunks|CyclicReduction|ParallelReduction": at(rule)},
        "Systems": {"OneByOne|SideBySide|Transposed": at(systems)},
        "Columns": {"Down|Column&Up|Column": [{"rules": {"Down|Column": down, "Up|Column": up}, "on": on}]},
        "Transpose": {"Cells": at("Cells", on)},
        "Reduce": {"Kept": at("Kept", on)},
        "Expand": {"Unknowns": at("Unknowns", on)},
        "Split": {"Even": at("Even", on), "Odd": at("Odd", on)},
        "Join": {"Unknowns": at("Unknowns", on)},
        f"Partition<{chunk}>": {"OneEnds|LanesOfEnds": at("LanesOfEnds" if systems == "SideBySide" else "OneEnds"),
                                "OneInside|LanesInside": at("LanesInside" if systems == "SideBySide" else "OneInside")},
    }
    transforms = {name: {"sites": here} for name, here in sites.items()}
    transforms["Solve"]["tunables"] = {"smallest": smallest, "chunk": chunk}
    cutoff = {} if on == "cpu" else {"sequential_cutoff": 0}
    return lambda threads: {"global": {"threads": threads, **cutoff}, "transforms": transforms}


COLUMN = ("Column", "Column")

WORKLOAD = Workload(
    title="Tridiagonal systems",
    source="P. Phothilimthana et al., Portable Performance on Heterogeneous Architectures, 2013, after Y. Zhang, J. Cohen, J. Owens, "
           "Fast Tridiagonal Solvers on the GPU, 2010",
    inputs=inputs,
    reference=reference,
    sizes={"smoke": [{"n": 1, "m": 1}, {"n": 2503, "m": 3}, {"n": 37, "m": 19}],
           "cpu": [{"n": 1 << 20, "m": 1}, {"n": 1024, "m": 1024}],
           "gpu": [{"n": 1 << 20, "m": 1}, {"n": 1024, "m": 1024}, {"n": 512, "m": 512}, {"n": 1 << 24, "m": 1}, {"n": 512, "m": 1 << 15}]},
    work=lambda size: Work(read_bytes=32 * size["n"] * size["m"], written_bytes=8 * size["n"] * size["m"], flops=9 * size["n"] * size["m"]),
    choices={
        "Thomas": choice("Eliminate"),
        "Thomas, systems side by side": choice("Eliminate", systems="SideBySide"),
        "Thomas, transposed": choice("Eliminate", systems="Transposed"),
        "chunks": choice("Chunks"),
        "chunks side by side": choice("Chunks", systems="SideBySide"),
        "cyclic reduction": choice("CyclicReduction", smallest=1),
        "cyclic reduction, then Thomas": choice("CyclicReduction", systems="SideBySide", smallest=512),
        "parallel cyclic reduction": choice("ParallelReduction", smallest=1),
        "parallel cyclic reduction, then Thomas": choice("ParallelReduction", systems="SideBySide", smallest=512),
        "Thomas on the device": choice("Eliminate", systems="Transposed", columns=COLUMN, on="opencl"),
        "cyclic reduction on the device": choice("CyclicReduction", systems="Transposed", columns=COLUMN, on="opencl", smallest=1),
        "parallel cyclic reduction on the device": choice("ParallelReduction", systems="Transposed", columns=COLUMN, on="opencl", smallest=1),
        "parallel cyclic reduction, then Thomas, on the device":
            choice("ParallelReduction", systems="Transposed", columns=COLUMN, on="opencl", smallest=128),
    },
    baselines=(
        Baseline("LAPACK gtsv", "lapack.cpp", ("-llapacke", "-lopenblas"), ("liblapacke-dev", "libopenblas-dev")),
        Baseline("Thomas, OpenMP", "openmp.cpp", ("-fopenmp",)),
        Baseline("OpenCL by hand, cyclic reduction", "opencl.cpp", ("-lOpenCL",), ("ocl-icd-opencl-dev",), on="opencl"),
        Baseline("cuSPARSE gtsv2", "cusparse.cu", ("-lcusparse",), ("nvidia-cuda-toolkit",), on="cuda", applies=lambda size: size["n"] >= 3),
    ),
)
