# SPDX-License-Identifier: MIT
import numba
import numpy
from harness.python_baseline import run


@numba.njit(parallel=True, fastmath=True, cache=True)
def accelerations(mass, x, y, z):
    ax, ay, az = numpy.empty_like(x), numpy.empty_like(x), numpy.empty_like(x)
    for i in numba.prange(len(x)):
        sum_x = sum_y = sum_z = 0.0
        for j in range(len(x)):
            dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
            square = dx * dx + dy * dy + dz * dz + 1e-3
            factor = mass[j] / (square * numpy.sqrt(square))
            sum_x += factor * dx
            sum_y += factor * dy
            sum_z += factor * dz
        ax[i], ay[i], az[i] = sum_x, sum_y, sum_z
    return ax, ay, az


run(accelerations)
