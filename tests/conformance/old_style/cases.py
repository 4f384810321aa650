# SPDX-License-Identifier: MIT
"""Habits of old programs: guards, helpers on regions, raw memory, shadowed names, macros for everything, spacing."""

import numpy as np

from case import Case, ints, mat, vec

INCLUDED = ("guards_a", "guards_b")


def use_helpers(a, v, u):
    c = 2 * (v + np.arange(len(v)))
    c[:len(v) // 2] *= a[:, 0].sum()
    b = a + np.outer(u, v)
    return [b, b.sum(axis=1) - a.sum(axis=1), c, c[0]]


def raw(a, m):
    z, t = np.zeros_like(m), 2 * m
    z[-1, -1] = m[-1, -1]
    t[m.shape[0] // 2] += 1
    return [a, z, t]


def control(a):
    steps = np.array([int(v).bit_length() for v in a], dtype=float)
    code = [(-k if k % 3 == 0 else k // 2 if k % 3 == 1 else max(k, 5)) for k in steps]
    return [steps, steps.max(), np.array(code)]


def clipped(a):
    return [np.minimum(a, 0.25), (a > 0.5).sum() + 100 * (np.minimum(a, 0.5) > 0.25).sum()]


def pyramid(a, level):
    s, n = 0.0, len(a)
    for k in range(int(level), -1, -1):
        s += a[:n].sum() / (k + 1)
        if n <= 1:
            break
        n //= 2
    return [s]


def mixed(a):
    i = np.arange(len(a))
    f = a.astype(np.float32).astype(np.float64)
    big = 1000003 ** 2 % 1000
    b = 2 ** 32 + 3 - 30 - 100 + 1 + big + f - a + (a > 0) + 6 + 0.5     # an unsigned term makes the sum wrap
    c = np.where((a >= 0) & (i != 2), (i & 5) | 8, ~(i ^ 3)) + 1
    return [b, c]


def positive(n, r):
    a = mat(n, n, r)
    return a @ a.T + n * np.eye(n)


def halves(a):
    return [np.concatenate([a[:1], (a[1:] + a[:-1]) / 2]), 1.5 + 20 + 1200]


def ranks(a):
    stat = [a.sum(), np.abs(a).sum(), len(a) + 4, 1]
    return [np.unique(a, return_inverse=True)[1], np.array(stat)]


CASES = {
    "array_values": Case(halves, lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 33, 300)),
    "no_includes": Case(ranks, lambda n, r: [ints(n, -9, 9, r)], sizes=(1, 2, 9, 33)),
    "mutual_includes": Case(lambda a: [a % 2 == 0, a % 2], lambda n, r: [ints(n, 0, 12, r)], sizes=(0, 1, 2, 9, 20)),
    "helpers_with_regions": Case(use_helpers, lambda n, r: [mat(n + 1, n, r), vec(n + 1, r), vec(n, r)]),
    "raw_memory": Case(raw, lambda n, r: [vec(n, r), mat(n + 1, n, r)]),
    "shadowing": Case(lambda a, k: [6 * a + 1 + np.arange(len(a)), a * k], lambda n, r: [vec(n, r), vec((), r)]),
    "calls_in_control_flow": Case(control, lambda n, r: [ints(n, 0, 300, r)]),
    "rule_macros": Case(lambda a, b: [2 * (a + b), (a - b) ** 2], lambda n, r: [vec(n, r), vec(n, r)]),
    "tunable_sizes": Case(lambda a: [a[np.arange(4) * len(a) // 4]], lambda n, r: [vec(n, r)]),
    "static_state": Case(lambda p: [np.sin(2 * np.pi * (p % 256) / 256)], lambda n, r: [ints(n, 0, 1000, r)]),
    "one_line": Case(lambda a, b: [(a + b) * (a - b)], lambda n, r: [vec(n, r), vec(n, r)], sizes=(0, 1, 2, 33, 100)),
    "wide_spacing": Case(lambda a: [a + 1], lambda n, r: [mat(n, n + 1, r)]),
    "in_out_same_name": Case(clipped, lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 33, 100)),
    "triangular_recursion": Case(lambda s: [np.linalg.cholesky(s)], lambda n, r: [positive(n, r)], sizes=(1, 2, 3, 17, 33)),
    "template_recursion": Case(pyramid, lambda n, r: [vec(n, r), np.float64(n % 4)], sizes=(1, 2, 3, 4, 17, 64)),
    "float_and_long_locals": Case(mixed, lambda n, r: [vec(n, r)]),
}
