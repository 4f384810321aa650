# SPDX-License-Identifier: MIT
"""Sorting and searching: poly-algorithms whose choices recurse into each other."""

import numpy as np

from case import Case, mat, vec


def sorted_decreasing_fit(sizes):
    fill = []
    for size in sorted(sizes, reverse=True):
        k = next((k for k, f in enumerate(fill) if f + size <= 1), len(fill))
        if k == len(fill):
            fill.append(0)
        fill[k] += size
    return [len(fill), np.array(fill + [0] * (len(sizes) - len(fill)), dtype=float)]


def rounded(n, r):
    """Numbers with many ties."""
    return np.round(vec(n, r), 1)


CASES = {
    "poly_sort": Case(lambda a: [np.sort(a)], lambda n, r: [rounded(n, r)], sizes=(0, 1, 2, 3, 65, 300)),
    "in_place_sort": Case(lambda m: [np.sort(m, axis=1)], lambda n, r: [mat(n, n // 2 + 1, r)], sizes=(0, 1, 2, 31, 100)),
    "rank_sort": Case(lambda a: [np.sort(a)], lambda n, r: [rounded(n, r)], sizes=(0, 1, 2, 65, 200)),
    "binary_search": Case(lambda t, k: [np.searchsorted(t, k)], lambda n, r: [np.sort(rounded(n, r)), rounded(n + 3, r)],
                          sizes=(0, 1, 2, 65, 200)),
    "kth_smallest": Case(lambda a, k: [np.sort(a)[int(k)]], lambda n, r: [rounded(n, r), np.float64(n // 3)],
                         sizes=(1, 2, 3, 65, 200)),
    "bin_packing": Case(sorted_decreasing_fit, lambda n, r: [r.uniform(0.05, 0.7, n)], sizes=(0, 1, 2, 65, 150)),
}
