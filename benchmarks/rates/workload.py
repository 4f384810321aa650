# SPDX-License-Identifier: MIT
"""Maps and folds, the device by default beside what a search finds, and beside what the memory does."""

import dataclasses
import pathlib

import numpy

from harness.workload import Baseline, Work, Workload, at, configuration, load

KERNEL_WIDTH = 7
PROGRAMS = pathlib.Path(__file__).resolve().parent.parent


def on_the_device(main, sites):
    """Who only says that the device runs it. All shapes are the runtime's own."""
    return {"on the device": configuration("opencl", {main: {"sites": {site: at(rule, "opencl") for site, rule in sites.items()}}})}


def workload(main, sites, shapes, reference, moved, sizes, options=()):
    """A transform of the program.

    shapes:    shapes of the inputs, functions of the size
    moved:     numbers that it reads and writes, functions of the size
    sizes:     (smoke, cpu, gpu)"""
    return Workload(
        title=f"Rates: {main}", source="A. Rasch, MDH, 2024; M. Steuwer et al., SkelCL, 2013", part=main, main=main, elements=("double", "float"),
        inputs=lambda size, random: [random.random(shape(size)) for shape in shapes],
        reference=lambda size, *inputs: [reference(*inputs)],
        work=lambda size: Work(8 * moved[0](size), 8 * moved[1](size)),
        sizes={name: [size] if size else [] for name, size in zip(("smoke", "cpu", "gpu"), sizes)},
        choices=on_the_device(main, sites), options=options)


def of_vector(main, rule, count, reference, written, is_tried=False):
    return workload(main, {rule: rule}, [lambda size: size["n"]] * count, reference, (lambda size: count * size["n"], lambda size: written * size["n"]),
                    ({"n": 10007} if is_tried else None, {"n": 1 << 24}, {"n": 1 << 28}))


def of_matrix(main, sites, reference, written, others=(), n=(2048, 16384), is_tried=False):
    """`others`: shapes of the inputs beside the matrix."""
    return workload(main, sites, [lambda size: (size["h"], size["w"]), *others], reference, (lambda size: size["h"] * size["w"], written),
                    ({"w": 67, "h": 131} if is_tried else None, *({"w": each, "h": each} for each in n)))


CUDA = ("nvidia-cuda-toolkit",)


def of_order(main, sites, reference, shape, moved, sizes, inputs=None, **fields):
    """Results that depend on the numbers before. `sizes`: (smoke, cpu, gpu). Sums may be in another order."""
    whole = workload(main, sites, [shape], reference, moved, sizes, ("--fp=reassociate",))
    return dataclasses.replace(whole, inputs=inputs or whole.inputs, **fields)


def of_scan(main, site, reference, inputs=None, is_tried=False, baselines=(), part=1):
    """Scans of a row. The rule of its first cell has no site: nothing is to be chosen there. `part` of a double is what a number takes."""
    sizes = ({"n": 10007} if is_tried else None, {"n": 1 << 26}, {"n": 1 << 28})
    return of_order(main, {site: site}, reference, lambda size: size["n"], (lambda size: part * size["n"],) * 2, sizes, inputs,
                    baselines=baselines)


def of_keys(main, num_bins):
    """Counts of keys, which are whole numbers: uniform ones, and with `values` so many different ones."""
    def keys(size, random):
        some = random.integers(0, size.get("values", num_bins), size["n"], dtype=numpy.int32)
        return [some * numpy.int32(num_bins // size["values"]) if "values" in size else some]

    gpu = [{"n": 1 << 28}, {"n": 1 << 28, "values": 1}]
    whole = of_order(main, {"Count#1": "Count#1"}, lambda keys: numpy.bincount(keys, minlength=num_bins).astype(numpy.int32), None,
                     (lambda size: size["n"] / 2, lambda size: 0), ({"n": 10007}, {"n": 1 << 26}, None), keys)
    return dataclasses.replace(whole, sizes=whole.sizes | {"gpu": gpu}, tolerance=0, search_sizes=lambda size: (),
                               baselines=(Baseline("CUB histogram", "keys.cu", options={"bins": str(num_bins)}, packages=CUDA, on="cuda"),))


def kept(_size, a):
    """What `Filter` keeps, and how many numbers that are."""
    upper = a[a > 0.5]
    return [upper, numpy.int32(len(upper))]


def error_of_kept(_size, _inputs, outputs, expected):
    """Compares what is kept. The cells behind it have no value."""
    (found, number), (right, count) = outputs, expected
    return 0.0 if number == count and numpy.array_equal(found[:count], right.astype(found.dtype)) else float("inf")


def recurrence(a):
    """y = 0.75 * before + a. Each step doubles how many numbers before are in a sum; of those beyond 256 nothing is left."""
    y = a.copy()
    for step in (1, 2, 4, 8, 16, 32, 64, 128):
        y[step:] += 0.75 ** step * y[:-step]
    return y


def cells(size):
    return size["w"] * size["h"]


def heat(t):
    inner, out = t[1:-1, 1:-1], t.copy()
    out[1:-1, 1:-1] = inner + 0.2 * (t[:-2, 1:-1] + t[2:, 1:-1] + t[1:-1, :-2] + t[1:-1, 2:] - 4 * inner)
    return out


def convolved(axis):
    def reference(picture, weights):
        length = picture.shape[axis] - len(weights) + 1
        return sum(weight * picture.take(numpy.arange(first, first + length), axis) for first, weight in enumerate(weights))
    return reference


def softmax(rows):
    powers = numpy.exp(rows - rows.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def of_folder(folder, on, sizes, **fields):
    """A benchmark of its own with one choice of it, in floats, without baselines."""
    whole = load(PROGRAMS / folder)[0]
    return dataclasses.replace(whole, title=f"Rates: {whole.title}", program=f"../{folder}/program.pbcc", part=folder, elements=("double", "float"),
                               choices={"on the device": whole.choices[on]}, baselines=(),
                               sizes={"smoke": [], "cpu": whole.sizes["cpu"], "gpu": [sizes]}, **fields)


WORKLOADS = [
    of_vector("Copy", "B#1", 1, lambda x: x, 1, is_tried=True),
    of_vector("Saxpy", "Z#1", 2, lambda x, y: 2.5 * x + y, 1),
    of_vector("Sum", "S#1", 1, lambda x: x.sum(), 0, is_tried=True),
    of_vector("Dot", "S#1", 2, numpy.dot, 0),
    of_matrix("RowSums", {"S#1": "S#1"}, lambda a: a.sum(axis=1), lambda size: size["h"]),
    of_matrix("MatrixVector", {"Y#1": "Y#1"}, lambda a, x: a @ x, lambda size: size["h"], [lambda size: size["w"]], is_tried=True),
    of_matrix("Softmax", {"Out#1": "Out#1"}, softmax, cells, is_tried=True),
    of_matrix("Heat", {"Next#1": "Next#1", "Next#2": "Next#2"}, heat, cells),
    *(of_matrix(main, {"Out#1": "Out#1"}, convolved(axis), cells, [lambda _: KERNEL_WIDTH], (2048, 8192)) for main, axis in (("ConvolveRows", 1), ("ConvolveColumns", 0))),
    of_scan("PrefixSum", "S#1", numpy.cumsum, is_tried=True, baselines=(Baseline("CUB scan", "scan.cu", packages=CUDA, on="cuda"),)),
    of_scan("IntPrefixSum", "S#1", lambda a: numpy.cumsum(a, dtype=numpy.int32), lambda size, random: [random.integers(-100, 101, size["n"], dtype=numpy.int32)],
            baselines=(Baseline("CUB scan", "scan.cu", options={"number": "int32"}, packages=CUDA, on="cuda"),), part=0.5),
    of_scan("Recurrence", "Y#2", recurrence),
    of_order("RunningMax", {"Most#1": "Most#1", "Most#2": "Most#2"}, lambda a: numpy.maximum.accumulate(a, axis=1), lambda size: (size["h"], size["w"]),
             (cells, cells), ({"w": 67, "h": 131}, {"w": 4096, "h": 4096}, {"w": 16384, "h": 16384})),
    dataclasses.replace(
        of_order("Filter", {"Kept+Number#1": "Kept+Number#1"}, None, lambda size: size["n"], (lambda size: size["n"], lambda size: size["n"] / 2),
                 ({"n": 10007}, {"n": 1 << 26}, {"n": 1 << 28}), baselines=(Baseline("CUB select", "filter.cu", packages=CUDA, on="cuda"),)),
        reference=kept, error=error_of_kept),
    of_order("Histogram", {"Count#1": "Count#1"}, lambda a: numpy.bincount((255 * a).astype(int), minlength=256).astype(numpy.int32), lambda size: size["n"],
             (lambda size: size["n"], lambda size: 0), ({"n": 10007}, {"n": 1 << 26}, None)),
    of_keys("KeyHistogram", 256),
    of_keys("KeyTable", 65536),
    of_folder("black_scholes", "polynomial on the device", {"n": 1 << 28}, tolerance=1e-3),
    of_folder("mandelbrot", "on the device", {"w": 4096, "h": 4096, "limit": 1000}),
    of_folder("nbody", "on the device", {"n": 65536}, tolerance=1e-4),
]
