# SPDX-License-Identifier: MIT
import halide as hl
import numpy
from harness.python_baseline import run

x, y = hl.vars("x y")
rows, gain, bias = hl.ImageParam(hl.Float(64), 2), hl.ImageParam(hl.Float(64), 1), hl.ImageParam(hl.Float(64), 1)
r = hl.RDom([hl.Range(0, rows.width())])
mean, variance, norm = hl.Func("mean"), hl.Func("variance"), hl.Func("norm")
width = hl.f64(rows.width())
mean[y] = hl.sum(rows[r, y]) / width
variance[y] = hl.sum((rows[r, y] - mean[y]) * (rows[r, y] - mean[y])) / width
norm[x, y] = (rows[x, y] - mean[y]) / hl.sqrt(variance[y] + hl.f64(1e-5)) * gain[x] + bias[x]
norm.parallel(y).vectorize(x, 4, hl.TailStrategy.GuardWithIf)
mean.compute_at(norm, y)
variance.compute_at(norm, y)


def layer_norm(data, gains, biases):
    out = numpy.empty_like(data)
    rows.set(hl.Buffer(data))
    gain.set(hl.Buffer(gains))
    bias.set(hl.Buffer(biases))
    norm.realize(hl.Buffer(out))
    return out


run(layer_norm)
