# SPDX-License-Identifier: MIT
"""Clauses of transform headers (docs/reference/language.md 4): sizes, tunables, names, functions, templates, accuracy, memoization."""

import numpy as np

from case import Case, ints, mat, vec


def describe(m):
    corners = [m[0, 0], m[0, -1], m[-1, 0], m[-1, -1]]
    return [m.sum(axis=1), m.sum(axis=0), m.sum(), m.max(), m.T, np.array(corners)]


def formulas(a, b):
    n, m = len(a), len(b)
    double = np.array([i if i % 2 == 0 else a[i // 2] for i in range(2 * n + 1)], dtype=float)
    outer = b[:, None] * a[None, :]
    sums = np.zeros(n + m - 1)
    for i in range(n):
        for j in range(m):
            sums[i + j] += a[i] + b[j]
    return [double, -a[:n // 2], outer.ravel(), outer, sums, a[-1] ** 2]


def interleave(h, a):
    out = a.copy()
    out[1::2] = h[:len(a) // 2]
    return [out]


def quadratic(a, b, c):
    disc = b * b - 4 * a * c
    s = np.sqrt(disc) if disc >= 0 else 0
    roots = [(-b - s) / (2 * a), (-b + s) / (2 * a)] if disc >= 0 else [0, 0]
    return [*roots, disc]


def band_matrix(n, band):
    d = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    m = np.where(d <= band, 1 / (1 + d), 0)
    return [m, np.count_nonzero(m), np.arange(band)]


def wound_up(k, start, m, a):
    n = len(a)
    b = np.array([a[i % n] if i >= start else -k for i in range(k * n + m)])
    return [b, np.sum(a[:start]) + k]


def shares(a, b, c):
    padded = np.append(c, b[0])
    return [np.append(2 * c, a[0] + b[0]), b[0] + padded[0]]


def contract(a):
    weights = np.arange(1, a.shape[2] + 1)
    inner = np.einsum("vlkji,k->vlji", a, weights)  # A[p,q,r,s,t] has shape (t,s,r,q,p)
    return [np.einsum("vlji->lijv", inner)]         # B[t,q,p,s] has shape (s,p,q,t)


def base(rule, priority, own):
    return [2 * rule + priority - own, abs(own)]


def steepest(x, g):
    gg = g @ g
    t = -(x @ g) / gg if gg > 0 else 0
    return [t * g + x, t]


def polynomial(a, c):
    return [sum(c[d] * a ** d for d in range(4)) - a ** 3]


def windows(a):
    def sums(w):
        return np.array([a[i:i + 2 * w + 1].sum() for i in range(len(a) - 2 * w)])
    return [sums(1), sums(2), sums(3)]


def first_fit(a):
    room, place = [], []
    for size in a:
        k = next((k for k, r in enumerate(room) if r >= size), len(room))
        if k == len(room):
            room.append(1.0)
        room[k] -= size
        place.append(k)
    return [len(room), np.array(place, dtype=float)]


def collatz(a):
    def steps(v):
        count = 0
        while v > 1:
            v, count = (3 * v + 1 if v % 2 else v // 2), count + 1
        return count
    return [np.array([steps(int(v)) for v in a], dtype=float)]


def nearest_of_two(x):
    centres = x[:, [0, x.shape[1] // 2]]
    distance = ((x[:, :, None] - centres[:, None, :]) ** 2).sum(axis=0)
    return [np.argmin(distance, axis=1), 2]


def table_and_sizes(row, whole, wide):
    n = len(whole) // len(row)
    more = np.arange(max(3 * n - 1, 0) // 2, dtype=float)
    return [whole.reshape(len(row), n) * row[:, None], 3, 2.0 * np.arange(n // 2), np.where(more < 0.75 * n, 1, more)]


def symmetric(packed, square):
    k = round((2 * len(packed) + 0.25) ** 0.5 - 0.5)
    out = np.zeros((k, k))
    out[np.tril_indices(k)] = packed
    return [out + np.tril(out, -1).T, round(square ** 0.5) + 1000 * k]


CASES = {
    "accuracy_sizes": Case(nearest_of_two, lambda n, r: [mat(n, 2, r)], varies=True),
    "to_before_from": Case(lambda a, b, f: [a + b * f], lambda n, r: [vec(n, r), vec(n, r), vec((), r)],
                           sizes=(0, 1, 2, 7, 63, 130)),
    "many_outputs": Case(describe, lambda n, r: [mat(n, n + 3, r)], sizes=(1, 2, 5, 31, 65)),
    "too_large": Case(lambda a: [a**3], lambda n, r: [vec(n, r)], sizes=(1, 2, 5),
                      stops={300: "would be larger than an index may be, `n*n*n*100` is 2700000000"}),
    "size_formulas": Case(formulas, lambda n, r: [vec(n, r), vec(n // 2 + 1, r)], sizes=(1, 2, 3, 8, 33)),
    "size_inverse": Case(lambda a, b: [a[1:-1], b[::2]], lambda n, r: [vec(n + 2, r), vec(2 * n + 5, r)],
                         sizes=(0, 1, 2, 9, 64, 101)),
    "size_half_first": Case(interleave, lambda n, r: [vec(n // 2, r), vec(n, r)], sizes=(0, 1, 2, 11, 12, 67)),
    "size_equation": Case(lambda a, ab: [ab[len(a):], a - ab[:len(a)]], lambda n, r: [vec(n, r), vec(2 * n + 1, r)],
                          sizes=(0, 1, 2, 13, 64)),
    "size_products": Case(shares, lambda n, rng: [vec(n, rng), vec(n, rng), vec(n * n // 65536, rng)], sizes=(3, 300, 65000, 65536)),
    "size_of_product": Case(table_and_sizes, lambda n, r: [vec(n // 2 + 1, r), vec(n * (n // 2 + 1), r), vec((n // 2 + 2) * 3, r)],
                            sizes=(0, 1, 2, 3, 12, 67)),
    "size_of_power": Case(lambda s, t: [s.reshape([round(len(s) ** 0.5)] * 2), *symmetric(t, len(s))],
                          lambda n, r: [vec(n * n, r), vec((n + 1) * (n + 2) // 2, r)], sizes=(0, 1, 2, 7, 40, 65)),
    "size_of_root": Case(lambda c: [c.reshape([round(len(c) ** (1 / 3))] * 3)],
                         lambda n, r: [vec(n, r)], sizes=(0, 1, 8, 27, 1000),
                         stops={30: "dimension 0 of `C[n*n*n]` is 30, but `n*n*n` is 27 for n = 3"}),
    "constant_sizes": Case(lambda m: [np.linalg.inv(m), np.linalg.det(m)],
                           lambda n, r: [mat(3, 3, r) + 4 * np.eye(3)], sizes=(1, 2, 3, 4, 5)),
    "zero_dimensional": Case(quadratic, lambda n, r: [vec((), r) + 3, vec((), r) * n, vec((), r)], sizes=(1, 2, 3, 4, 20)),
    "tunables": Case(lambda a: [a + 2], lambda n, r: [vec(n, r)]),
    "tunable_as_size": Case(lambda a: [a.sum()], lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 63, 64, 127)),
    "names_of_c": Case(lambda a: [a + 63], lambda n, r: [vec(n, r)], sizes=(1, 2, 65)),
    "whole_reals": Case(lambda a: [a[::2], np.arange(10)], lambda n, r: [vec(2 * n, r)], sizes=(0, 1, 33)),
    "tunable_times_size": Case(lambda a: [np.sqrt(np.abs(a[1::3])), len(a) // 3], lambda n, r: [vec(3 * n + 1, r)],
                               varies=True, sizes=(0, 1, 2, 17, 64)),
    "two_params": Case(band_matrix, params=lambda n: {"n": n, "band": n // 3}, sizes=(1, 2, 3, 16, 47)),
    "param_in_formulas": Case(wound_up, lambda n, r: [vec(n, r)], params=lambda n: {"k": 3, "start": n // 2, "m": 2}),
    "main_is_first": Case(lambda a: [2 * a + 1], lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 65, 200)),
    "main_in_header": Case(lambda a: [a.min()], lambda n, r: [vec(n, r)]),
    "semicolons": Case(lambda a: [3 * a], lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 31, 100)),
    "five_dimensions": Case(contract, lambda n, r: [r.normal(size=(3, 2, n, 2, n + 1))], sizes=(1, 2, 3, 5, 9)),
    "awkward_names": Case(base, lambda n, r: [vec(n, r), vec((), r), vec((), r)], sizes=(0, 1, 2, 17, 90)),
    "functions": Case(steepest, lambda n, r: [vec(n, r), vec(n, r)], sizes=(1, 2, 3, 64, 301)),
    "generator": Case(lambda a, b: [a @ b], generated=True, sizes=(1, 2, 3, 17, 80)),
    "input_feature": Case(lambda a: [a - a.mean()], lambda n, r: [vec(n, r)]),
    "template_tree": Case(polynomial, lambda n, r: [vec(n, r), vec(4, r)]),
    "template_sizes": Case(windows, lambda n, r: [vec(n + 6, r)]),
    "bins_call": Case(lambda a: [np.sqrt(a), np.sqrt(a)], lambda n, r: [np.abs(vec(n, r)) + 0.1]),
    "bins_decreasing": Case(first_fit, lambda n, r: [r.uniform(0.05, 0.9, n)]),
    "verify_accuracy": Case(lambda a: [[1, 3, 5, 6, 1, 4, 5]], lambda n, r: [np.full(3, 6.0)], sizes=(1,)),
    "memoized": Case(lambda a: [np.cumsum(a + 1)], lambda n, r: [vec(n, r)]),
    "for_enough": Case(collatz, lambda n, r: [ints(n, 1, 1000, r)]),
    "tolerance": Case(lambda a: [(1 / (1 + np.abs(a))).sum()], lambda n, r: [vec(n, r)], tolerance=1e-4),
    "names_of_macros": Case(lambda a, b: [(a + 2 * b + np.arange(len(a))) * (1 + np.arange(len(a))), 2 * a + 12],
                            lambda n, r: [vec(n, r), vec(n, r)], sizes=(0, 1, 2, 33, 100)),
}
