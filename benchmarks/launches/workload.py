# SPDX-License-Identifier: MIT
"""What a launch costs: chains of small kernels from one program, beside the same kernels enqueued by hand."""

import numpy

from harness.workload import Baseline, Work, Workload, at, configuration

STEPS = {"G#1": at("G#1", "opencl"), "G#2": at("G#2", "opencl"), "End#1": at("End#1", "opencl")}


def inputs(size, random):
    return [random.random((size["chains"], size["cells"])), numpy.zeros(size["steps"])]


def reference(size, start, _steps):
    for _ in range(size["steps"]):
        start = start * 0.5 + 1
    return [start]


def by_hand(way, name):
    return Baseline(f"OpenCL by hand, {name}", "opencl.cpp", ("-lOpenCL",), ("ocl-icd-opencl-dev",), options={"way": way}, on="opencl")


def launches(part, title, chains):
    sizes = [{"chains": chains, "cells": 1024, "steps": 2000 // chains}]
    return Workload(
        title=title, source="issue 22: a launch costs 5 us more than to enqueue it by hand", part=part, main="Chains",
        inputs=inputs, reference=reference, work=lambda _size: Work(),
        sizes={"smoke": [{"chains": min(chains, 2), "cells": 100, "steps": 5}], "cpu": sizes, "gpu": sizes},
        choices={"on the device": configuration("opencl", {"Chain": {"sites": STEPS}})},
        baselines=(by_hand("enqueue", "enqueued only"), by_hand("event", "with events"), by_hand("flush", "with events and flushes")))


WORKLOADS = [
    launches("chain", "2000 launches that follow each other: milliseconds are half of the microseconds per launch", 1),
    launches("independent", "2000 launches of 8 chains that do not wait for each other", 8),
]
