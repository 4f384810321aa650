# SPDX-License-Identifier: MIT
"""Dynamic programming: tables whose cells come from neighbours, rows or everything before."""

import math

import numpy as np

from case import Case, ints, mat, vec


def lcs(a, b):
    t = np.zeros((len(b) + 1, len(a) + 1))
    for y in range(1, len(b) + 1):
        for x in range(1, len(a) + 1):
            t[y, x] = t[y - 1, x - 1] + 1 if a[x - 1] == b[y - 1] else max(t[y - 1, x], t[y, x - 1])
    return [t[-1, -1]]


def edit_distance(a, b):
    row = list(range(len(a) + 1))
    for y, letter in enumerate(b, 1):
        above, row = row, [y]
        for x in range(1, len(a) + 1):
            row.append(min(above[x - 1] + (a[x - 1] != letter), above[x] + 1, row[-1] + 1))
    return [row[-1]]


def smith_waterman(a, b):
    h = np.zeros((len(b) + 1, len(a) + 1))
    for y in range(1, len(b) + 1):
        for x in range(1, len(a) + 1):
            match = h[y - 1, x - 1] + (2 if a[x - 1] == b[y - 1] else -1)
            h[y, x] = max(0, match, h[y, x - 1] - 1.5, h[y - 1, x] - 1.5)
    return [h, h.max()]


def knapsack(weight, value, capacity):
    best = np.zeros(len(capacity))
    for w, v in zip(weight.astype(int), value):
        better = best.copy()
        better[w:] = np.maximum(best[w:], best[:len(best) - w] + v)
        best = better
    return [best]


def chain_table(p):
    n = len(p) - 1
    m = np.zeros((n, n))
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            m[i, j] = min(m[i, k] + m[k + 1, j] + p[i] * p[k + 1] * p[j + 1] for k in range(i, j))
    return m


def shortest_paths(w):
    d = w.copy()
    np.fill_diagonal(d, 0)
    for k in range(len(d)):
        d = np.minimum(d, d[:, k:k + 1] + d[k:k + 1, :])
    return [d]


def pascal(a):
    return [np.array([[math.comb(y, x) for x in range(len(a))] for y in range(len(a))], dtype=float)]


def increasing(a):
    best = []
    for i, v in enumerate(a):
        best.append(1 + max((best[k] for k in range(i) if a[k] < v), default=0))
    return [max(best, default=0)]


def words(n, r):
    return [ints(n, 0, 4, r), ints(n + 2, 0, 4, r)]


def knapsack_inputs(n, r):
    return [ints(n, 1, 9, r), r.uniform(1, 5, n), np.zeros(3 * n)]


def costs(n, r):
    return [np.abs(mat(n, n, r))]


def affine_gaps(a, b, opening, extension):
    h = np.zeros((len(b) + 1, len(a) + 1))
    e, f = np.full_like(h, -1e9), np.full_like(h, -1e9)
    for y in range(1, len(b) + 1):
        for x in range(1, len(a) + 1):
            e[y, x] = max(e[y, x - 1] - extension, h[y, x - 1] - opening)
            f[y, x] = max(f[y - 1, x] - extension, h[y - 1, x] - opening)
            h[y, x] = max(0, h[y - 1, x - 1] + (2 if a[x - 1] == b[y - 1] else -1), e[y, x], f[y, x])
    return [h, h.max()]


CASES = {
    "longest_common_subsequence": Case(lcs, words, sizes=(0, 1, 2, 31, 64)),
    "edit_distance": Case(edit_distance, words, sizes=(0, 1, 2, 31, 64)),
    "edit_distance_rows": Case(edit_distance, words, sizes=(0, 1, 2, 31, 64)),
    "smith_waterman": Case(smith_waterman, words, sizes=(0, 1, 2, 31, 64)),
    "knapsack": Case(knapsack, knapsack_inputs, sizes=(1, 2, 3, 16, 41)),
    "matrix_chain": Case(lambda p: [chain_table(p)[0, -1]], lambda n, r: [ints(n + 1, 1, 50, r)], sizes=(1, 2, 3, 16, 41)),
    "matrix_chain_rules": Case(lambda p: [chain_table(p)], lambda n, r: [ints(n + 1, 1, 50, r)], sizes=(1, 2, 3, 16, 41)),
    "floyd_warshall": Case(shortest_paths, costs, sizes=(0, 1, 2, 17, 40)),
    "floyd_warshall_versions": Case(shortest_paths, costs, sizes=(0, 1, 2, 17, 40)),
    "prefix_sums": Case(lambda a: [np.cumsum(a)], lambda n, r: [vec(n, r)], sizes=(1, 2, 3, 65, 200)),
    "pascal": Case(pascal, lambda n, r: [vec(n, r)], sizes=(1, 2, 3, 16, 41)),
    "lis": Case(increasing, lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 31, 100)),
    "affine_gaps": Case(affine_gaps, lambda n, r: [ints(n, 0, 3, r), ints(n + 3, 0, 3, r), np.float64(3), np.float64(1)],
                        sizes=(0, 1, 2, 31, 64)),
}
