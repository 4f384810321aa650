# SPDX-License-Identifier: MIT
import numba
from harness.python_baseline import run


@numba.njit(cache=True)
def product(a, b):
    return a @ b


run(product)
