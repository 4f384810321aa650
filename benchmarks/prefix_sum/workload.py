# SPDX-License-Identifier: MIT
"""Prefix sums: one after the other, by blocks, or by sums of pairs."""

import numpy

from harness.workload import Baseline, Work, Workload, at, configuration


def inputs(size, random):
    return [random.uniform(-1, 1, size["n"])]


def reference(_size, a):
    return [numpy.cumsum(a.astype(numpy.longdouble)).astype(float)]


def choice(main, on="cpu", smallest=0):
    """A configuration: the rule of arrays with at least `smallest` elements, and where its steps run."""
    levels = at(main) if not smallest else [*at("Sequential"), {"from": smallest, "rule": main, "on": "cpu"}]
    steps = {"OneByOne": "Next", "Totals": "Total", "WithinBlocks": "Block", "Halve": "Pair", "Fill": "Each"}
    transforms = {name: {"sites": {rule: at(rule, on)}} for name, rule in steps.items()}
    transforms["PrefixSum"] = {"sites": {"Sequential|Blocks|Pairs": levels}}
    return configuration(on, transforms)


CUB = ("nvidia-cuda-toolkit",)

WORKLOAD = Workload(
    title="Prefix sums",
    source="G. Blelloch, Prefix Sums and Their Applications, 1990; the scan of SkelCL (2011)",
    inputs=inputs,
    reference=reference,
    sizes={"smoke": [{"n": 1}, {"n": 2}, {"n": 10007}], "cpu": [{"n": 1 << 24}], "gpu": [{"n": 1 << 24}, {"n": 1 << 27}]},
    work=lambda size: Work(read_bytes=8 * size["n"], written_bytes=8 * size["n"], flops=size["n"]),
    choices={
        "one after the other": choice("Sequential"),
        "by blocks": choice("Blocks"),
        "by pairs": choice("Pairs", smallest=4096),
        "one after the other, on the device": choice("Sequential", "opencl"),
        "by blocks, on the device": choice("Blocks", "opencl"),
        "by pairs, on the device": choice("Pairs", "opencl", smallest=64),
    },
    baselines=(
        Baseline("std::inclusive_scan, 1 thread", "openmp.cpp", ("-fopenmp",), options={"way": "library"}),
        Baseline("OpenMP by blocks", "openmp.cpp", ("-fopenmp",)),
        Baseline("OpenCL by hand", "opencl.cpp", ("-lOpenCL",), ("ocl-icd-opencl-dev",), on="opencl"),
        Baseline("CUB scan", "cub.cu", (), CUB, on="cuda"),
    ),
)
