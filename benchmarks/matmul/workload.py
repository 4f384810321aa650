# SPDX-License-Identifier: MIT
"""Products of dense matrices: the definition, blocks in the language, a library, and Strassen's recursion; and the definition alone,
of shapes that are far from square."""

import dataclasses

from harness import openblas
from harness.workload import Baseline, Work, Workload

SITE = "Plain|Blocked|Library|Strassen"


def inputs(size, random):
    return [random.uniform(-1, 1, (size["m"], size["k"])), random.uniform(-1, 1, (size["k"], size["n"]))]


def reference(_size, a, b):
    return [a @ b]


def choice(rule, on="cpu", blocks=(128, 256), leaf=0):
    """A configuration. Products with a side of at most `leaf` are the library's."""
    levels = [{"rule": "Library", "on": "cpu"}, {"from": leaf + 1, "rule": rule, "on": on}] if leaf else [{"rule": rule, "on": on}]
    return {"global": {"sequential_cutoff": 1, "openblas_threads": 1},
            "transforms": {"Multiply": {"sites": {SITE: levels}, "tunables": {"block_m": 256}},
                           "Rows": {"tunables": {"block_n": blocks[0], "block_k": blocks[1]}}}}


def library(threads):
    return {"global": {"threads": 1, "openblas_threads": threads}, "transforms": choice("Library")["transforms"]}


def product(on):
    """The definition of the product alone, on one processor."""
    return {"global": {"sequential_cutoff": 1}, "transforms": {"Product": {"sites": {"C#1": [{"rule": "C#1", "on": on}]}}}}


def cube(n):
    return {"m": n, "k": n, "n": n}


def is_cube(size):
    return size["m"] == size["k"] == size["n"]


def work(size):
    return Work(read_bytes=8 * size["k"] * (size["m"] + size["n"]), written_bytes=8 * size["m"] * size["n"], flops=2 * size["m"] * size["n"] * size["k"])


OPENBLAS = openblas.baselines("../strassen/openblas.cpp")
ON_DEVICES = (
    Baseline("OpenCL in tiles", "../strassen/opencl.cpp", ("-lOpenCL",), ("ocl-icd-opencl-dev",), on="opencl"),
    Baseline("CLBlast", "../strassen/clblast.cpp", ("-lclblast", "-lOpenCL"), ("libclblast-dev", "ocl-icd-opencl-dev"), on="opencl"),
    Baseline("cuBLAS", "../strassen/cublas.cpp", ("-lcublas", "-lcudart"), ("nvidia-cuda-dev",), on="cuda"),
)

WAYS = Workload(
    title="Dense matrix product",
    part="ways",
    source="J. Fabeiro et al., How to Write Performance Portable Codes using the Heterogeneous Programming Library; A. Matthes et al., "
           "Tuning and Optimization for a Variety of Many-Core Architectures without Changing a Single Line of Implementation Code "
           "Using the Alpaka Library, 2017",
    inputs=inputs,
    reference=reference,
    sizes={"smoke": [cube(1), {"m": 31, "k": 67, "n": 53}, cube(66)],
           "cpu": [cube(512), cube(1024), cube(2048)],
           "gpu": [cube(2048), cube(8192)]},
    work=work,
    choices={
        "definition": choice("Plain"),
        "definition, on the device": choice("Plain", "opencl"),
        "definition, on the device, in tiles": choice("Plain", "opencl_local"),
        **{f"blocks of {w} x {h}": choice("Blocked", blocks=(w, h)) for w, h in ((64, 96), (96, 64), (128, 64), (128, 256))},
        "OpenBLAS alone": library,
        "Strassen": choice("Strassen", leaf=512),
    },
    baselines=(
        *OPENBLAS,
        Baseline("OpenMP in blocks", "../strassen/openmp.cpp", ("-fopenmp",)),
        *(dataclasses.replace(each, applies=lambda size, first=each.applies: is_cube(size) and first(size)) for each in openblas.baselines(
            "strassen_tbb.cpp", "Strassen on oneTBB", ("-ltbb", "-lopenblas"), ("libtbb-dev", "libopenblas-dev"), {"leaf": "512"})),
        *ON_DEVICES,
    ),
)
SHAPES = Workload(
    title="Product by the definition",
    part="shapes",
    program="definition.pbcc",
    source="A. Rasch et al., Multi-Dimensional Homomorphisms and Their Implementation in OpenCL, 2018",
    inputs=inputs,
    reference=reference,
    sizes={"smoke": [cube(1), {"m": 31, "k": 67, "n": 53}],
           "cpu": [cube(1024), cube(2048), {"m": 4096, "k": 4096, "n": 8}, {"m": 8, "k": 4096, "n": 4096}, {"m": 16, "k": 1_000_000, "n": 16}],
           "gpu": [cube(4096), {"m": 4097, "k": 333, "n": 1000}, {"m": 4224, "k": 336, "n": 1024}]},
    work=work,
    choices={"on the CPU": product("cpu"), "on the device": product("opencl")},
    baselines=(*OPENBLAS, *ON_DEVICES),
)
SPLIT = dataclasses.replace(
    SHAPES,
    title="Product of floats, split",
    part="split",
    elements=("double", "float"),
    options=("--split-products",),
    sizes={"smoke": SHAPES.sizes["smoke"], "cpu": [], "gpu": [cube(4096)]},
    choices={"on the device": product("opencl"), "on the device, as the source says": {**product("opencl"), "transforms": {"Product": {
        **product("opencl")["transforms"]["Product"], "tunables": {"C#1.opencl.matrix_units": 0}}}}},
    baselines=ON_DEVICES[-1:],  # it alone has floats
)
WORKLOADS = [WAYS, SHAPES, SPLIT]
