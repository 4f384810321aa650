# SPDX-License-Identifier: MIT
"""Shapes of headers that combine several constructs."""

import numpy as np

from case import Case, mat, vec


def products(a, shape):
    m, n = shape.shape
    quarter = a.reshape(m, n)[::2, ::2]
    return [a, quarter]


def halves_of_rows(a):
    b = a.copy()
    half = a.shape[1] // 2
    b[:, half:] += a[:, :half].sum(axis=1)[:, None]
    return [b]


def shifted(a):
    b = a.copy()
    b[3:] += a[2:-1]
    return [b]


def heads_and_tails(a):
    heads = np.concatenate([[0], np.cumsum(a)])
    return [heads, heads[-1] - heads]


def tokens(a):
    i = np.arange(len(a))
    p = (a > 0) & (i > 1) | ~(a < 1)
    return [p + i % 26 + ((a > 0) ^ (i > 1)).astype(float)]


def related(a):
    return [a, np.concatenate([[7], 2 * a]), np.stack([a, -a], axis=1).ravel()]


def steps(a):
    n = len(a)
    p, s, q = np.zeros((n, 3)), np.zeros(n), np.zeros((3, n))
    for k in range(n):
        p[k] = 0.5 * q[:, k - 1] - 0.25 * s[k - 1] + a[k] if k else a[0] + np.arange(3)
        s[k] = 0.1 * p[k].sum() - a[k]
        q[:, k] = p[k][::-1] + s[k]
    c = np.zeros((4, n))
    for k in reversed(range(n)):
        b = 0.5 * c[:, k + 1] + a[k] if k < n - 1 else a[k] * np.arange(4)
        c[:, k] = 0.3 * b[::-1] + 1
    return [q, np.array([q[0] - q[2], c[0] + 2 * c[3]])]


def differences(a):
    n = len(a)
    t, u = np.zeros(n), np.zeros(n)
    t[:max(n - 1, 0)] = np.diff(a) if n else []
    for i in range(n - 3):
        u[i] = t[i] * a[i]
    k = max(n - 4, 0)
    return [a + t + u + k * (k - 1) / 2]


def fewer(a):
    n = len(a)
    b = np.concatenate([a[3:], a[max(n - 3, 0):]])
    return [b, a + n - 4 if n >= 4 else -a, np.array(-1.0 if n < 3 else a[0] + (a[3] if n > 3 else 0))]


def every_second(a):
    n = len(a)
    halves, up, down, rows = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros((n, n))
    halves[0] = up[0] = a[0]
    down[n-1] = a[n-1]
    for i in range(1, n):
        halves[i] = halves[i-1] + 1 if i % 2 else halves[i // 2] + a[i]
        up[i] = 0.5 * up[i-1] + 1 if i % 2 else a[i // 2] - up[i-1]
        down[n-1-i] = 0.5 * down[n-i] + 2 if i % 2 else a[i // 2] - down[n-i]
    for y in range(n):
        if y % 3 == 0:
            rows[y] = a + (0.5 * rows[y-1] if y else 0)
        elif y % 3 == 1:
            rows[y] = rows[y-1][::-1] + 1
        else:
            for x in range(n):
                rows[y, x] = rows[y-1, x] - (0.5 * rows[y, x-1] if x else 0)
    return [halves, up, down, rows]


def far_apart(a):
    n = len(a)
    p, q = np.zeros(n), np.zeros(n)
    for t in range(n + 12):
        if t < n:
            q[t] = 2 - (p[t-13] if t >= 13 else 1)
        if 0 <= t - 12:
            p[t-12] = (0.5 * q[t] if t < n else 0) + a[t-12]
    return [p, q]


CASES = {
    "products_as_sizes": Case(products, lambda n, r: [vec(n * (n + 1), r), mat(n, n + 1, r)], sizes=(1, 2, 3, 8, 17)),
    "halves_of_rows": Case(halves_of_rows, lambda n, r: [mat(n, n + 1, r)], sizes=(1, 2, 3, 17, 64)),
    "tunables_in_conditions": Case(shifted, lambda n, r: [vec(n, r)], sizes=(1, 2, 3, 4, 5, 64)),
    "back_substitution": Case(lambda u, b: [np.linalg.solve(np.triu(u), b)],
                              lambda n, r: [mat(n, n, r) + 3 * n * np.eye(n), mat(n + 1, n, r)], sizes=(1, 2, 3, 17, 40)),
    "many_covers": Case(lambda a: [a + np.arange(13)], lambda n, r: [vec((), r)], sizes=(1,)),
    "duplicate_offset": Case(lambda a: [a], lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 3, 17, 64)),
    "bin_from_template": Case(lambda a: [np.sqrt(2 * np.sqrt(a))], lambda n, r: [np.abs(vec(n, r)) + 0.1]),
    "heads_and_tails": Case(heads_and_tails, lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 3, 17, 64)),
    "alternative_tokens": Case(tokens, lambda n, r: [vec(n, r)]),
    "related_outputs": Case(related, lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 17, 64)),
    "steps_in_other_dimensions": Case(steps, lambda n, r: [vec(n, r)], sizes=(1, 2, 3, 17, 64)),
    "even_and_odd": Case(every_second, lambda n, r: [vec(n, r)], sizes=(1, 2, 3, 4, 5, 6, 17, 64)),
    "far_apart": Case(far_apart, lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 12, 13, 14, 64, 2000)),
    "fewer_cells_than_none": Case(fewer, lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 3, 4, 5, 17)),
    "temporaries_without_cells": Case(differences, lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 3, 4, 5, 17)),
}
