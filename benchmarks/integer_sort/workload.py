# SPDX-License-Identifier: MIT
"""Sorting whole numbers of 32 bits: stores at places that depend on the data."""

import numpy

from harness.environment import NUMPY
from harness.workload import Baseline, Work, Workload, at, configuration


SITE = "Bytes|Wide|SmallDigits"


def inputs(size, random):
    """Numbers of all 32 bits. With `values`, only so many different ones."""
    numbers = random.integers(-2**31, 2**31, size["n"], dtype=numpy.int32)
    return [random.choice(random.integers(-2**31, 2**31, size["values"], dtype=numpy.int32), size["n"]) if "values" in size else numbers]


def reference(_size, a):
    return [numpy.sort(a)]


def choice(rule, parts):
    transforms = {"SortIntegers": {"sites": {SITE: at(rule)}}}
    wide = int(rule == "Wide")
    transforms[f"SortByDigit<{wide}>"] = {"tunables": {"parts": parts}}
    transforms[f"Store<{wide}>"] = {"tunables": {"Sorted#1.cpu.fold_chunk": 1}}
    return configuration("cpu", transforms)


def on_device():
    """Digits of 4 bits, all steps on the device."""
    steps = {"FindBits": ["Bits#1"], "CountSmallDigits": ["Count#1"], "SumCounts": ["Sum#1", "Sum#2"],
             "FindFirst": ["First#1", "First#2"], "StoreSmallDigits": ["Sorted#1"]}
    transforms = {name: {"sites": {rule: at(rule, "opencl") for rule in rules}} for name, rules in steps.items()}
    return configuration("opencl", transforms | {"SortIntegers": {"sites": {SITE: at("SmallDigits")}}})


WORKLOAD = Workload(
    title="Sorting whole numbers",
    source="D. Knuth, The Art of Computer Programming, 5.2.5: sorting by distribution",
    inputs=inputs,
    reference=reference,
    search_sizes=lambda size: () if "values" in size else ("--n", size["n"]),
    tolerance=0,
    sizes={"smoke": [{"n": 1}, {"n": 4099}, {"n": 3001, "values": 5}],
           "cpu": [{"n": 1 << 20}, {"n": 1 << 24}],
           "gpu": [{"n": 1 << 20}, {"n": 1 << 28}]},
    work=lambda size: Work(read_bytes=4 * size["n"], written_bytes=4 * size["n"]),
    choices={
        "by 8 bits": choice("Bytes", 64),
        "by 11 bits": choice("Wide", 64),
        "by 4 bits, on the device": on_device(),
    },
    baselines=(
        Baseline("CUB radix sort", "cub.cu", packages=("nvidia-cuda-toolkit",), on="cuda"),
        Baseline("std::sort", "standard.cpp"),
        Baseline("std::stable_sort", "standard.cpp", options={"stable": "1"}),
        Baseline("oneTBB parallel_sort", "tbb_parallel_sort.cpp", ("-ltbb",), ("libtbb-dev",)),
        Baseline("NumPy", "numpy_sort.py", requirements=(NUMPY,)),
    ),
)
