# SPDX-License-Identifier: MIT
import halide as hl
import numpy
from harness.python_baseline import run

i, j, c = hl.vars("i j c")
points, centres = hl.ImageParam(hl.Float(64), 2), hl.ImageParam(hl.Float(64), 2)
d = hl.RDom([hl.Range(0, points.width())])
rk = hl.RDom([hl.Range(0, centres.height())])
rn = hl.RDom([hl.Range(0, points.height())])
square, nearest, count, sums, moved = (hl.Func(name) for name in ("square", "nearest", "count", "sums", "moved"))
square[i, j] = hl.sum((points[d, i] - centres[d, j]) * (points[d, i] - centres[d, j]))
nearest[i] = hl.argmin(square[i, rk])[0]
count[j] = 0
count[hl.clamp(nearest[rn], 0, centres.height() - 1)] += 1
sums[c, j] = hl.f64(0)
sums[c, hl.clamp(nearest[rn], 0, centres.height() - 1)] += points[c, rn]
moved[c, j] = hl.select(count[j] > 0, sums[c, j] / count[j], centres[c, j])
nearest.compute_root().parallel(i, 256, hl.TailStrategy.GuardWithIf)
count.compute_root()
sums.compute_root()
both = hl.Pipeline([nearest, moved])


def step(data, start):
    where, after = numpy.empty(len(data), numpy.int32), numpy.empty_like(start)
    points.set(hl.Buffer(data))
    centres.set(hl.Buffer(start))
    both.realize([hl.Buffer(where), hl.Buffer(after)])
    return where, after


run(step)
