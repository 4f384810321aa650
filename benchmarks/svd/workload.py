# SPDX-License-Identifier: MIT
"""Truncated singular value decompositions: the fewest values that keep the relative error at 0.05 or below."""

import numpy

from harness.workload import Baseline, Work, Workload

LIMIT = 0.05   # of the relative error by the norm of Frobenius, the program's most demanding bin
MAIN = "SVD<bin 0>"


def values(n):
    return 1 / numpy.arange(1, n + 1)


def inputs(size, random):
    n, m = size["n"], size.get("m", size["n"])
    p = min(n, m)
    u, _ = numpy.linalg.qr(random.standard_normal((m, p)))
    v, _ = numpy.linalg.qr(random.standard_normal((n, p)))
    return [numpy.ascontiguousarray((u * values(p)) @ v.T)]


def fewest(singular_values):
    """As many values as keep the error at the limit."""
    squares = singular_values ** 2
    rest = squares.sum() - numpy.cumsum(squares)
    return int(numpy.argmax(rest <= LIMIT ** 2 * squares.sum())) + 1 if squares.size else 0


def reference(size, a):
    if a.size == 0:
        return [numpy.zeros((a.shape[0], 0)), numpy.zeros(0), numpy.zeros((0, a.shape[1]))]
    u, s, vt = numpy.linalg.svd(a, full_matrices=False)
    k = fewest(s)
    return [u[:, :k], s[:k], vt[:k]]


def relative_error(a, u, s, vt):
    norm = numpy.linalg.norm(a)
    return numpy.linalg.norm(a - (u * s) @ vt) / norm if norm else 0.0


def error(size, arrays, outputs, expected):
    """1 at the limits: of the error of the product, of the distance of the vectors from orthonormal ones, and of the singular
    values, which are those of a part of A: none is above A's own."""
    a, = arrays
    if len(outputs) != 3 or not all(numpy.isfinite(x).all() for x in outputs):
        return float("inf")
    u, s, vt = outputs
    k = len(s)
    if u.shape != (a.shape[0], k) or vt.shape != (k, a.shape[1]):
        return float("inf")
    own = numpy.linalg.svd(a, compute_uv=False) if a.size else numpy.zeros(0)
    found = s[:len(own)]
    above = float(max((found - own[:k]).max(initial=0), 0) / own.max(initial=1e-300))
    there = s > 0   # matrices with fewer values than there is room for have zeros at the end
    slant = max((numpy.abs(x - numpy.eye(len(x))).max(initial=0) for x in (u.T[there] @ u[:, there], vt[there] @ vt[there].T)), default=0)
    sorted_down = bool((numpy.diff(s) <= 0).all()) and (not k or s[-1] >= 0)
    return max(relative_error(a, u, s, vt) / LIMIT, slant / 1e-6, above / 1e-6, 0 if sorted_down else float("inf"))


def work(size):
    """The matrix is read once. A product with an orthonormal basis of the kept vectors, from each side, is the least."""
    n, m = size["n"], size.get("m", size["n"])
    k = fewest(values(min(n, m)))
    return Work(read_bytes=8 * n * m, written_bytes=8 * k * (n + m + 1), flops=4.0 * n * m * k)


def share(spare):
    """Per power of two of the larger side, how many 256ths of n are kept: what square matrices of `inputs` need, times `spare`.
    Small matrices need nearly all values, oblong ones too."""
    def one(exponent):
        if not 8 <= exponent <= 12:
            return 240 if 5 <= exponent < 8 else 256
        most = max(fewest(values(n)) / n for n in (2 ** exponent, 2 ** (exponent + 1) - 1))
        return min(256, int(numpy.ceil(256 * most * spare)) + 1)
    return [one(exponent) for exponent in range(32)]


SITES = {"Product": "Library|Panels|Definition|Tiled", "Panel": "Library|Blocked", "Gram": "Library|General|Halves|Definition",
         "Eigen": "Reduction|Library", "TridiagonalEigen": "DivideAndConquer|Robust|Bisection|QrIteration",
         "Orthonormal": "Cholesky|Householder", MAIN: "Eigenproblem|RandomSubspace|Library", "Cells": "C#1", "Tiles": "C#1"}


def choice(rule, spare=1.0, tunables=None, device=(), gram_on="cpu", **rules):
    """A configuration: the main rule, rules of other transforms, and transforms whose data-parallel rules run on the device."""
    def configuration(threads):
        transforms = {name: {"sites": {SITES[name]: [{"rule": chosen, "on": gram_on if name == "Gram" else "cpu"}]}}
                      for name, chosen in ({"Product": "Panels"} | rules | {MAIN: rule}).items()}
        for name in device:
            transforms[name] = {"sites": {SITES[name]: [{"rule": "C#1", "on": "opencl"}]}}
        transforms.setdefault("Product", {})["tunables"] = {"panels": threads}
        transforms[MAIN]["tunables"] = {"share": share(spare)} | {k: [v] * 32 for k, v in (tunables or {}).items()}
        return {"global": {"threads": threads, "sequential_cutoff": 1}, "transforms": transforms}
    return configuration


RANDOM = {"steps": 2, "oversample": 8}
CHOICES = {
    "eigenproblem, divide and conquer": choice("Eigenproblem", TridiagonalEigen="DivideAndConquer"),
    "eigenproblem, MRRR": choice("Eigenproblem", TridiagonalEigen="Robust"),
    "eigenproblem, bisection": choice("Eigenproblem", TridiagonalEigen="Bisection"),
    "eigenproblem, QR iteration": choice("Eigenproblem", TridiagonalEigen="QrIteration"),
    "eigenproblem, dsyevr": choice("Eigenproblem", Eigen="Library"),
    "eigenproblem, halves of the Gram matrix": choice("Eigenproblem", Gram="Halves"),
    "eigenproblem, blocked products": choice("Eigenproblem", Gram="General", Panel="Blocked"),
    "eigenproblem, products by definition": choice("Eigenproblem", Gram="Definition", Product="Definition"),
    "random subspace, 1 product": choice("RandomSubspace", 2.1, {"steps": 1, "oversample": 32}),
    "random subspace, 2 products": choice("RandomSubspace", 1.18, RANDOM),
    "random subspace, 4 products": choice("RandomSubspace", 1.07, {"steps": 4, "oversample": 8}),
    "random subspace, Householder": choice("RandomSubspace", 1.18, RANDOM, Orthonormal="Householder"),
    "random subspace, tiles": choice("RandomSubspace", 1.18, RANDOM, Product="Tiled"),
    "random subspace, products on the device": choice("RandomSubspace", 1.18, RANDOM, Product="Tiled", device=("Tiles", "Cells")),
    "eigenproblem, Gram matrix on the device": choice("Eigenproblem", Gram="Definition", gram_on="opencl"),
    "eigenproblem, device and CPU": choice("Eigenproblem", Gram="Halves", Product="Tiled", device=("Tiles",)),
    "dgesdd, truncated": choice("Library"),
}

LAPACK = ("-llapacke", "-lopenblas")
PACKAGES = ("libopenblas-dev", "liblapacke-dev")

WORKLOAD = Workload(
    title="Singular value decomposition to a relative error of 0.05",
    source="Phothilimthana et al., ASPLOS 2013, section 6 (SVD); random subspaces: Halko, Martinsson and Tropp, SIAM Review 53 (2011)",
    inputs=inputs,
    reference=reference,
    error=error,
    any_choice_is_right=False,
    tolerance=1,
    sizes={"smoke": [{"n": 37, "m": 37}, {"n": 29, "m": 53}, {"n": 41, "m": 23}],
           "cpu": [{"n": 256, "m": 256}, {"n": 1024, "m": 1024}],
           "gpu": [{"n": 1024, "m": 1024}, {"n": 4096, "m": 4096}]},
    work=work,
    choices=CHOICES,
    baselines=(
        Baseline("LAPACK dgesdd, truncated", "lapack.cpp", LAPACK, PACKAGES, {"routine": "gesdd"}),
        Baseline("LAPACK dgesdd, truncated, 1 thread", "lapack.cpp", LAPACK, PACKAGES, {"routine": "gesdd", "blas-threads": "1"}),
        Baseline("LAPACK dgesvdx, the largest values", "lapack.cpp", LAPACK, PACKAGES, {"routine": "gesvdx"}),
        Baseline("LAPACK dgesvd, truncated", "lapack.cpp", LAPACK, PACKAGES, {"routine": "gesvd"}, applies=lambda size: size["n"] <= 256)),
)
