# SPDX-License-Identifier: MIT
import numpy
from scipy.special import ndtr
from harness.python_baseline import run


def prices(spot, strike, years):
    deviation = 0.3 * numpy.sqrt(years)
    d1 = (numpy.log(spot / strike) + (0.02 + 0.3 ** 2 / 2) * years) / deviation
    n1, n2, discounted = ndtr(d1), ndtr(d1 - deviation), strike * numpy.exp(-0.02 * years)
    return spot * n1 - discounted * n2, discounted * (1 - n2) - spot * (1 - n1)


run(prices)
