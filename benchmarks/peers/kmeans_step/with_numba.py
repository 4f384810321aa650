# SPDX-License-Identifier: MIT
import numba
import numpy
from harness.python_baseline import run


@numba.njit(parallel=True, fastmath=True, cache=True)
def step(points, centres):
    nearest = numpy.empty(len(points), numpy.int32)
    for i in numba.prange(len(points)):
        least = numpy.inf
        for j in range(len(centres)):
            square = 0.0
            for c in range(points.shape[1]):
                square += (points[i, c] - centres[j, c]) ** 2
            if square < least:
                least, nearest[i] = square, j
    count, sums, moved = numpy.zeros(len(centres)), numpy.zeros_like(centres), centres.copy()
    for i in range(len(points)):
        count[nearest[i]] += 1
        for c in range(points.shape[1]):
            sums[nearest[i], c] += points[i, c]
    for j in range(len(centres)):
        if count[j] > 0:
            moved[j] = sums[j] / count[j]
    return nearest, moved


run(step)
