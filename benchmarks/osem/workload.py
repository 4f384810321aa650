# SPDX-License-Identifier: MIT
"""List-mode OSEM: pictures from events of a PET scanner, made up."""

import numpy

from harness.workload import Baseline, Work, Workload, at, configuration


def inputs(size, random):
    """Lines through points of a hot ball in the volume's middle, with ends on two of its sides."""
    events = size["m"] * size["s"]
    middle = 0.5 + 0.2 * random.uniform(-1, 1, (events, 3))
    direction = random.uniform(-1, 1, (events, 3))
    # How far it is to the first side in each direction.
    reach = (0.5 - numpy.abs(middle - 0.5)).min(axis=1, keepdims=True) / numpy.abs(direction).max(axis=1, keepdims=True) * 0.999
    ends = numpy.concatenate([middle - reach * direction, middle + reach * direction], axis=1)
    return [ends.reshape(size["s"], size["m"], 6), numpy.ones((size["d"], size["h"], size["w"]))]


def reference(size, events, first):
    image, extents = first, numpy.array([size["w"], size["h"], size["d"]])
    samples = 2 * int(extents.sum())
    t = ((numpy.arange(samples) + 0.5) / samples)[None, :, None]
    for subset in events:
        total = numpy.zeros(image.size)
        for part in numpy.array_split(subset, max(len(subset) // 512, 1)):
            x, y, z = numpy.moveaxis(((part[:, None, :3] + t * (part[:, None, 3:] - part[:, None, :3])) * extents).astype(int), 2, 0)
            voxels = (z * size["h"] + y) * size["w"] + x
            inverse = 1 / image.ravel()[voxels].sum(axis=1)
            total += numpy.bincount(voxels.ravel(), numpy.repeat(inverse, samples), image.size)
        image = image * total.reshape(image.shape)
    return [image]


def choice(rule, on="cpu", parts=8):
    sites = {"OneByOne|AllParts": at(rule, on if rule == "AllParts" else "cpu"), "PartOfEvents": at("PartOfEvents", on)}
    return configuration(on, {"Step": {"sites": sites, "tunables": {"parts": parts}}})


def flops(size):
    """Three coordinates per sample, twice."""
    return 2 * 9 * 2 * (size["w"] + size["h"] + size["d"]) * size["m"] * size["s"]


WORKLOAD = Workload(
    title="List-mode OSEM",
    source="M. Steuwer, P. Kegel, S. Gorlatch, SkelCL - A Portable Skeleton Library for High-Level GPU Programming, 2011; "
           "A. Reader et al., One-Pass List-Mode EM Algorithm for High-Resolution 3-D PET Image Reconstruction, 2002",
    inputs=inputs,
    reference=reference,
    sizes={"smoke": [{"w": 1, "h": 1, "d": 1, "m": 1, "s": 1}, {"w": 13, "h": 11, "d": 7, "m": 101, "s": 3}],
           "cpu": [{"w": 64, "h": 64, "d": 64, "m": 10000, "s": 4}],
           "gpu": [{"w": 64, "h": 64, "d": 64, "m": 10000, "s": 4}, {"w": 150, "h": 150, "d": 280, "m": 100_000, "s": 10}]},
    work=lambda size: Work(read_bytes=48 * size["m"] * size["s"], written_bytes=8 * size["w"] * size["h"] * size["d"], flops=flops(size)),
    choices={
        "one event after the other": choice("OneByOne"),
        "parts of the events": choice("AllParts"),
        "parts of the events, on the device": choice("AllParts", "opencl", 64),
    },
    baselines=(Baseline("OpenMP", "openmp.cpp", ("-fopenmp",)),),
)
