# SPDX-License-Identifier: MIT
"""Gaussian blur: a sum over a square, or over columns of sums over rows."""

import numpy

from harness.workload import Baseline, Work, Workload, at, configuration


def inputs(size, random):
    r = size["r"]
    weights = numpy.exp(-0.5 * (numpy.arange(-r, r + 1) / (r / 2 if r else 1)) ** 2)
    return [random.uniform(0, 255, (size["h"], size["w"])), weights / weights.sum()]


def reference(size, picture, weights):
    r, h, w = size["r"], size["h"], size["w"]
    wide = numpy.pad(picture, r, mode="edge")
    rows = sum(weight * wide[:, i:i + w] for i, weight in enumerate(weights))
    return [sum(weight * rows[j:j + h] for j, weight in enumerate(weights))]


def choice(way, on="cpu"):
    transforms = {name: {"sites": {site: at(site, on) for site in ("Inside", "AtEdge")}} for name in ("Square", "AlongRows", "AlongColumns")}
    transforms["GaussianBlur"] = {"sites": {"AtOnce|Separately": at(way)}}
    return configuration(on, transforms)


WORKLOAD = Workload(
    title="Gaussian blur",
    source="M. Steuwer, S. Gorlatch, SkelCL: Enhancing OpenCL for High-Level Programming of Multi-GPU Systems, 2013",
    inputs=inputs,
    reference=reference,
    sizes={"smoke": [{"w": 1, "h": 1, "r": 1}, {"w": 61, "h": 47, "r": 3}],
           "cpu": [{"w": 2048, "h": 2048, "r": 3}, {"w": 2048, "h": 2048, "r": 10}],
           "gpu": [{"w": 4096, "h": 4096, "r": 3}, {"w": 4096, "h": 4096, "r": 10}]},
    work=lambda size: Work(read_bytes=8 * size["w"] * size["h"], written_bytes=8 * size["w"] * size["h"],
                           flops=4 * (2 * size["r"] + 1) * size["w"] * size["h"]),
    choices={
        "at once": choice("AtOnce"),
        "rows, then columns": choice("Separately"),
        "at once, on the device": choice("AtOnce", "opencl"),
        "rows, then columns, on the device": choice("Separately", "opencl"),
        "rows, then columns, on the device, in tiles": choice("Separately", "opencl_local"),
    },
    baselines=(
        Baseline("OpenMP at once", "openmp.cpp", ("-fopenmp",), options={"way": "square"}),
        Baseline("OpenMP, rows, then columns", "openmp.cpp", ("-fopenmp",)),
    ),
)
