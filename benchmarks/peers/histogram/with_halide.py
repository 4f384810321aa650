# SPDX-License-Identifier: MIT
import halide as hl
import numpy
from harness.python_baseline import run

v = hl.Var("v")
values = hl.ImageParam(hl.UInt(8), 1)
count = hl.Func("count")
r = hl.RDom([hl.Range(0, values.width())])
count[v] = 0
count[hl.i32(values[r])] += 1


def histogram(data):
    out = numpy.empty(256, numpy.int32)
    values.set(hl.Buffer(data))
    count.realize(hl.Buffer(out))
    return out


run(histogram)
