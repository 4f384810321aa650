# SPDX-License-Identifier: MIT
import numba
import numpy
from harness.python_baseline import run


@numba.njit(cache=True)
def histogram(values):
    count = numpy.zeros(256, numpy.int32)
    for value in values:
        count[value] += 1
    return count


run(histogram)
