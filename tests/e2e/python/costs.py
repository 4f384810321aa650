# SPDX-License-Identifier: MIT
"""What a call costs: time and memory. Prints the median and the smallest time of a call for 16 numbers in microseconds, of blocks of
calls, and the smallest time of the same call of NumPy."""

import resource
import statistics
import timeit

import numpy as np
from user_test import fields

CALLS = 100000


def main():
    scale = fields(threads=1).Scale
    row = np.arange(16.0)
    call = timeit.Timer(lambda: scale(row))
    call.timeit(1000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    times = call.repeat(repeat=100, number=CALLS // 100)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 1000, f"{CALLS} calls leave {grown} KiB behind"
    numpy_times = timeit.Timer(lambda: np.add(row, row)).repeat(repeat=100, number=CALLS // 100)
    print(*(1e6 * time / (CALLS // 100) for time in (statistics.median(times), min(times), min(numpy_times))))


if __name__ == "__main__":
    main()
