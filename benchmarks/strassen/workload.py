# SPDX-License-Identifier: MIT
"""Products of dense matrices, with Strassen's recursion among the choices."""

from harness import openblas
from harness.workload import Baseline, Work, Workload

CUTS = "Whole|ByRows|ByColumns|ByInner|ByAll|Strassen"
DIRECT = "Library|Definition|TransposedA|TransposedB|TransposedBoth|Blocked"


def inputs(size, random):
    return [random.uniform(-1, 1, (size["m"], size["k"])), random.uniform(-1, 1, (size["k"], size["n"]))]


def reference(_size, a, b):
    return [a @ b]


def direct(rule, on="cpu"):
    """A product that is not cut."""
    return {"global": {"sequential_cutoff": 1}, "transforms": {"Direct": {"sites": {DIRECT: [{"rule": rule, "on": on}]}}}}


def cut(rule, leaf=512, below=None):
    """A product that is cut while its sides are longer than `leaf`. `below` is (size, rule): smaller products are cut by that rule.
    OpenBLAS makes what is left."""
    levels = [{"rule": rule, "on": "cpu"}]
    if below:
        levels = [{"rule": below[1], "on": "cpu"}, {"from": below[0], "rule": rule, "on": "cpu"}]
    return {"global": {"openblas_threads": 1},
            "transforms": {"Multiply": {"sites": {CUTS: levels}, "tunables": {"leaf": leaf}},
                           "Direct": {"sites": {DIRECT: [{"rule": "Library", "on": "cpu"}]}}}}


def library(threads):
    return {"global": {"threads": 1, "openblas_threads": threads}, "transforms": direct("Library")["transforms"]}


def cube(n):
    return {"m": n, "k": n, "n": n}


WORKLOAD = Workload(
    title="Strassen",
    source="P. Phothilimthana et al., Portable Performance on Heterogeneous Architectures, 2013",
    inputs=inputs,
    search_sizes=lambda size: ("--n", size["n"]) if size == cube(size["n"]) else (),
    reference=reference,
    sizes={"smoke": [cube(1), {"m": 65, "k": 131, "n": 97}, {"m": 541, "k": 523, "n": 521}],
           "cpu": [cube(1024), cube(4096)],
           "gpu": [cube(1024), cube(4096), cube(8192)]},
    work=lambda size: Work(read_bytes=8 * size["k"] * (size["m"] + size["n"]), written_bytes=8 * size["m"] * size["n"],
                           flops=2 * size["m"] * size["n"] * size["k"]),
    choices={
        "definition": direct("Definition"),
        "A transposed": direct("TransposedA"),
        "B transposed": direct("TransposedB"),
        "both transposed": direct("TransposedBoth"),
        "blocked": direct("Blocked"),
        "OpenBLAS alone": library,
        "by rows": cut("ByRows"),
        "by columns": cut("ByColumns"),
        "by the inner side": cut("ByInner"),
        "eight products": cut("ByAll"),
        "Strassen down to 512": cut("Strassen", 512),
        "Strassen down to 1024": cut("Strassen", 1024),
        "Strassen once, then rows": cut("Strassen", 512, (1025, "ByRows")),
        "on the device": direct("Definition", "opencl"),
        "on the device, in tiles": direct("Definition", "opencl_local"),
        "on the device, B transposed": direct("TransposedB", "opencl"),
    },
    baselines=(
        *openblas.baselines("openblas.cpp"),
        Baseline("OpenMP in blocks", "openmp.cpp", ("-fopenmp",)),
        Baseline("OpenCL in tiles", "opencl.cpp", ("-lOpenCL",), ("ocl-icd-opencl-dev",), on="opencl"),
        Baseline("CLBlast", "clblast.cpp", ("-lclblast", "-lOpenCL"), ("libclblast-dev", "ocl-icd-opencl-dev"), on="opencl"),
        Baseline("cuBLAS", "cublas.cpp", ("-lcublas", "-lcudart"), ("nvidia-cuda-dev",), on="cuda"),
    ),
)
