# SPDX-License-Identifier: MIT
import halide as hl
import numpy
from harness.python_baseline import run


def middle(a, b, c):
    return hl.max(hl.min(a, b), hl.min(hl.max(a, b), c))


x, y = hl.vars("x y")
picture = hl.ImageParam(hl.Float(64), 2)
near = hl.BoundaryConditions.repeat_edge(picture)
least, mid, largest, median = (hl.Func(name) for name in ("least", "mid", "largest", "median"))
column = near[x, y - 1], near[x, y], near[x, y + 1]
least[x, y] = hl.min(hl.min(column[0], column[1]), column[2])
mid[x, y] = middle(*column)
largest[x, y] = hl.max(hl.max(column[0], column[1]), column[2])
median[x, y] = middle(hl.max(hl.max(least[x - 1, y], least[x, y]), least[x + 1, y]), middle(mid[x - 1, y], mid[x, y], mid[x + 1, y]),
                      hl.min(hl.min(largest[x - 1, y], largest[x, y]), largest[x + 1, y]))
median.parallel(y, 16, hl.TailStrategy.GuardWithIf).vectorize(x, 4, hl.TailStrategy.GuardWithIf)
for stage in (least, mid, largest):
    stage.compute_at(median, y).vectorize(x, 4)


def solve(data):
    out = numpy.empty_like(data)
    picture.set(hl.Buffer(data))
    median.realize(hl.Buffer(out))
    return out


run(solve)
