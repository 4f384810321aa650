# SPDX-License-Identifier: MIT
"""The programs of tests/corpus with the results that docs/reference/language.md implies."""

import numpy as np

from case import Case, mat, vec

FOLDER = "../../corpus"


def edge_mean(a):
    return [np.array([a[max(i - 1, 0):i + 2].mean() for i in range(len(a))])]


def heat(a):
    for _ in range(20):
        b = a.copy()
        b[1:-1] = (a[:-2] + 2 * a[1:-1] + a[2:]) / 4
        a = b
    return [a]


def diffuse(a):
    for _ in range(3):
        wide = np.pad(a, 1)
        a = (wide[:-2] + 2 * wide[1:-1] + wide[2:]) / 4
    return [a]


def zigzag(a):
    p, q = a.copy(), -a
    for i in range(1, len(a)):
        p[i], q[i] = q[i - 1] + a[i], p[i - 1] - a[i]
    return [p, q]


def first_row(a):
    b = a.copy()
    for y in range(1, len(a)):
        b[y] += b[y - 1]
    return [b]


def frame(a):
    out = np.full(a.shape, 8.0)
    out[1:-1, 1:-1] = 9
    for corner in ((0, 0), (0, -1), (-1, 0), (-1, -1)):
        out[corner] = 7
    return [out]


def refine(c):
    f = np.zeros(2 * len(c) - 1)
    f[::2] = c
    f[1::2] = (c[1:] + c[:-1]) / 2
    return [f]


def closeness(x, a):
    return [-np.log10(max(1e-9, np.abs(x * x - np.abs(a)).max()))]


def normalise(a):
    s = a.max() - a.min()
    return [a / s if s > 0 else 0 * a]


def smooth3(w, a):
    return [(w[0] * a[:-2] + w[1] * a[1:-1] + w[2] * a[2:]) / w[1]]


def widen(a, pad):
    n, m = len(a), len(pad) - len(a)
    i = np.arange(n * m)
    return [(a[i % n] + pad[i // n]).reshape(m, n)]


def block_sum(a):
    return [(0.9 * a * 1.5).sum()]


def one(n, r):
    return [vec(n, r)]


def rect(n, r):
    return [mat(n, n + 2, r)]


CASES = {
    "accuracy": Case(closeness, lambda n, r: [vec(n, r), vec(n, r)]),
    "c_arrays": Case(lambda a: [a[::-1]], one, sizes=(0, 1, 2, 17, 64)),
    "conditionals": Case(lambda a: [np.abs(a) + a * a], one),
    "default_inputs": Case(diffuse, lambda n, r: [(1.0 + np.arange(n)) ** 2], sizes=(0, 1, 2, 5, 64)),
    "duplicate": Case(lambda a, b: [a @ b], lambda n, r: [vec(n, r), vec(n, r)], sizes=(0, 1, 2, 3, 17, 101)),
    "for_enough": Case(lambda v: [v / 10], lambda n, r: [vec((), r)], varies=True),
    "frame": Case(frame, rect, sizes=(2, 3, 4, 17, 64)),
    "function": Case(lambda a, s: [s * a], lambda n, r: [vec(n, r), vec((), r)], adds_to_outputs=True),
    "function_or": Case(lambda a: [a.sum()], one),
    "generator": Case(lambda a: [a[len(a) // 2]], generated=True, sizes=(1, 2, 3, 16, 101)),
    "in_place": Case(lambda a: [4.5 * a], one, sizes=(0, 1, 2, 17, 64)),
    "input_feature": Case(normalise, one),
    "legacy_calls": Case(lambda a: [2 * a, 3 * a], one),
    "lookup": Case(lambda k, a: [a * (1 if int(k) % 2 == 0 else 10)], lambda n, r: [np.float64(n), vec(n, r)]),
    "macros": Case(smooth3, lambda n, r: [vec(3, r) + 5, vec(n + 2, r)]),
    "merge_sort": Case(lambda a: [np.sort(a)], one, sizes=(0, 1, 2, 17, 64, 201)),
    "optional_inputs": Case(edge_mean, one, sizes=(2, 3, 4, 17, 64)),
    "param": Case(lambda n: [np.eye(n)], params=lambda n: {"n": n}, sizes=(0, 1, 2, 17, 64)),
    "plane_sums": Case(lambda v: [v.sum(axis=(1, 2))], lambda n, r: [r.normal(size=(n, n + 1, 3))]),
    "prefix_block": Case(lambda a: [np.clip(a, 0, 1)], rect),
    "ramp": Case(lambda n, start, step: [start + step * np.arange(n)], lambda n, r: [vec((), r), vec((), r)],
                 params=lambda n: {"n": n}, sizes=(0, 1, 2, 17, 64)),
    "refine": Case(refine, one),
    "round_trip": Case(lambda a: [a], rect),
    "row_norms": Case(lambda m: [m / np.linalg.norm(m, axis=1)[:, None], np.linalg.norm(m, axis=1)], rect),
    "size_variables": Case(widen, lambda n, r: [vec(n, r), vec(2 * n + 1, r)]),
    "suffix": Case(lambda a: [np.cumsum(a[::-1])[::-1], np.cumsum(a[::-1])], one),
    "template": Case(lambda a: [a ** 3], one),
    "temporaries": Case(lambda a: [np.concatenate([a[len(a) // 2:], a[:len(a) // 2]])], one, sizes=(0, 1, 2, 17, 64)),
    "three_transforms": Case(lambda a: [a - a.max(), a.max()], one),
    "tunables": Case(block_sum, one, varies=True),
    "versions": Case(heat, one),
    "where": Case(first_row, rect),
    "window": Case(lambda a: [a[1:3, 1:3]], lambda n, r: [np.arange(12.0).reshape(3, 4) * n], sizes=(1, 2, 3, 4, 5)),
    "zigzag": Case(zigzag, one),
}
