# SPDX-License-Identifier: MIT
"""Accessors, coordinates, borders, priorities and `where` (docs/reference/language.md 5.2 to 5.9), orders of recurrences (6.5)."""

import numpy as np

from case import Case, mat, vec


def far_coordinates(a, p):
    n = len(a)
    i = np.arange(n)
    y, x = np.mgrid[:p.shape[0], :p.shape[1]]
    d = np.where(x > 100000 * y, p, p + np.where(x * y == 0, a[0], -2))
    g = a
    for k in range(1, 4):
        g = g + np.where(i == k, g, 1)
    return [np.where(i == 0, a[0], -1), np.where(i < 3, 2 * a, -a), d, g, np.cumsum(np.where(i == 0, a[0], 2))]


def second_difference(a):
    out = a.copy()
    out[1:-1] = a[:-2] - 2 * a[1:-1] + a[2:]
    return [out]


def onion(a):
    h, w = a.shape
    out = a + 5
    out[-1, :] = a[-1, :] + 4
    out[:-1, :-1] = a[:-1, :-1] + a[1:, 1:]
    out[0, :] = a[0, :] + 2
    out[:, 0] = a[:, 0] + 1
    return [out]


def mean3x3(a):
    h, w = a.shape
    return [np.array([[a[max(y - 1, 0):y + 2, max(x - 1, 0):x + 2].mean() for x in range(w)] for y in range(h)])]


def mirror(a):
    both = a[::-1, ::-1]
    return [a[:, ::-1], a[::-1], both, both.ravel()]


def halves(a):
    i = np.arange(len(a))
    return [np.where(2 * i < len(a), a, -a), np.where(2 * i == len(a), a, 0), np.where(i == len(a) // 2, a, 0),
            np.where(2 * i * i < len(a) // 2, a, -a)]


def pyramid(a):
    n = len(a) // 2
    i = np.arange(4 * n - 1)
    return [(a[::2] + a[1::2]) / 2, (a[i // 2] + a[(i + 1) // 2]) / 2, (a[::2] - a[1::2]) / 2]


def box_sums(v):
    t = v[1:] + v[:-1]
    t = t[:, 1:] + t[:, :-1]
    return [t[:, :, 1:] + t[:, :, :-1], v.sum(axis=0)]


def stripes(a):
    h, w = a.shape
    out = np.where(np.arange(w)[None, :] <= w // 2, 2 * a, 3 * a)
    out[:2] = a[:2]
    if h > 1:
        out[1, 0] = -a[1, 0]
    return [out]


def square_root_border(a):
    i = np.arange(len(a))
    return [np.where(i * i <= len(a), a + 1, a - 1)]


def refine(c):
    out = np.zeros(2 * len(c) - 1)
    out[::2] = c
    out[1::2] = (c[1:] + c[:-1]) / 2
    return [out]


def first_row_or_column(a):
    out = -a
    out[0], out[:, 0] = a[0], a[:, 0]
    return [out]


def neighbours(a):
    h, w = a.shape
    out = np.zeros((h, w))
    for y in range(h):
        for x in range(w):
            known = [a[y, x]] + [a[v, u] for u, v in ((x - 1, y), (x + 1, y), (x, y - 1)) if 0 <= u < w and 0 <= v]
            below = a[y + 1, x] if y + 1 < h else 0
            out[y, x] = (sum(known) + below) / len(known)
    return [out]


def sweep(a):
    out = a.copy()
    for x in range(1, a.shape[1]):
        out[:, x] = 0.5 * out[:, x - 1] + a[:, x]
    return out


def sweeps(a):
    return [sweep(a), sweep(a[:, ::-1])[:, ::-1], sweep(a.T).T, sweep(a.T[:, ::-1])[:, ::-1].T]


def everything_before(a):
    n = len(a)
    sums, tails = a.copy(), a.copy()
    for i in range(n):
        sums[i] += sum(sums[k] / (2 + k) for k in range(i))
    for i in reversed(range(n)):
        tails[i] += sum(tails[i + 1 + k] / (2 + k) for k in range(n - 1 - i))
    return [sums, tails]


def tables(a):
    n = len(a)
    i = np.arange(n)
    signs = 1 - 2.0 * ((np.arange(2)[:, None, None] + i[None, :, None] + i[None, None, :]) % 2)
    return [i, 1 / (i[:, None] + i[None, :] + 1), signs, 2 * np.pi]


def edges(a):
    n = len(a)
    out = 10 * a
    for i in range(2, n - 2):
        out[i] = a[i - 2:i + 3].sum()
    out[:2] = a[:2]
    return [out]


def rect(n, r):
    return [mat(n, n + 3, r)]


def where_forms(a):
    h, w = a.shape
    b = a.copy()
    b[2:] += a[1:-1]
    b[max(h - 2, 0):, -1] = -a[max(h - 2, 0):, -1]
    b[0, 0] = a.size
    return [b]


def recurrence(a):
    b = a.copy()
    for z in range(1, len(a)):
        b[z] += 0.5 * b[z - 1]
    return [b]


def mixed(a, m, v):
    h, n = m.shape
    b, c = -a, m.copy()
    for i in range(n):
        if i + 1 < n and 1 < h and 2 < h:
            b[i] = a[i] + m[1, i + 1] + v[0, 2, i]
    for j in range(h):
        for i in range(n):
            if j + 1 < n and i < h:
                c[j, i] = a[j] * v[1, i, j + 1]
            elif n >= 3:
                c[j, i] = m[j, i] - a[n // 3 - 1]
    return [b, c]


def butterfly(a):
    return [np.concatenate([a[:, ::2] + a[:, 1::2], a[:, ::2] - a[:, 1::2]], axis=1)]


def correct(fine, coarse):
    x = np.arange(len(fine))
    return [fine + (coarse[x // 2] + coarse[(x + 1) // 2]) / 2]


def far(a, v):
    k, m, n = a.shape
    b = 4 * a
    for z, y, x in np.ndindex(a.shape):
        b[z, y, x] += (a[z, y, x - 2] if x >= 2 else 1) + 2 * (a[z, y + 1, x + 5] if x + 5 < n and y + 1 < m else 7)
        b[z, y, x] += 3 * (a[z - 1, y, x] if z else y - x)

    def at(i, missing):
        return v[i] if 0 <= i < n + 3 else missing

    mirrored = [(at(n - 1 - i, 0) + at(n - 4 - i, -1)) * at(i + 4, 1) for i in range(n)]
    sums = [[at(y, 2) + 10 * at(3, 5) + 100 * at(m + 1, 6) + 1000 * at(x - y, 9) for x in range(n)] for y in range(m)]
    own = np.zeros((m, n))
    for y, x in np.ndindex(own.shape):
        own[y, x] = v[x] + (own[y, x - 1] / 2 if x else 0) + (own[y - 2, x] if y >= 2 else 1) / 4
    return [b, np.array(mirrored), np.array(sums).reshape(m, n), own]


CASES = {
    "mixed_dimensions": Case(mixed, lambda n, r: [vec(n, r), mat(n, n // 2 + 1, r), r.normal(size=(2, n // 2 + 1, n))],
                             sizes=(1, 2, 3, 5, 17, 40)),
    "where_forms": Case(where_forms, rect, sizes=(1, 2, 3, 17, 64)),
    "recurrence_3d": Case(recurrence, lambda n, r: [r.normal(size=(n, n + 1, n + 2))], sizes=(1, 2, 3, 9, 16)),
    "offsets_both_sides": Case(second_difference, lambda n, r: [vec(n, r)], sizes=(1, 2, 3, 4, 31, 129)),
    "frame_priorities": Case(onion, rect, sizes=(1, 2, 3, 17, 64)),
    "border_in_two_dimensions": Case(mean3x3, rect, sizes=(2, 3, 4, 15, 33)),
    "reversed": Case(mirror, rect, sizes=(1, 2, 3, 16, 37)),
    "quotients": Case(pyramid, lambda n, r: [vec(2 * n, r)], sizes=(1, 2, 3, 32, 101)),
    "whole_row_column": Case(lambda a, b: [a @ b], lambda n, r: [mat(n + 1, n, r), mat(n + 2, n + 1, r)],
                             sizes=(1, 2, 3, 17, 40)),
    "regions_3d": Case(box_sums, lambda n, r: [r.normal(size=(n + 1, n, n + 2))], sizes=(1, 2, 3, 9, 16)),
    "where_static": Case(stripes, rect, sizes=(1, 2, 3, 17, 50)),
    "where_halves": Case(halves, lambda n, r: [vec(n, r)], sizes=(1, 2, 3, 4, 5, 33)),
    "where_dynamic": Case(square_root_border, lambda n, r: [vec(n, r)]),
    "where_triangle": Case(lambda a: [(a + a.T) / 2], lambda n, r: [mat(n, n, r)]),
    "diagonal": Case(lambda d: [np.diag(d)], lambda n, r: [vec(n, r)]),
    "lattice": Case(refine, lambda n, r: [vec(n, r)]),
    "where_or": Case(first_row_or_column, rect),
    "optional_stencil": Case(neighbours, rect),
    "optional_far": Case(far, lambda n, r: [r.normal(size=(3, n // 2 + 1, n)), vec(n + 3, r)], sizes=(1, 2, 3, 6, 33, 70)),
    "running_directions": Case(sweeps, rect, sizes=(1, 2, 3, 30, 65)),
    "two_dimensional_prefix": Case(lambda a: [a.cumsum(axis=0).cumsum(axis=1)], rect, sizes=(1, 2, 3, 32, 65)),
    "everything_before": Case(everything_before, lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 31, 64)),
    "from_nothing": Case(tables, lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 19, 64)),
    "sizes_that_divide": Case(correct, lambda n, r: [vec(n, r), vec((n + 1) // 2, r)], sizes=(1, 3, 5, 33, 101),
                              stops={4: "no rule computes OUT(3)"}),
    "halves": Case(butterfly, lambda n, r: [mat(n, n + 1, r)], sizes=(2, 4, 34, 64), stops={7: "no rule computes OUT(6, 0)"}),
    "constant_input_coordinate": Case(lambda a: [a - a[len(a) // 2] + a[0], a[-1] - a[0]], lambda n, r: [vec(n, r)]),
    "tiny_sizes": Case(edges, lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 3, 4, 5, 6, 40)),
    "far_coordinates": Case(far_coordinates, lambda n, r: [vec(n, r), mat(3, n, r)], sizes=(1, 2, 3, 50000)),
}
