# SPDX-License-Identifier: MIT
import halide as hl
import numpy
from harness.python_baseline import run

i = hl.Var("i")
values = hl.ImageParam(hl.Float(64), 1)
sums = hl.Func("sums")
r = hl.RDom([hl.Range(1, values.width() - 1)])
sums[i] = values[i]
sums[r.x] = sums[r.x - 1] + values[r.x]


def prefix_sum(data):
    out = numpy.empty_like(data)
    values.set(hl.Buffer(data))
    sums.realize(hl.Buffer(out))
    return out


run(prefix_sum)
