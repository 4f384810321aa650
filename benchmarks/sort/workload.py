# SPDX-License-Identifier: MIT
"""Sorting doubles."""

import numpy

from harness.environment import NUMPY
from harness.workload import Baseline, Work, Workload, at, configuration, levels

RULES = "Radix|Insertion|Selection|Library|Merge[Halvings=1]|Merge[Halvings=2]|Merge[Halvings=3]|Quick|Buckets|Bitonic|BottomUp|Digits"


def inputs(size, random):
    """Numbers from [0, 1). With `values`, only so many different ones, of both signs."""
    if "values" in size:
        return [random.choice(random.normal(0, 1e6, size["values"]), size["n"])]
    return [random.random(size["n"])]


def reference(_size, a):
    return [numpy.sort(a)]


def choice(*work, first="Anything", merge=((0, "BothEnds"), (16384, "Split")), parts=((0, "Tournament"), (16384, "Split")), bits=8, by_key=0, device=None):
    """A configuration: (least size, rule) of Work, the smallest first; the first step of Sort; how parts are merged; the bits of buckets,
    and whether they are even by keys; where steps with a rule per element run."""
    transforms = {f"Work<{p}>": {"sites": {RULES: levels(*work)}, "tunables": {"bucket_bits": bits}} for p in (0, 1)}
    transforms["Sort"] = {"sites": {"Buckets|Anything": at(first)}}
    transforms["Merge"] = {"sites": {"Plain|BothEnds|Split": levels(*merge)}}
    transforms["MergeParts"] = {"sites": {"Tournament|Split": levels(*parts)}}
    transforms["Distribute"] = {"tunables": {"by_key": by_key}}
    if device:
        for name in ("Exchange", "MergeRuns", "Copy"):
            transforms[name] = {"sites": {"B#1": at("B#1", device)}}
    return configuration(device or "cpu", transforms)


def merges(halvings, leaf=(60, "Insertion"), **options):
    """Merge sort with 2 ** halvings parts, and another algorithm below a size."""
    return choice((0, leaf[1]), (leaf[0], f"Merge[Halvings={halvings}]"), **options)


ALONE = {"merge": ((0, "BothEnds"),), "parts": ((0, "Tournament"),)}

WORKLOAD = Workload(
    title="Sorting",
    source="P. Phothilimthana et al., Portable Performance on Heterogeneous Architectures, 2013",
    inputs=inputs,
    reference=reference,
    choice_applies=lambda name, size: name not in ("insertion", "selection") or size["n"] <= 1 << 16,
    search_sizes=lambda size: () if "values" in size else ("--n", size["n"]),
    tolerance=0,
    sizes={"smoke": [{"n": 1}, {"n": 4099}, {"n": 3001, "values": 5}],
           "cpu": [{"n": 1 << 20}, {"n": 1 << 24}],
           "gpu": [{"n": 1 << 20}, {"n": 1 << 24}, {"n": 1 << 27}]},
    work=lambda size: Work(read_bytes=8 * size["n"], written_bytes=8 * size["n"]),
    choices={
        "radix": choice((0, "Radix")),
        "insertion": choice((0, "Insertion")),
        "selection": choice((0, "Selection")),
        "quick, then insertion": choice((0, "Insertion"), (30, "Quick")),
        "2-way merge, then insertion": merges(1),
        "4-way merge, then insertion": merges(2),
        "8-way merge, then insertion": merges(3),
        "2-way merge without parallel merging": merges(1, **ALONE),
        "4-way merge without parallel merging": merges(2, **ALONE),
        "8-way merge without parallel merging": merges(3, **ALONE),
        "quick, then radix": choice((0, "Insertion"), (60, "Radix"), (1 << 14, "Quick")),
        "buckets, then radix": choice((0, "Insertion"), (60, "Radix"), first="Buckets"),
        "buckets by keys, then radix": choice((0, "Insertion"), (60, "Radix"), first="Buckets", by_key=1),
        "vqsort": choice((0, "Library")),
        "2-way merge, then vqsort": merges(1, (1 << 18, "Library")),
        "buckets, then vqsort": choice((0, "Library"), first="Buckets"),
        "radix on all threads": choice((0, "Insertion"), (60, "Radix"), (1 << 15, "Digits")),
        "bitonic": choice((0, "Bitonic")),
        "merge from the bottom up": choice((0, "BottomUp")),
        "bitonic on the device": choice((0, "Bitonic"), device="opencl"),
        "merge from the bottom up on the device": choice((0, "BottomUp"), device="opencl"),
    },
    baselines=(
        Baseline("std::sort", "standard.cpp"),
        Baseline("std::stable_sort", "standard.cpp", options={"stable": "1"}),
        Baseline("oneTBB parallel_sort", "tbb_parallel_sort.cpp", ("-ltbb",), ("libtbb-dev",)),
        Baseline("2-way merge on oneTBB", "tbb_merge_sort.cpp", ("-ltbb",), ("libtbb-dev",)),
        Baseline("vqsort, 1 thread", "vqsort.cpp", ("-lhwy_contrib",), ("libhwy-dev",), {"parts": "1"}),
        Baseline("vqsort, merged", "vqsort.cpp", ("-lhwy_contrib", "-ltbb"), ("libhwy-dev", "libtbb-dev")),
        Baseline("NumPy", "numpy_sort.py", requirements=(NUMPY,)),
        Baseline("radix sort in OpenCL", "opencl.cpp", ("-lOpenCL",), ("ocl-icd-opencl-dev",), on="opencl"),
        Baseline("CUB radix sort", "cub.cu", (), ("nvidia-cuda-toolkit",), on="cuda"),
        Baseline("CUB merge sort", "cub.cu", (), ("nvidia-cuda-toolkit",), {"way": "merge"}, "cuda"),
    ),
)
