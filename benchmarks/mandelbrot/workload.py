# SPDX-License-Identifier: MIT
"""The Mandelbrot set: cells that are independent, and take very different times."""

import numpy

from harness.workload import Baseline, Work, Workload, single_rule

LEFT, TOP, WIDTH = -2.0, -1.25, 2.5   # the part of the plane; pictures are as wide as they are high


def inputs(size, _random):
    return [numpy.float64(LEFT), numpy.float64(TOP), numpy.float64(WIDTH / max(size["w"], size["h"], 1)), numpy.int32(size["limit"])]


def reference(size, left, top, step, limit):
    c = ((left + numpy.arange(size["w"]) * step)[None, :] + 1j * (top + numpy.arange(size["h"]) * step)[:, None]).ravel()
    z, at, count = numpy.zeros_like(c), numpy.arange(c.size), numpy.zeros(c.size, dtype=numpy.int32)
    for _ in range(limit):
        inside = z.real ** 2 + z.imag ** 2 <= 4
        z, c, at = z[inside], c[inside], at[inside]
        count[at] += 1
        z = z * z + c
    return [count.reshape(size["h"], size["w"])]


def error(_size, _inputs, outputs, expected):
    """The share of cells that differ, beyond two. Rounding decides about points next to the set's border."""
    found, right = outputs[0], expected[0]
    if found.shape != right.shape:
        return float("inf")
    return max(int((found != right).sum()) - 2, 0) / max(right.size, 1)


def steps(size):
    """How many steps all points of `inputs` take together, estimated: a quarter of the points take all."""
    return size["w"] * size["h"] * (size["limit"] / 4 + 4)


def choice(on, **tunables):
    return single_rule("Mandelbrot", "Escape", "Escape", on, tunables)


WORKLOAD = Workload(
    title="Mandelbrot set",
    source="M. Steuwer, S. Gorlatch, SkelCL: Enhancing OpenCL for High-Level Programming of Multi-GPU Systems, 2013",
    inputs=inputs,
    reference=reference,
    error=error,
    tolerance=0.01,
    sizes={"smoke": [{"w": 1, "h": 1, "limit": 7}, {"w": 61, "h": 47, "limit": 60}],
           "cpu": [{"w": 1024, "h": 1024, "limit": 256}],
           "gpu": [{"w": 1024, "h": 1024, "limit": 256}, {"w": 4096, "h": 4096, "limit": 1000}]},
    work=lambda size: Work(written_bytes=4 * size["w"] * size["h"], flops=8 * steps(size)),
    set=lambda size: {"w": size["w"], "h": size["h"]},
    choices={
        "on the CPU": choice("cpu"),
        "on the device": choice("opencl"),
        "6/8 of it on the device": choice("opencl", device_eighths=6),
    },
    baselines=(
        Baseline("OpenMP", "openmp.cpp", ("-fopenmp",)),
        Baseline("OpenMP, 8 points side by side", "openmp.cpp", ("-fopenmp",), options={"lanes": "8"}),
        Baseline("OpenCL by hand", "opencl.cpp", ("-lOpenCL",), ("ocl-icd-opencl-dev",), on="opencl"),
    ),
)
