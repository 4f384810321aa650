# SPDX-License-Identifier: MIT
"""Everyday jobs, written the obvious way in the language and in what else a numerical user would pick.

A folder for each job holds its program, and `with_numpy.py`, `with_numba.py`, `with_jax.py`, `with_halide.py`. Jobs that are a
benchmark of their own share its program and its inputs.
"""

import math
import pathlib

import numpy

from harness.environment import NUMPY
from harness.workload import Baseline, Work, Workload, load

FOLDER = pathlib.Path(__file__).resolve().parent
SCIPY = "scipy==1.17.1"
# The name of a peer: its word in file names, and what it needs of PyPI.
PEERS = {
    "NumPy": ("numpy", (NUMPY,)),
    "Numba": ("numba", ("numba==0.68.1", NUMPY, SCIPY)),
    "JAX": ("jax", ("jax==0.10.2", NUMPY)),
    "Halide": ("halide", ("halide==21.0.0", NUMPY)),
}
# NumPy, XLA and Halide's vectors add in an order of their own, too.
ANY_ORDER = ("--fp=reassociate",)
# The jobs of the smoke run. To compile all programs would take too long there, and these have all kinds of rules.
SMOKE = ("blur", "heat_versions", "softmax", "distances", "sort", "kmeans_step", "median_filter", "convolution_layer")


def peers(job):
    """The peers that have a solution of the job. Where NumPy needs SciPy, it says so."""
    found = []
    for name, (word, requirements) in PEERS.items():
        path = FOLDER / job / f"with_{word}.py"
        if not path.exists():
            continue
        if name == "NumPy" and "scipy" in path.read_text():
            name, requirements = "SciPy", (SCIPY, NUMPY)
        found.append(Baseline(name, str(path.relative_to(FOLDER)), requirements=requirements))
    return tuple(found)


def job(title, inputs, reference, smoke, cpu, work, *, name="", program="program.pbcc", **more):
    """A workload. `name` is that of its folder; a program of another name makes it a part of its own."""
    part = name if program == "program.pbcc" else f"{name}_{program.removesuffix('.pbcc')}"
    return Workload(title=title, source="what a numerical user would write", inputs=inputs, reference=reference, work=work,
                    sizes={"smoke": smoke if part in SMOKE else [], "cpu": cpu, "gpu": cpu}, baselines=peers(name), part=part, program=f"{name}/{program}", **more)


def shared(benchmark, cpu):
    """A job that has a folder of its own. Its smoke run is there."""
    base = load(FOLDER.parent / benchmark)[0]
    return Workload(title=base.title, source=base.source, inputs=base.inputs, reference=base.reference, work=base.work, error=base.error,
                    tolerance=base.tolerance, set=base.set, sizes={"smoke": [], "cpu": cpu, "gpu": cpu}, baselines=peers(benchmark),
                    part=benchmark, program=f"../{benchmark}/{base.program}", options=ANY_ORDER)


def uniform(*shape):
    """Makes inputs between -1 and 1, one for each shape, whose extents are names of sizes."""
    return lambda size, random: [random.uniform(-1, 1, [extent if isinstance(extent, int) else size[extent] for extent in each]) for each in shape]


def plane(size, random, low=0.0, high=255.0):
    return random.uniform(low, high, (size["h"], size["w"]))


def blurred(_size, picture):
    weights = numpy.array([1, 4, 6, 4, 1]) / 16
    h, w = picture.shape
    wide = numpy.pad(picture, 2, mode="edge")
    rows = sum(weight * wide[:, i:i + w] for i, weight in enumerate(weights))
    return [sum(weight * rows[j:j + h] for j, weight in enumerate(weights))]


def heated(size, start):
    t = start.copy()
    for _ in range(size["steps"]):
        t[1:-1, 1:-1] = t[1:-1, 1:-1] + 0.2 * (t[1:-1, :-2] + t[1:-1, 2:] + t[:-2, 1:-1] + t[2:, 1:-1] - 4 * t[1:-1, 1:-1])
    return [t]


def softmax(_size, rows):
    powers = numpy.exp(rows - rows.max(axis=1, keepdims=True))
    return [powers / powers.sum(axis=1, keepdims=True)]


def layer_norm(_size, rows, gain, bias):
    return [(rows - rows.mean(axis=1, keepdims=True)) / numpy.sqrt(rows.var(axis=1, keepdims=True) + 1e-5) * gain + bias]


def distances(_size, p, q):
    return [numpy.sqrt(numpy.stack([((q - point) ** 2).sum(axis=1) for point in p]))]


def prices(_size, spot, strike, years):
    deviation = 0.3 * numpy.sqrt(years)
    d1 = (numpy.log(spot / strike) + (0.02 + 0.3 ** 2 / 2) * years) / deviation
    erfc = numpy.vectorize(math.erfc, otypes=[float])
    n1, n2, discounted = erfc(-d1 / math.sqrt(2)) / 2, erfc((deviation - d1) / math.sqrt(2)) / 2, strike * numpy.exp(-0.02 * years)
    return [spot * n1 - discounted * n2, discounted * (1 - n2) - spot * (1 - n1)]


def nearest_and_moved(_size, points, centres):
    nearest = numpy.stack([((points - centre) ** 2).sum(axis=1) for centre in centres]).argmin(axis=0)
    count = numpy.bincount(nearest, minlength=len(centres))[:, None]
    sums = numpy.stack([numpy.bincount(nearest, weights=points[:, c], minlength=len(centres)) for c in range(points.shape[1])], axis=1)
    return [nearest.astype(numpy.int32), numpy.where(count > 0, sums / numpy.maximum(count, 1), centres)]


def medians(_size, picture):
    h, w = picture.shape
    wide = numpy.pad(picture, 1, mode="edge")
    return [numpy.median(numpy.stack([wide[j:j + h, i:i + w] for j in range(3) for i in range(3)]), axis=0)]


def convolved(_size, image, weights):
    windows = numpy.lib.stride_tricks.sliding_window_view(image, (3, 3), axis=(1, 2))
    return [numpy.einsum("fcji,cyxji->fyx", weights, windows, optimize=True)]


def heat(program):
    return job(f"Heat by {program.removesuffix('.pbcc')}", lambda size, random: [plane(size, random, 0, 1)], heated,
               [{"w": 19, "h": 13, "steps": 5}], [{"w": 1024, "h": 1024, "steps": 50}],
               lambda size: Work(read_bytes=8 * size["w"] * size["h"], written_bytes=8 * size["w"] * size["h"],
                                 flops=6 * size["w"] * size["h"] * size["steps"]),
               name="heat", program=program, set=lambda size: {"steps": size["steps"]})


def copied(size, flops):
    """The work of a pass over a plane that is read and written."""
    cells = size["w"] * size["h"]
    return Work(read_bytes=8 * cells, written_bytes=8 * cells, flops=flops * cells)


def product_work(size):
    return Work(read_bytes=8 * size["k"] * (size["m"] + size["n"]), written_bytes=8 * size["m"] * size["n"], flops=2 * size["m"] * size["n"] * size["k"])


def layer_work(size):
    out = (size["w"] - 2) * (size["h"] - 2) * size["features"]
    return Work(read_bytes=8 * size["w"] * size["h"] * size["channels"], written_bytes=8 * out, flops=18 * size["channels"] * out)


WORKLOADS = [
    job("Blur", lambda size, random: [plane(size, random)], blurred, [{"w": 61, "h": 47}], [{"w": 2048, "h": 2048}],
        lambda size: copied(size, 12), name="blur"),
    heat("versions.pbcc"),
    heat("calls.pbcc"),
    job("Softmax", lambda size, random: [plane(size, random, -10, 10)], softmax, [{"w": 61, "h": 7}], [{"w": 1024, "h": 2048}],
        lambda size: copied(size, 24), name="softmax", options=ANY_ORDER),
    job("Layer normalization", uniform(("h", "w"), ("w",), ("w",)), layer_norm, [{"w": 61, "h": 7}], [{"w": 1024, "h": 2048}],
        lambda size: copied(size, 8), name="layer_norm", options=ANY_ORDER),
    job("Dense product", uniform(("m", "k"), ("k", "n")), lambda size, a, b: [a @ b], [{"m": 37, "k": 13, "n": 53}],
        [{"m": 1024, "k": 1024, "n": 1024}], product_work, name="dense_product", options=ANY_ORDER),
    job("Pairwise distances", uniform(("n", "d"), ("m", "d")), distances, [{"n": 13, "m": 7, "d": 3}], [{"n": 2048, "m": 2048, "d": 16}],
        lambda size: Work(written_bytes=8 * size["n"] * size["m"], flops=3 * size["n"] * size["m"] * size["d"]), name="distances", options=ANY_ORDER),
    job("Black-Scholes", lambda size, random: [random.uniform(5, 30, size["n"]), random.uniform(1, 100, size["n"]), random.uniform(0.25, 10, size["n"])],
        prices, [{"n": 101}], [{"n": 1_000_000}],
        lambda size: Work(read_bytes=24 * size["n"], written_bytes=16 * size["n"], flops=130 * size["n"]), name="black_scholes"),
    job("Sort", uniform(("n",)), lambda _size, a: [numpy.sort(a)], [{"n": 1009}], [{"n": 2_000_000}],
        lambda size: Work(read_bytes=8 * size["n"], written_bytes=8 * size["n"]), name="sort", tolerance=0),
    shared("prefix_sum", [{"n": 1 << 23}]),
    shared("histogram", [{"n": 1 << 24}]),
    job("Sum", uniform(("n",)), lambda _size, a: [numpy.array(math.fsum(a))], [{"n": 1009}], [{"n": 1 << 23}],
        lambda size: Work(read_bytes=8 * size["n"], flops=size["n"]), name="sum", options=ANY_ORDER),
    shared("mandelbrot", [{"w": 1024, "h": 1024, "limit": 100}]),
    shared("nbody", [{"n": 4096}]),
    job("k-means step", uniform(("n", "d"), ("k", "d")), nearest_and_moved, [{"n": 101, "k": 5, "d": 3}], [{"n": 100_000, "k": 32, "d": 8}],
        lambda size: Work(read_bytes=8 * size["n"] * size["d"], flops=3 * size["n"] * size["k"] * size["d"]), name="kmeans_step", options=ANY_ORDER),
    job("Median filter", lambda size, random: [plane(size, random)], medians, [{"w": 61, "h": 47}], [{"w": 1024, "h": 1024}],
        lambda size: copied(size, 38), name="median_filter", tolerance=0),
    job("Convolution layer", uniform(("channels", "h", "w"), ("features", "channels", 3, 3)), convolved,
        [{"w": 11, "h": 7, "channels": 3, "features": 5}], [{"w": 128, "h": 128, "channels": 32, "features": 32}],
        layer_work, name="convolution_layer", options=ANY_ORDER),
]
