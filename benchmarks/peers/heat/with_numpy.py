# SPDX-License-Identifier: MIT
from harness.python_baseline import run


def heat(start, steps):
    t, following = start.copy(), start.copy()
    for _ in range(steps):
        following[1:-1, 1:-1] = t[1:-1, 1:-1] + 0.2 * (t[1:-1, :-2] + t[1:-1, 2:] + t[:-2, 1:-1] + t[2:, 1:-1] - 4 * t[1:-1, 1:-1])
        t, following = following, t
    return t


run(heat, "steps")
