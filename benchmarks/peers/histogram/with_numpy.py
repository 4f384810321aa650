# SPDX-License-Identifier: MIT
import numpy
from harness.python_baseline import run


def histogram(values):
    return numpy.bincount(values, minlength=256)


run(histogram)
