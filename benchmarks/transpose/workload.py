# SPDX-License-Identifier: MIT
"""The transposed matrix: reads and writes in different orders."""

from harness import openblas
from harness.workload import Baseline, Work, Workload, single_rule


def inputs(size, random):
    return [random.uniform(-1, 1, (size["h"], size["w"]))]


def reference(_size, a):
    return [a.T]


def choice(on, **tunables):
    return single_rule("Transpose", "Cells", "Cells", on, tunables)


def square(n):
    return {"w": n, "h": n}


WORKLOAD = Workload(
    title="Transposition",
    source="G. Ruetsch, P. Micikevicius, Optimizing Matrix Transpose in CUDA, 2009",
    inputs=inputs,
    reference=reference,
    tolerance=0,
    # A side that is a power of two puts a column into few sets of a cache.
    sizes={"smoke": [square(1), {"w": 131, "h": 67}], "cpu": [square(4096), {"w": 4001, "h": 3989}], "gpu": [square(8192), {"w": 8009, "h": 7993}]},
    work=lambda size: Work(read_bytes=8 * size["w"] * size["h"], written_bytes=8 * size["w"] * size["h"]),
    choices={"on the CPU": choice("cpu"), "on the device": choice("opencl")},
    baselines=(
        Baseline("OpenMP, two loops", "openmp.cpp", ("-fopenmp",), options={"block": "1000000"}),
        Baseline("OpenMP in blocks", "openmp.cpp", ("-fopenmp",), options={"block": "32"}),
        *openblas.baselines("openblas.cpp", "OpenBLAS omatcopy"),
        Baseline("OpenCL in tiles", "opencl.cpp", ("-lOpenCL",), ("ocl-icd-opencl-dev",), on="opencl"),
        Baseline("cuBLAS geam", "cublas.cu", ("-lcublas",), ("nvidia-cuda-toolkit",), on="cuda"),
    ),
)
