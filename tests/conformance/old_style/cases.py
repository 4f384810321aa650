# SPDX-License-Identifier: MIT
"""Habits of old programs: guards, helpers on regions, raw memory, shadowed names, macros for everything, spacing."""

import numpy as np

from case import Case, ints, mat, vec

INCLUDED = ("guards_a", "guards_b", "grid_helpers")


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


def symmetric(n, r):
    a = mat(n, n, r)
    return a + a.T


def halves(a):
    return [np.concatenate([a[:1], (a[1:] + a[:-1]) / 2]), 1.5 + 20 + 1200]


def poisson(start, b):
    m = len(b) - 2
    tridiagonal = 2 * np.eye(m) - np.eye(m, k=1) - np.eye(m, k=-1)
    inside = np.linalg.solve(np.kron(np.eye(m), tridiagonal) + np.kron(tridiagonal, np.eye(m)), b[1:-1, 1:-1].ravel())
    return [np.pad(inside.reshape(m, m), 1)]


def track(a):
    b = 2 * a
    changed = np.concatenate([[100], b[1:]])
    return [4 * changed, 16 * changed, [b[0] + b[-1], 4 * a[0], 200, 2 * 4 * changed.sum(), 16 * changed.sum(), 2 * 16 * changed[-1]]]


def versions_of(a):
    b = a
    for k in range(1, 5):
        b = b * k + np.arange(len(a))
    return [b - 4, 20 + 1 + 1 - 1]


def conditions(a, b, s):
    g = np.gcd(a.astype(int), b.astype(int))
    has_a, has_b = a != 0, b != 0
    c = (a == 0) + 2 * (has_a & has_b) + 4 * (has_a | (s != 0)) + 8 * has_a + 16 * (b == 0) + 96.0
    k = np.where(has_b, 2, 0) + 1
    k = np.where(has_a, np.maximum(k, 4), k)
    c += np.where(has_b, np.where(has_a, 100, 200), 300 if s else 400) + 1000 * k
    return [g, np.lcm(a.astype(int), b.astype(int)), c]


def spellings(a):
    b = 10 + 5 + 2 + 31 + 15 + 3 + 1000 + 100 + 0.5 + 2 + 10 + 97 + 10 + 1 + np.trunc(a)
    c = 1 + a + 5 + 6 + (a + 1) + 2 * a + 0.5 + np.trunc(2 * a) + 4464
    whole = np.trunc(a)
    f = whole + 2 * np.abs(whole) + 2 * whole + 1 + np.abs(whole) + whole
    return [b, c, np.array([1, 2, 4])[np.abs(a).astype(int) % 3], a, f]


def forms(a):
    h, w = a.shape
    out = [a[0].sum(), a[:, 0].sum(), a[-1].sum(), a[:, -1].sum(), a[min(1, h - 1)].sum(), 2, 3, 2, 7, min(a[0, 0], a[-1, 0]),
           5, 6, -a[0, 0], 3, 65, 0, a[0].sum(), 2 * (h - 1)]
    return [np.arange(w) + 2.0 * np.arange(h)[:, None], out]


def clamp(a):
    inner = np.maximum(a[:-1] ** 3, a[1:]) + np.minimum(a[:-1], np.abs(a[1:]))
    return [np.concatenate([inner, np.abs(a[-1:])])[::-1], 2]


def ranks(a):
    stat = [a.sum(), np.abs(a).sum(), len(a) + 4, 1]
    return [np.unique(a, return_inverse=True)[1], np.array(stat)]


def words(a, e):
    exponent = int(e)
    half, spawned = 2 * a, 2 * a
    synced = half ** exponent
    half = spawned ** exponent
    out = spawned + half - synced
    synced[0] = a[0]
    return [out, synced]


def filled(a, b, v):
    p = a @ b
    s = np.cumsum(p, axis=1)
    d = v + np.cumsum(np.vstack([0 * v, (p * v[::-1])[1:]]), axis=0)
    z = p - p.mean(axis=1)[:, None]
    return [p, s, d, p.mean(axis=1), p.max(axis=1), (p - v[np.maximum(np.arange(len(v)) - 1, 0)]).T, np.stack([z, 2 * z])]


CASES = {
    "loops_over_outputs": Case(filled, lambda n, r: [mat(n // 2 + 1, n + 1, r), mat(n, n // 2 + 1, r), vec(n, r)],
                               sizes=(1, 2, 5, 33, 100)),
    "using_std": Case(lambda a: [np.sort(a), np.linalg.norm(np.sort(a) - a) + 14.5], lambda n, r: [vec(n, r)],
                      sizes=(1, 2, 33, 100)),
    "array_values": Case(halves, lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 33, 300)),
    "pointers_across_calls": Case(track, lambda n, r: [vec(n, r)], sizes=(1, 2, 33, 200)),
    "argument_forms": Case(forms, lambda n, r: [mat(n, n + 1, r)], sizes=(1, 2, 33, 100)),
    "macros_of_c": Case(clamp, lambda n, r: [vec(n, r)], sizes=(1, 2, 33, 100)),
    "legacy_templates": Case(lambda a: [2 * a, 3 * a + 1, a + len(a) % 2], lambda n, r: [vec(n, r)], sizes=(0, 1, 33, 100)),
    "comments_everywhere": Case(lambda a, s: [s + np.cumsum(a) - a[0]], lambda n, r: [vec(n, r), vec((), r)]),
    "worst_quicksort": Case(lambda a: [np.sort(a)], lambda n, r: [np.arange(float(n))], sizes=(1, 2, 100, 3000)),
    "fft_convolution": Case(lambda a, b: [np.convolve(a, b)], lambda n, r: [vec(n, r), vec(n // 3 + 1, r)], sizes=(1, 2, 9, 60)),
    "eigenvalues": Case(lambda a: [np.linalg.eigvalsh(a)], lambda n, r: [symmetric(n, r)], sizes=(1, 2, 3, 17, 40),
                        needs="lapack"),
    "poisson_multigrid_lapack": Case(poisson, lambda n, r: [np.zeros((n, n)), mat(n, n, r)], sizes=(3, 5, 9, 17),
                                     tolerance=1e-7, needs="lapack"),
    "header_words": Case(versions_of, lambda n, r: [vec(n, r)]),
    "same_bin": Case(lambda x: [x, 2.5 * x + 1, 4 * x + 2], lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 33, 100)),
    "numbers_as_conditions": Case(conditions, lambda n, r: [ints(n, -4, 5, r), ints(n, -4, 5, r), np.float64(n % 2)]),
    "spellings_of_c": Case(spellings, lambda n, r: [ints(n, -9, 10, r) / 2]),
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
    "words_as_names": Case(words, lambda n, r: [vec(n, r), np.float64(n % 4)], sizes=(1, 2, 3, 33, 100)),
}
