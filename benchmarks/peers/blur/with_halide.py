# SPDX-License-Identifier: MIT
import halide as hl
import numpy
from harness.python_baseline import run

x, y = hl.vars("x y")
picture = hl.ImageParam(hl.Float(64), 2)
clamped = hl.BoundaryConditions.repeat_edge(picture)
rows, blurred = hl.Func("rows"), hl.Func("blurred")
rows[x, y] = (clamped[x - 2, y] + 4 * clamped[x - 1, y] + 6 * clamped[x, y] + 4 * clamped[x + 1, y] + clamped[x + 2, y]) / 16
blurred[x, y] = (rows[x, y - 2] + 4 * rows[x, y - 1] + 6 * rows[x, y] + 4 * rows[x, y + 1] + rows[x, y + 2]) / 16
yo, yi = hl.vars("yo yi")
blurred.split(y, yo, yi, 32, hl.TailStrategy.GuardWithIf).parallel(yo).vectorize(x, 4, hl.TailStrategy.GuardWithIf)
rows.store_at(blurred, yo).compute_at(blurred, yi).vectorize(x, 4)


def blur(data):
    out = numpy.empty_like(data)
    picture.set(hl.Buffer(data))
    blurred.realize(hl.Buffer(out))
    return out


run(blur)
