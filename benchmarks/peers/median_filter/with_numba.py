# SPDX-License-Identifier: MIT
import numba
import numpy
from harness.python_baseline import run


@numba.njit(parallel=True, cache=True)
def median(picture):
    h, w = picture.shape
    out = numpy.empty_like(picture)
    for y in numba.prange(h):
        window = numpy.empty(9)
        for x in range(w):
            for j in range(3):
                for i in range(3):
                    window[3 * j + i] = picture[min(max(y + j - 1, 0), h - 1), min(max(x + i - 1, 0), w - 1)]
            out[y, x] = numpy.median(window)
    return out


run(median)
