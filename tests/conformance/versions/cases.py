# SPDX-License-Identifier: MIT
"""Rules that name a version beside rules that count them (docs/reference/language.md 4.15), and parts of temporaries that nobody needs (6.4)."""

import numpy as np

from case import Case, mat, vec


def steps(x, counts):
    for _ in counts:
        x = 2 * x + 1
    return [x]


def displaced(a, p):
    n = len(a)
    down = np.full((n + 1, 2), 7.0)
    for k in range(n - 1, -1, -1):
        down[k] = down[k + 1] + k
    return [np.stack([a, a + 11, -a, a + 31]), np.stack([np.full_like(p, 5), p, 2 * p + 5]), np.stack([a[::-1], a + 3, a + 4]),
            np.stack([4 * a, 1 - a, 2 - a]), down]


def several(a):
    t = [a]
    for k in range(1, 4):
        t.append(a + t[-1] + k)
    return [np.stack(t), np.stack([-a] + [2 * each for each in t[1:]]), np.stack([a, a + 1, a + 2]),
            np.stack([3 * a, a, 3 * a + 2]), np.stack([2 * a] * 3)]


def shifted(a, by):
    return np.concatenate([np.zeros(1), a[:-1]]) if by > 0 else np.concatenate([a[1:], np.zeros(1)])


def levels(f):
    def down_and_up(last):
        r = [f]
        for _ in range(last):
            r.append((r[-1] + shifted(r[-1], -1)) / 2)
        e = r[last]
        for k in range(last - 1, -1, -1):
            e = e + shifted(e, 1) / 4 + r[k]
        return e
    return [down_and_up(1), down_and_up(4)]


def leapfrog(start):
    e, h, all_e = start, np.zeros_like(start), [start]
    for _ in range(8):
        h = h + 0.5 * (shifted(e, -1) - e)
        e = e + 0.5 * (h - shifted(h, 1))
        all_e.append(e)
    return [e + 10 * h, np.stack(all_e)]


def chain(d):
    n = len(d)
    c = np.zeros((n, n))            # c[i, j]: from i to j
    for length in range(n):
        for i in range(n - length):
            j = i + length
            if length == 0:
                c[i, j] = d[i]
            else:
                c[i, j] = min(c[i, j-1], c[i+1, j]) + 0.5 * max(c[i, j-1], c[i+1, j])
    return [c[0, n-1], c[0]]


def alternating(t, a, v):
    for _ in range(t):
        a = a + 0.5 * shifted(a, 1)
        a = a - 0.5 * shifted(a, -1)
    return [a, np.sort(v)]


CASES = {
    "steps_by_slices": Case(steps, lambda n, r: [vec(n, r), vec(min(n, 7), r)], sizes=(1, 2, 3, 17, 1500)),
    "named_and_counted": Case(displaced, lambda n, r: [vec(n, r), mat(n + 1, max(1, n // 2), r)], sizes=(1, 2, 3, 17, 65)),
    "several_and_priorities": Case(several, lambda n, r: [vec(n, r)]),
    "alternating": Case(alternating, lambda n, r: [vec(n + 1, r), vec(n, r)], params=lambda n: {"t": n // 2},
                        sizes=(1, 2, 3, 17, 64)),
    "levels": Case(levels, lambda n, r: [vec(n, r)]),
    "leapfrog_without_where": Case(leapfrog, lambda n, r: [vec(n, r)]),
    "triangle": Case(chain, lambda n, r: [abs(vec(n, r))], sizes=(1, 2, 3, 17, 40)),
}
