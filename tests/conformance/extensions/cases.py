# SPDX-License-Identifier: MIT
"""Extensions (docs/reference/language.md 20): element types, relations, labels, native C++, selectors per call site."""

import numpy as np

from case import Case, vec


def quantise(a, scale):
    q = np.floor(a.astype(np.float32) * scale + 0.5)
    return [np.clip(q, 0, 255), q.sum(), (q / scale).astype(np.float32)]


def skip_one(a, hole):
    out = a.copy()
    if len(a) > 3:
        out[3] = hole.sum()
    return [out]


def saxpy(x, y, a):
    x, y, a = (np.asarray(v, dtype=np.float32) for v in (x, y, a))
    return [a * x + y, 4, 2 * x[-1] if len(x) else 0]


def parabola(a):
    n = len(a)
    i = np.arange(n)
    return [a + a[i * (n - 1 - i) // n]]


def floats(n, r):
    return vec(n, r).astype(np.float32)


CASES = {
    "element_types": Case(quantise, lambda n, r: [20 * floats(n, r), np.float64(7)]),
    "index_matrix": Case(lambda d, k: [d[k], np.sign(d[k])], lambda n, r: [vec(n, r), r.integers(0, n, n + 2).astype(np.int32)]),
    "float_program": Case(saxpy, lambda n, r: [floats(n, r), floats(n, r), floats((), r)], tolerance=1e-5,
                          options=("--element=float",)),
    "where_unequal": Case(skip_one, lambda n, r: [vec(n, r), vec(3, r)]),
    "labelled": Case(lambda a: [a + 1, (a + 1) ** 2], lambda n, r: [vec(n, r)]),
    "native": Case(lambda a: [np.sort(np.round(a)), len(set(np.round(a))) + len(a) * (len(a) - 1) / 2],
                   lambda n, r: [np.round(3 * vec(n, r))]),
    "outside_at_run_time": Case(lambda a: [2 * a], lambda n, r: [vec(n, r)], sizes=(0, 1, 2, 3, 64),
                                stops={3: "`A.cell(i*i)` lies outside", 64: "`A.cell(i*i)` lies outside"}),
    "template_sites": Case(lambda a, b: [a.sum() - b.sum()], lambda n, r: [vec(n, r), vec(n, r)]),
    "untested_coordinates": Case(parabola, lambda n, r: [vec(n, r)]),
}
