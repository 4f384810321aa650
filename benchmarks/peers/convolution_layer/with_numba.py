# SPDX-License-Identifier: MIT
import numba
import numpy
from harness.python_baseline import run


@numba.njit(parallel=True, fastmath=True, cache=True)
def layer(channels, weights):
    features, depth, h, w = len(weights), len(channels), channels.shape[1] - 2, channels.shape[2] - 2
    out = numpy.zeros((features, h, w))
    for f in numba.prange(features):
        for c in range(depth):
            for j in range(3):
                for i in range(3):
                    for y in range(h):
                        for x in range(w):
                            out[f, y, x] += weights[f, c, j, i] * channels[c, y + j, x + i]
    return out


run(layer)
