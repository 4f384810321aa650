# SPDX-License-Identifier: MIT
import numba
import numpy
from harness.python_baseline import run


@numba.njit(cache=True)
def sort(values):
    return numpy.sort(values)


run(sort)
