# SPDX-License-Identifier: MIT
import halide as hl
import numpy
from harness.python_baseline import run

x, y = hl.vars("x y")
rows = hl.ImageParam(hl.Float(64), 2)
r = hl.RDom([hl.Range(0, rows.width())])
largest, power, total, softmax = (hl.Func(name) for name in ("largest", "power", "total", "softmax"))
largest[y] = hl.maximum(rows[r, y])
power[x, y] = hl.exp(rows[x, y] - largest[y])
total[y] = hl.sum(power[r, y])
softmax[x, y] = power[x, y] / total[y]
softmax.parallel(y).vectorize(x, 4, hl.TailStrategy.GuardWithIf)
for stage in (largest, power, total):
    stage.compute_at(softmax, y)
power.vectorize(x, 4)


def solve(data):
    out = numpy.empty_like(data)
    rows.set(hl.Buffer(data))
    softmax.realize(hl.Buffer(out))
    return out


run(solve)
