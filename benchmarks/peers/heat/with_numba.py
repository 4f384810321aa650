# SPDX-License-Identifier: MIT
import numba
from harness.python_baseline import run


@numba.njit(parallel=True, cache=True)
def step(t, following):
    h, w = t.shape
    for y in numba.prange(1, h - 1):
        for x in range(1, w - 1):
            following[y, x] = t[y, x] + 0.2 * (t[y, x - 1] + t[y, x + 1] + t[y - 1, x] + t[y + 1, x] - 4 * t[y, x])


def heat(start, steps):
    t, following = start.copy(), start.copy()
    for _ in range(steps):
        step(t, following)
        t, following = following, t
    return t


run(heat, "steps")
