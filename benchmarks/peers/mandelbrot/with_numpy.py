# SPDX-License-Identifier: MIT
import numpy
from harness.python_baseline import run


def mandelbrot(left, top, step, limit, w, h):
    c = left + step * numpy.arange(w) + 1j * (top + step * numpy.arange(h))[:, None]
    z, count = numpy.zeros_like(c), numpy.zeros(c.shape, numpy.int32)
    for _ in range(limit):
        inside = z.real ** 2 + z.imag ** 2 <= 4
        z[inside] = z[inside] ** 2 + c[inside]
        count += inside
    return count


run(mandelbrot, "w", "h")
