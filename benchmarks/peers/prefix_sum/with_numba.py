# SPDX-License-Identifier: MIT
import numba
import numpy
from harness.python_baseline import run


@numba.njit(cache=True)
def prefix_sum(values):
    return numpy.cumsum(values)


run(prefix_sum)
