# SPDX-License-Identifier: MIT
import halide as hl
import numpy
from harness.python_baseline import run

x, y, f = hl.vars("x y f")
channels, weights = hl.ImageParam(hl.Float(64), 3), hl.ImageParam(hl.Float(64), 4)
r = hl.RDom([hl.Range(0, 3), hl.Range(0, 3), hl.Range(0, channels.channels())])
layer = hl.Func("layer")
layer[x, y, f] = hl.sum(weights[r.x, r.y, r.z, f] * channels[x + r.x, y + r.y, r.z])
layer.parallel(f).vectorize(x, 4, hl.TailStrategy.GuardWithIf)


def solve(data, factors):
    out = numpy.empty((len(factors), data.shape[1] - 2, data.shape[2] - 2))
    channels.set(hl.Buffer(data))
    weights.set(hl.Buffer(factors))
    layer.realize(hl.Buffer(out))
    return out


run(solve)
