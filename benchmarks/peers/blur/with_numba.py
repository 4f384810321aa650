# SPDX-License-Identifier: MIT
import numba
import numpy
from harness.python_baseline import run


@numba.njit(parallel=True, cache=True)
def blur(picture):
    h, w = picture.shape
    rows, blurred = numpy.empty_like(picture), numpy.empty_like(picture)
    for y in numba.prange(h):
        for x in range(w):
            a, b = picture[y, max(x - 2, 0)], picture[y, max(x - 1, 0)]
            d, e = picture[y, min(x + 1, w - 1)], picture[y, min(x + 2, w - 1)]
            rows[y, x] = (a + 4 * b + 6 * picture[y, x] + 4 * d + e) / 16
    for y in numba.prange(h):
        for x in range(w):
            a, b = rows[max(y - 2, 0), x], rows[max(y - 1, 0), x]
            d, e = rows[min(y + 1, h - 1), x], rows[min(y + 2, h - 1), x]
            blurred[y, x] = (a + 4 * b + 6 * rows[y, x] + 4 * d + e) / 16
    return blurred


run(blur)
