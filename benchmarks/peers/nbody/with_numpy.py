# SPDX-License-Identifier: MIT
import numpy
from harness.python_baseline import run


def accelerations(mass, x, y, z):
    dx, dy, dz = x - x[:, None], y - y[:, None], z - z[:, None]
    square = dx * dx + dy * dy + dz * dz + 1e-3
    factor = mass / (square * numpy.sqrt(square))
    return (factor * dx).sum(axis=1), (factor * dy).sum(axis=1), (factor * dz).sum(axis=1)


run(accelerations)
