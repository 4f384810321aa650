# SPDX-License-Identifier: MIT
"""Routines of BLAS: dot, asum, copy, scal, gemv. Memory bounds all of them."""

import numpy

from harness import openblas
from harness.workload import Baseline, Work, Workload, at, configuration

SUM = "OneLoop|OfNear|OfFar"


def vectors(count):
    return lambda size, random: [random.uniform(-1, 1, size["n"]) for _ in range(count)]


def baselines(routine, *cuda):
    options = {"routine": routine}
    opencl = ("ocl-icd-opencl-dev",)
    return (
        Baseline("OpenMP", "openmp.cpp", ("-fopenmp",), (), options),
        *openblas.baselines("openblas.cpp", options=options),
        Baseline("OpenCL by hand", "opencl.cpp", ("-lOpenCL",), opencl, options, "opencl"),
        Baseline("CLBlast", "clblast.cpp", ("-lclblast", "-lOpenCL"), ("libclblast-dev", *opencl), options, "opencl"),
        Baseline("cuBLAS", "cublas.cu", ("-lcublas",), ("nvidia-cuda-toolkit",), options, "cuda"),
        *cuda)


def sums(transform):
    """Choices of a sum: one loop, or `parts` partial sums."""
    def choice(rule, parts=64, on="cpu"):
        sites = {SUM: at(rule), "Near": at("Near", on), "Far": at("Far", on)}
        return configuration(on, {transform: {"sites": sites, "tunables": {"parts": parts}}})
    return {
        "one loop": choice("OneLoop"),
        "sums of neighbours": choice("OfNear"),
        "sums of far elements": choice("OfFar", 16),
        "sums of far elements, on the device": choice("OfFar", 16384, "opencl"),
    }


def cells(transform, rule, *processors):
    return {words: {"global": {"sequential_cutoff": 1}, "transforms": {transform: {"sites": {rule: at(rule, on)}}}}
            for words, on in (("on the CPU", "cpu"), ("on the device", "opencl"), ("on the device, in tiles", "opencl_local")) if on in processors}


# The baselines also add in any order, which lets sums go into vectors.
OPTIONS = ("--fp=reassociate",)
LIFT = "M. Steuwer, T. Remmelg, C. Dubach, Lift: A Functional Data-Parallel IR for High-Performance GPU Code Generation, 2017"
LENGTHS = {"smoke": [{"n": 1}, {"n": 10007}], "cpu": [{"n": 1 << 24}], "gpu": [{"n": 1 << 24}, {"n": 1 << 27}]}
CUB = Baseline("CUB reduce", "cub.cu", (), ("nvidia-cuda-toolkit",), on="cuda")

WORKLOADS = [
    Workload(
        title="Scalar product", source=LIFT, main="Dot", options=OPTIONS, inputs=vectors(2), sizes=LENGTHS,
        reference=lambda _size, x, y: [numpy.dot(x, y)],
        work=lambda size: Work(read_bytes=16 * size["n"], flops=2 * size["n"]),
        choices=sums("Dot"), baselines=baselines("dot")),
    Workload(
        title="Sum of magnitudes", source=LIFT, main="Asum", options=OPTIONS, inputs=vectors(1), sizes=LENGTHS,
        reference=lambda _size, x: [numpy.abs(x).sum()],
        work=lambda size: Work(read_bytes=8 * size["n"], flops=size["n"]),
        choices=sums("Asum"), baselines=baselines("asum", CUB)),
    Workload(
        title="Copy of a vector", source=LIFT, main="Copy", options=OPTIONS, inputs=vectors(1), sizes=LENGTHS,
        reference=lambda _size, x: [x],
        work=lambda size: Work(read_bytes=8 * size["n"], written_bytes=8 * size["n"]),
        choices=cells("Copy", "Element", "cpu", "opencl"), baselines=baselines("copy")),
    Workload(
        title="Multiple of a vector", source=LIFT, main="Scal", options=OPTIONS, sizes=LENGTHS,
        inputs=lambda size, random: [*vectors(1)(size, random), numpy.float64(1.25)],
        reference=lambda _size, x, alpha: [alpha * x],
        work=lambda size: Work(read_bytes=8 * size["n"], written_bytes=8 * size["n"], flops=size["n"]),
        choices=cells("Scal", "Scaled", "cpu", "opencl"), baselines=baselines("scal")),
    Workload(
        title="Matrix times vector", main="Gemv", options=OPTIONS,
        source="A. Rasch, R. Schulze, S. Gorlatch, Generating Portable High-Performance Code via Multi-Dimensional Homomorphisms, 2019; " + LIFT,
        sizes={"smoke": [{"m": 1, "n": 1}, {"m": 67, "n": 131}],
               "cpu": [{"m": 4096, "n": 4096}, {"m": 1 << 19, "n": 32}, {"m": 32, "n": 1 << 19}],
               "gpu": [{"m": 8192, "n": 8192}, {"m": 1 << 21, "n": 32}, {"m": 32, "n": 1 << 21}]},
        inputs=lambda size, random: [random.uniform(-1, 1, (size["m"], size["n"])), random.uniform(-1, 1, size["n"])],
        reference=lambda _size, a, x: [a @ x],
        work=lambda size: Work(read_bytes=8 * size["n"] * (size["m"] + 1), written_bytes=8 * size["m"], flops=2 * size["n"] * size["m"]),
        choices=cells("Gemv", "Row", "cpu", "opencl", "opencl_local"), baselines=baselines("gemv")),
]
