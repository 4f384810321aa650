# SPDX-License-Identifier: MIT
import numba
from harness.python_baseline import run


@numba.njit(parallel=True, fastmath=True, cache=True)
def total(values):
    result = 0.0
    for i in numba.prange(len(values)):
        result += values[i]
    return result


run(total)
