# SPDX-License-Identifier: MIT
"""What rules produce: blocks, rows, several outputs, temporaries, in-place data, versions.

The sections are docs/reference/language.md 5.5, 5.6, 5.10 and 4.15.
"""

import numpy as np

from case import Case, mat, vec


def quadrants(a, b):
    sw = a - b
    return [np.block([[a, b], [sw, sw.T * a]])]


def row_blocks(a):
    norm = (a * a).sum(axis=1)
    return [a / np.sqrt(norm)[:, None], norm]


def reverse_blocks(a):
    out = a.copy()
    full = len(a) // 4 * 4
    out[:full] = a[:full].reshape(-1, 4)[:, ::-1].ravel()
    return [out]


def in_turn(a):
    p, q = 2*a, 3*a
    for y, x in np.ndindex(a.shape):
        if x > 0 and y > 0:
            p[y, x] = a[y, x] + (q[y, x - 1] + q[y - 1, x]) / 4
            q[y, x] = a[y, x] - (p[y, x - 1] + p[y - 1, x]) / 4
    return [p, q]


def even_cells(a):
    (m, n), (y, x) = a.shape, np.indices(a.shape)
    is_even = (x % 2 == 0) & (x >= 4) & (y + 1 < m)
    return [a + np.where(is_even, 7*(x//2) + y + 2001, 7*x + 13*y + 9000)]


def half_and_blocks(a):
    doubled = max(len(a) // 2, len(a) // 4 * 4 if len(a) >= 8 else 0)
    return [np.where(np.arange(len(a)) < doubled, 2*a, -a)]


def factor(a):
    a = a.copy()
    n = len(a)
    for k in range(n):
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])
    return [a]


def select(a, threshold):
    kept = a[a > threshold]
    return [len(kept), np.concatenate([kept, np.zeros(len(a) - len(kept))])]


def ends(a):
    out = a.copy()
    out[-1] = a.max()
    out[0] = a.min()
    if len(a) == 1:
        out[0] = a[0]
    return [out]


def smooth(a):
    b = a.copy()
    for y in range(1, len(a)):
        wide = np.pad(b[y - 1], 1)
        b[y] += (wide[:-2] + wide[1:-1] + wide[2:]) / 3
    return [b]


def chain(a):
    b = a + 1
    d = b * b - b[0] ** 2
    return [np.roll(d, -1) + b[::-1]]


def crossed(a):
    out = 2 * a
    out[:, 0] = -a[:, 0]
    return [out]


def jacobi(a):
    for _ in range(12):
        b = a.copy()
        b[1:-1, 1:-1] = (a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1]) / 4
        a = b
    return [a]


def parts(steps, a, v):
    last, behind = a.copy(), a.copy()
    for k in range(1, steps + 1):
        last = (last + last[::-1, ::-1]) / 2 + k * v
    for y in reversed(range(len(a))):
        below = behind[y + 1:]
        behind[y] += (below / (2 + np.arange(len(below)))[:, None]).sum(axis=0)
    sums, row = [], np.ones(len(v))
    for each in a:
        row = each + np.roll(row, 1) / 2
        sums.append(row)
    columns = a * v + np.arange(len(v))
    columns[:, 0] = -a[:, 0]
    gap = np.hstack([a[:, :1], np.tile(v[:-1] + np.arange(len(v) - 1), (len(a), 1))])
    return [2 * a + v[::-1], a.T, columns, last, behind, np.array(sums), gap]


def history(a):
    rows = [a]
    for k in range(1, 4):
        rows.append(np.roll(rows[-1], -1) + k)
    return [np.array(rows), rows[-1]]


def pairs(a):
    p, q = a.copy(), np.ones(len(a))
    for i in range(1, len(a)):
        p[i] = 0.5 * p[i - 1] + 0.25 * q[i - 1] + a[i]
        q[i] = q[i - 1] / 2 - p[i - 1] / 4
    return [p, q]


def rect(n, r):
    return [mat(n, n + 3, r)]


def dominant(n, r):
    return [mat(n, n, r) + 2 * n * np.eye(n)]


def numbers(a):
    n = len(a)
    d = 3 * a
    d[n // 2] += n
    return [a / (1 + np.abs(a).sum()) + n % 300 * max(0, a.max()), a - d[n // 2], d]


def window(a, k, s):
    v = a * s
    for i in range(k, len(a) - k):
        v[i] = a[i - k:i + k + 1].sum()
    for _ in range(3):
        v[s:] = v[s:] + v[:-s]
    return v


CASES = {
    "blocks": Case(lambda a, b: [a @ b], lambda n, r: [mat(n + 1, n, r), mat(n + 2, n + 1, r)], sizes=(1, 2, 3, 17, 32)),
    "quadrants": Case(quadrants, lambda n, r: [mat(n, n, r), mat(n, n, r)], sizes=(0, 1, 2, 7, 32)),
    "moving_regions": Case(row_blocks, lambda n, r: [mat(n, n + 1, r)], sizes=(1, 2, 3, 31, 64)),
    "block_lattice": Case(reverse_blocks, lambda n, r: [vec(n, r)], sizes=(0, 1, 3, 4, 9, 64, 101)),
    "numbers_to_kernels": Case(numbers, lambda n, r: [vec(n, r)], sizes=(1, 2, 17, 65, 400)),
    "in_place_lu": Case(factor, dominant, sizes=(0, 1, 2, 3, 17, 40), tolerance=1e-8),
    "own_element": Case(lambda a, f: [a / 16 + f * 15 / 16], lambda n, r: [vec(n, r), vec(n, r)]),
    "unwritten_stays": Case(lambda a: [np.where(a > 0, a, -1)], lambda n, r: [vec(n, r)]),
    "count_and_list": Case(select, lambda n, r: [vec(n, r), vec((), r) / 4], sizes=(1, 2, 3, 33, 150)),
    "same_matrix_twice": Case(ends, lambda n, r: [vec(n, r)], sizes=(1, 2, 3, 20, 127)),
    "quotient_remainder": Case(lambda a, d: [np.floor(a / d), a - np.floor(a / d) * d],
                               lambda n, r: [10 * mat(n, n + 2, r), 3 + abs(vec((), r))]),
    "parts_by_rows": Case(smooth, rect, sizes=(1, 2, 3, 31, 64)),
    "rounds_of_parts": Case(parts, lambda n, r: [mat(n, n + 2, r), vec(n, r)], params=lambda n: {"steps": n % 5},
                            sizes=(1, 2, 3, 31, 64)),
    "chain_of_temporaries": Case(chain, lambda n, r: [vec(n, r)]),
    "wide_and_narrow": Case(crossed, rect, sizes=(1, 2, 3, 31, 65)),
    "overwritten_in_turn": Case(in_turn, rect, sizes=(1, 2, 3, 31, 65)),
    "even_cells": Case(even_cells, rect, sizes=(1, 2, 3, 31, 65)),
    "half_and_blocks": Case(half_and_blocks, lambda n, r: [vec(n, r)], sizes=(1, 4, 7, 8, 11, 16, 18, 65)),
    "shared_scratch": Case(lambda a: [a[:, ::-1]], rect, sizes=(1, 2, 3, 31, 150)),
    "versions_jacobi": Case(jacobi, rect),
    "versions_from_two": Case(lambda a: [a + 12], lambda n, r: [vec(n, r)]),
    "versions_output": Case(history, lambda n, r: [vec(n, r)]),
    "unread_small": Case(lambda a: [np.convolve(a, [1, 0, 1], "same") if len(a) > 2 else a[::-1] * (len(a) > 1)],
                         lambda n, r: [vec(n, r)], sizes=(1, 2, 3, 4, 65)),
    "unread_temporaries": Case(lambda a: [2 * a, 3 * a, -a], lambda n, r: [vec(n, r)]),
    "zigzag": Case(pairs, lambda n, r: [vec(n, r)]),
    "versions_of_templates": Case(lambda a: [np.array([window(a, k, 2) for k in range(3)]), window(a, 1, 1)],
                                  lambda n, r: [vec(n, r)], sizes=(1, 2, 3, 4, 5, 17, 64)),
}
