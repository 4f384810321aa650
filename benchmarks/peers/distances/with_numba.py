# SPDX-License-Identifier: MIT
import numba
import numpy
from harness.python_baseline import run


@numba.njit(parallel=True, fastmath=True, cache=True)
def distances(p, q):
    out = numpy.empty((len(p), len(q)))
    for i in numba.prange(len(p)):
        for j in range(len(q)):
            square = 0.0
            for c in range(p.shape[1]):
                square += (p[i, c] - q[j, c]) ** 2
            out[i, j] = numpy.sqrt(square)
    return out


run(distances)
