# SPDX-License-Identifier: MIT
"""Kernels of linear algebra over triangles, and fields that need one another, from their definitions."""

import numpy

from harness.workload import Baseline, Work, Workload

SOURCE = "L.-N. Pouchet, PolyBench: The Polyhedral Benchmark Suite, 2012"


def by_hand(kernel):
    return (Baseline("OpenMP", "openmp.cpp", ("-fopenmp",), options={"kernel": kernel}),)


def gram_schmidt(_size, a):
    v, q, r = a.copy(), numpy.zeros_like(a), numpy.zeros((a.shape[1],) * 2)
    for k in range(a.shape[1]):
        r[k, k] = numpy.sqrt((v[:, k] ** 2).sum())
        q[:, k] = v[:, k] / r[k, k]
        r[k, k + 1:] = q[:, k] @ v[:, k + 1:]
        v[:, k + 1:] -= numpy.outer(q[:, k], r[k, k + 1:])
    return [q, r]


def fields(size, x, y, z):
    x, y, z = x.copy(), y.copy(), z.copy()
    for _ in range(size["steps"]):
        x[1:] -= 0.5 * (z[1:] - z[:-1])
        y[:, 1:] += 0.5 * (z[:, 1:] - z[:, :-1])
        z[:-1, :-1] += 0.5 * (x[:-1, :-1] - x[1:, :-1] + y[:-1, 1:] - y[:-1, :-1])
    return [z]


def matrices(count, *extents):
    return lambda size, random: [random.uniform(-1, 1, [size[extent] for extent in extents]) for _ in range(count)]


def long_columns(size, random):
    """Columns that are far from one another's multiples, so that the order of sums does not matter much."""
    return [random.uniform(-1, 1, (size["m"], size["n"])) + 5 * numpy.eye(size["m"], size["n"])]


def half_of_products(size):
    return Work(read_bytes=8 * size["m"] * size["n"], written_bytes=8 * size["n"] ** 2, flops=size["n"] * (size["n"] + 1) * size["m"])


def sizes(small, large):
    return {"smoke": small, "cpu": [large], "gpu": []}


WORKLOADS = [
    Workload(
        title="A A', the lower triangle", source=SOURCE, main="Syrk", inputs=matrices(1, "n", "m"), reference=lambda _size, a: [numpy.tril(a @ a.T)],
        sizes=sizes([{"n": 1, "m": 3}, {"n": 61, "m": 130}], {"n": 800, "m": 800}), work=half_of_products, baselines=by_hand("syrk")),
    Workload(
        title="Covariances", source=SOURCE, main="Covariance", inputs=matrices(1, "n", "m"), reference=lambda _size, a: [numpy.cov(a.T).reshape(2 * a.shape[1:])],
        sizes=sizes([{"n": 3, "m": 1}, {"n": 130, "m": 61}], {"n": 801, "m": 801}),
        work=lambda size: half_of_products({"n": size["m"], "m": size["n"]}), baselines=by_hand("covariance")),
    Workload(
        title="Gram and Schmidt's factors", source=SOURCE, main="GramSchmidt", inputs=long_columns, reference=gram_schmidt,
        sizes=sizes([{"n": 1, "m": 1}, {"n": 37, "m": 41}], {"n": 401, "m": 401}),
        work=lambda size: Work(read_bytes=8 * size["n"] * size["m"], written_bytes=8 * size["n"] * (size["n"] + size["m"]),
                               flops=2 * size["m"] * size["n"] ** 2), baselines=by_hand("gram_schmidt")),
    Workload(
        title="A leapfrog of three fields", source=SOURCE, main="Fields", inputs=matrices(3, "h", "w"), reference=fields,
        set=lambda size: {"steps": size["steps"]},
        sizes=sizes([{"w": 2, "h": 2, "steps": 1}, {"w": 61, "h": 47, "steps": 5}], {"w": 801, "h": 801, "steps": 60}),
        work=lambda size: Work(read_bytes=64 * size["w"] * size["h"] * size["steps"], written_bytes=24 * size["w"] * size["h"] * size["steps"],
                               flops=11 * size["w"] * size["h"] * size["steps"]), baselines=by_hand("fields")),
]
