# SPDX-License-Identifier: MIT
import numpy
from harness.python_baseline import run


def layer(channels, weights):
    windows = numpy.lib.stride_tricks.sliding_window_view(channels, (3, 3), axis=(1, 2))
    return numpy.tensordot(weights, windows, axes=((1, 2, 3), (0, 3, 4)))


run(layer)
