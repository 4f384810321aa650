# SPDX-License-Identifier: MIT
import halide as hl
import numpy
from harness.python_baseline import run

i, block, inner = hl.vars("i block inner")
mass, x, y, z = (hl.ImageParam(hl.Float(64), 1) for _ in range(4))
j = hl.RDom([hl.Range(0, mass.width())])
dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
square = dx * dx + dy * dy + dz * dz + hl.f64(1e-3)
factor = mass[j] / (square * hl.sqrt(square))
forces = hl.Func("forces")
zero = hl.f64(0)
forces[i] = (zero, zero, zero)
forces[i] = (forces[i][0] + factor * dx, forces[i][1] + factor * dy, forces[i][2] + factor * dz)
forces.vectorize(i, 4, hl.TailStrategy.GuardWithIf)
update = forces.update().split(i, block, inner, 4, hl.TailStrategy.GuardWithIf)
update.reorder(inner, j.x, block).vectorize(inner).parallel(block)


def accelerations(*data):
    out = numpy.empty((3, len(data[0])))
    for parameter, array in zip((mass, x, y, z), data):
        parameter.set(hl.Buffer(array))
    forces.realize([hl.Buffer(axis) for axis in out])
    return tuple(out)


run(accelerations)
