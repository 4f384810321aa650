# SPDX-License-Identifier: MIT
"""Sequences: alignment, decoding, sorting networks and passes, spectra, automata."""

import numpy as np

from case import Case

SIZES = (0, 1, 2, 3, 7, 16, 31)


def viterbi(start, step, emit, seen):
    s, before = start + emit[seen[0]], []
    for o in seen[1:]:
        all_ways = s[:, None] + step
        before.append(all_ways.argmax(axis=0))
        s = all_ways.max(axis=0) + emit[o]
    way = [int(s.argmax())]
    for b in reversed(before):
        way.append(int(b[way[-1]]))
    return [np.array(way[::-1]), s.max()]


def viterbi_inputs(n, rng):
    s, v = n % 4 + 1, 3
    return [rng.normal(size=s), rng.normal(size=(s, s)), rng.normal(size=(v, s)), rng.integers(0, v, n).astype(np.int32)]


def align(a, b, match, change, gap):
    n, m = len(a), len(b)
    s = np.zeros((m + 1, n + 1), int)
    s[0], s[:, 0] = np.arange(n + 1) * gap, np.arange(m + 1) * gap
    for y in range(1, m + 1):
        for x in range(1, n + 1):
            s[y, x] = max(s[y - 1, x - 1] + (match if a[x - 1] == b[y - 1] else change), max(s[y, x - 1], s[y - 1, x]) + gap)
    x, y, matches, gaps, changes = n, m, 0, 0, 0
    while x or y:
        same = x and y and a[x - 1] == b[y - 1]
        if x and y and s[y, x] == s[y - 1, x - 1] + (match if same else change):
            x, y, matches, changes = x - 1, y - 1, matches + int(same), changes + int(not same)
        elif x and (not y or s[y, x] == s[y, x - 1] + gap):
            x, gaps = x - 1, gaps + 1
        else:
            y, gaps = y - 1, gaps + 1
    return [s[m, n], matches, gaps, changes]


def run_lengths(a):
    n = len(a)
    value, length = np.zeros(n, int), np.zeros(n, int)
    place = np.concatenate([[0], np.cumsum(a[1:] != a[:-1])]) if n else np.zeros(0, int)
    value[place], count = a, np.bincount(place, minlength=n) if n else length
    return [value, count[:n], int(place[-1]) + 1 if n else 0]


def around(a):
    p = np.pad(a.astype(int), 1)
    h, w = a.shape
    return sum(p[j:j + h, i:i + w] for i in range(3) for j in range(3)) - a


def plane(t, g, births, survivals):
    g = g.astype(int)
    for _ in range(t):
        g = (np.where(g, survivals, births) >> around(g)) & 1
    return [g, g.sum()]


CASES = {
    "viterbi": Case(viterbi, viterbi_inputs, sizes=(1, 2, 3, 7, 16, 31)),
    "needleman_wunsch": Case(align, lambda n, rng: [rng.integers(0, 4, n).astype(np.uint8), rng.integers(0, 4, n + n % 3).astype(np.uint8),
                                                    np.int32(2), np.int32(-1), np.int32(-2)], sizes=SIZES),
    "radix_sort": Case(lambda a: [np.sort(a)], lambda n, rng: [rng.integers(0, 1 << 16, n).astype(np.int32)], sizes=SIZES),
    "bitonic_sort": Case(lambda a: [np.sort(a)], lambda n, rng: [rng.normal(size=n)], sizes=(0, 1, 2, 4, 8, 32)),
    "run_lengths": Case(run_lengths, lambda n, rng: [rng.integers(0, 2, n).astype(np.uint8)], sizes=SIZES),
    "fast_fourier": Case(lambda a: [np.abs(np.fft.fft(a)) ** 2 / len(a) if len(a) else a], lambda n, rng: [rng.normal(size=n)],
                         sizes=(0, 1, 2, 3, 4, 8, 12, 31, 32), tolerance=1e-8),
    "life_rules": Case(plane, lambda n, rng: [rng.integers(0, 2, (n + 1 if n else 0, n)).astype(np.uint8), np.int32(1 << 3), np.int32(3 << 2)],
                       lambda n: {"t": n % 5}, sizes=SIZES),
}
