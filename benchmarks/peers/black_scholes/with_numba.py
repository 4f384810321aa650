# SPDX-License-Identifier: MIT
import math

import numba
import numpy
from harness.python_baseline import run


@numba.njit(parallel=True, cache=True)
def prices(spot, strike, years):
    call, put = numpy.empty_like(spot), numpy.empty_like(spot)
    for i in numba.prange(len(spot)):
        s, k, t = spot[i], strike[i], years[i]
        deviation = 0.3 * math.sqrt(t)
        d1 = (math.log(s / k) + (0.02 + 0.3 ** 2 / 2) * t) / deviation
        n1, n2 = math.erfc(-d1 / math.sqrt(2)) / 2, math.erfc((deviation - d1) / math.sqrt(2)) / 2
        discounted = k * math.exp(-0.02 * t)
        call[i] = s * n1 - discounted * n2
        put[i] = discounted * (1 - n2) - s * (1 - n1)
    return call, put


run(prices)
