# SPDX-License-Identifier: MIT
"""The preprocessor, prefix blocks and comments (docs/reference/language.md 2)."""

import numpy as np

from case import Case, ints, mat, vec

INCLUDED = ("apply_twice",)


def weighted(a, m):
    weights = np.array([0.5, 1, 1.5, 2])
    return [weights[np.arange(len(a)) % 4] * a, np.trace(m), np.cbrt((m * m).sum())]


CASES = {
    "macros": Case(lambda a: [2 * np.maximum(np.abs(a[:-2]), np.abs(a[2:]))], lambda n, r: [vec(n + 2, r)]),
    "conditionals": Case(lambda a: [2 * a], lambda n, r: [vec(n, r)]),
    "named_by_macro": Case(lambda a: [a ** 4], lambda n, r: [vec(n, r)]),
    "prefix_blocks": Case(weighted, lambda n, r: [vec(n, r), mat(n, n + 1, r)]),
    "macros_of_prefix": Case(lambda a: [a + 26, 18], lambda n, r: [vec(n, r)]),
    "raw_blocks": Case(lambda a: [np.where(a > 0, a + 3, a), 3.0 + (np.arange(len(a)) < len(a) // 2)],
                       lambda n, r: [ints(n, -9, 9, r)], sizes=(0, 1, 2, 33, 100)),
    "included_again": Case(lambda a: [np.stack([a, a ** 2, a ** 3])], lambda n, r: [vec(n, r)]),
    "comments": Case(lambda a: [a], lambda n, r: [vec(n, r)]),
}
