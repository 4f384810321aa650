# SPDX-License-Identifier: MIT
"""How often each of 256 values occurs: writes whose places depend on the data."""

import numpy

from harness.workload import Baseline, Work, Workload, at, configuration


def inputs(size, random):
    # Values near the middle are frequent, as in pictures.
    return [numpy.clip(random.normal(128, 30, size["n"]), 0, 255).astype(numpy.uint8)]


def reference(_size, a):
    return [numpy.bincount(a, minlength=256).astype(numpy.int32)]


def choice(rule, on="cpu", parts=64):
    main = at(rule, on if rule != "Parts" else "cpu")
    return configuration(on, {"Histogram": {"sites": {"OneByOne|Parts|ByValue": main}, "tunables": {"parts": parts}},
                              "CountParts": {"sites": {"Part": at("Part", on)}},
                              "AddParts": {"sites": {"Value": at("Value", on)}}})


WORKLOAD = Workload(
    title="Histogram",
    source="NVIDIA's sample histogram; CUB's DeviceHistogram",
    inputs=inputs,
    reference=reference,
    tolerance=0,
    sizes={"smoke": [{"n": 1}, {"n": 10007}], "cpu": [{"n": 1 << 25}], "gpu": [{"n": 1 << 25}, {"n": 1 << 28}]},
    work=lambda size: Work(read_bytes=size["n"], written_bytes=1024),
    choices={
        "one after the other": choice("OneByOne"),
        "in parts": choice("Parts"),
        "value by value": choice("ByValue"),
        "one after the other, on the device": choice("OneByOne", "opencl"),
        "in parts, on the device": choice("Parts", "opencl", 4096),
        "value by value, on the device": choice("ByValue", "opencl"),
    },
    baselines=(
        Baseline("OpenMP", "openmp.cpp", ("-fopenmp",)),
        Baseline("OpenCL by hand", "opencl.cpp", ("-lOpenCL",), ("ocl-icd-opencl-dev",), on="opencl"),
        Baseline("CUB histogram", "cub.cu", (), ("nvidia-cuda-toolkit",), on="cuda"),
    ),
)
