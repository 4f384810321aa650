# SPDX-License-Identifier: MIT
import numba
import numpy
from harness.python_baseline import run


@numba.njit(parallel=True, cache=True)
def mandelbrot(left, top, step, limit, w, h):
    count = numpy.empty((h, w), numpy.int32)
    for y in numba.prange(h):
        for x in range(w):
            c, z, k = complex(left + step * x, top + step * y), 0j, 0
            while k < limit and z.real ** 2 + z.imag ** 2 <= 4:
                z = z * z + c
                k += 1
            count[y, x] = k
    return count


run(mandelbrot, "w", "h")
