# SPDX-License-Identifier: MIT
"""Programs with a deliberately wrong rule: `pbtune check --outputs` names it, with the smallest size that shows it,
and the random configurations of this harness notice it too."""

import numpy as np

from case import Case, mat, vec


def smooth(a):
    b = a.copy()
    b[1:-1] = a[:-2] + a[1:-1] + a[2:]
    return [b]


def one(n, r):
    return [vec(n, r)]


CASES = {
    "off_by_one": Case(lambda a: [a.sum()], one, wrong=("S#2", 5)),
    "wrong_border": Case(smooth, one, wrong=("B#2", 3)),
    "wrong_recursion": Case(lambda a: [np.cumsum(a)], one, wrong=("Halves", 2)),
    "wrong_rows": Case(lambda a: [3 * a], lambda n, r: [mat(n, n, r)], wrong=("B#2", 2)),
    "wrong_by_chance": Case(lambda a: [a.sum(), 2 * a, 3 * a], one, wrong=("S#2", 0)),
    "forgets_a_cell": Case(lambda a: [a], one, wrong=("Short", 1)),
}
