# SPDX-License-Identifier: MIT
import halide as hl
import numpy
from harness.python_baseline import run

i, j = hl.vars("i j")
p, q = hl.ImageParam(hl.Float(64), 2), hl.ImageParam(hl.Float(64), 2)
c = hl.RDom([hl.Range(0, p.width())])
distance = hl.Func("distance")
distance[j, i] = hl.sqrt(hl.sum((p[c, i] - q[c, j]) * (p[c, i] - q[c, j])))
distance.parallel(i, 16, hl.TailStrategy.GuardWithIf).vectorize(j, 4, hl.TailStrategy.GuardWithIf)


def distances(first, second):
    out = numpy.empty((len(first), len(second)))
    p.set(hl.Buffer(first))
    q.set(hl.Buffer(second))
    distance.realize(hl.Buffer(out))
    return out


run(distances)
