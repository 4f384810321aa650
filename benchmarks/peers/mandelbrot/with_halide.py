# SPDX-License-Identifier: MIT
import halide as hl
import numpy
from harness.python_baseline import run

x, y = hl.vars("x y")
left, top, step, limit = hl.Param(hl.Float(64)), hl.Param(hl.Float(64)), hl.Param(hl.Float(64)), hl.Param(hl.Int(32))
point, count = hl.Func("point"), hl.Func("count")
zero = hl.f64(0)
point[x, y] = (zero, zero, 0)
t = hl.RDom([hl.Range(0, limit)])
re, im, k = point[x, y][0], point[x, y][1], point[x, y][2]
# Halide loops over t only if the definition names it.
inside = (re * re + im * im <= 4) & (t >= 0)
point[x, y] = (hl.select(inside, re * re - im * im + left + step * x, re), hl.select(inside, 2 * re * im + top + step * y, im), k + hl.i32(inside))
count[x, y] = point[x, y][2]
count.parallel(y).vectorize(x, 4, hl.TailStrategy.GuardWithIf)
point.compute_at(count, x).vectorize(x, 4)
point.update().reorder(x, t).vectorize(x, 4)


def mandelbrot(first, highest, distance, most, w, h):
    out = numpy.empty((h, w), numpy.int32)
    for parameter, value in ((left, first), (top, highest), (step, distance)):
        parameter.set(float(value))
    limit.set(int(most))
    count.realize(hl.Buffer(out))
    return out


run(mandelbrot, "w", "h")
