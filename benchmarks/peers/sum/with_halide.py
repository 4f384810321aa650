# SPDX-License-Identifier: MIT
import halide as hl
import numpy
from harness.python_baseline import run

values = hl.ImageParam(hl.Float(64), 1)
r = hl.RDom([hl.Range(0, values.width())])
total = hl.Func("total")
total[()] = hl.sum(values[r])


def solve(data):
    values.set(hl.Buffer(data))
    return numpy.array(total.realize([])[()])


run(solve)
