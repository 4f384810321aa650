# SPDX-License-Identifier: MIT
"""Electromagnetic waves in a plane by finite differences in time."""

import numpy

from harness.workload import Baseline, Work, Workload, at, configuration

COURANT = 0.5


def inputs(size, random):
    shape = (size["h"], size["w"])
    return [random.uniform(-1, 1, shape), random.uniform(1, 4, shape), numpy.int32(size["t"])]


def reference(size, before, permittivity, steps):
    shape = (size["h"] + 1, size["w"] + 1)   # one row and one column of zeros more
    e, hx, hy = numpy.zeros(shape), numpy.zeros(shape), numpy.zeros(shape)
    e[:-1, :-1] = before
    for _ in range(steps):
        hx[1:, 1:] -= COURANT * (e[1:, :-1] - e[:-1, :-1])
        hy[1:, 1:] += COURANT * (e[:-1, 1:] - e[:-1, :-1])
        e[:-1, :-1] += COURANT * (hy[1:, 1:] - hy[1:, :-1] - hx[1:, 1:] + hx[:-1, 1:]) / permittivity
    return [e[:-1, :-1]]


def choice(on):
    sites = {"UpdateH": ["Magnetic"], "UpdateE": ["Electric"], "Copy": ["Cell"], "Clear": ["HX#1", "HY#1"]}
    return configuration(on, {name: {"sites": {rule: at(rule, on) for rule in rules}} for name, rules in sites.items()})


WORKLOAD = Workload(
    title="2-D FDTD",
    source="M. Steuwer, M. Haidl, S. Breuer, S. Gorlatch, High-Level Programming of Stencil Computations "
           "on Multi-GPU Systems Using the SkelCL Library, 2014",
    inputs=inputs,
    reference=reference,
    sizes={"smoke": [{"w": 1, "h": 1, "t": 2}, {"w": 61, "h": 47, "t": 5}],
           "cpu": [{"w": 1024, "h": 1024, "t": 50}],
           "gpu": [{"w": 1024, "h": 1024, "t": 100}, {"w": 4096, "h": 4096, "t": 100}]},
    # Without blocks over time, each step reads and writes E twice, H twice, and reads the permittivity.
    work=lambda size: Work(read_bytes=56 * size["w"] * size["h"] * size["t"], written_bytes=24 * size["w"] * size["h"] * size["t"],
                           flops=12 * size["w"] * size["h"] * size["t"]),
    choices={"on the CPU": choice("cpu"), "on the device": choice("opencl")},
    baselines=(Baseline("OpenMP", "openmp.cpp", ("-fopenmp",)),),
)
