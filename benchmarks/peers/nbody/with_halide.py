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
forces, out = hl.Func("forces"), hl.Func("out")
zero = hl.f64(0)
forces[i] = (zero, zero, zero)
forces[i] = (forces[i][0] + factor * dx, forces[i][1] + factor * dy, forces[i][2] + factor * dz)
out[i] = (forces[i][0], forces[i][1], forces[i][2])
out.split(i, block, inner, 16).vectorize(inner, 4).parallel(block)
forces.compute_at(out, block).vectorize(i, 4).update().reorder(i, j.x).vectorize(i, 4)


def accelerations(*data):
    result = numpy.empty((3, len(data[0])))
    for parameter, array in zip((mass, x, y, z), data):
        parameter.set(hl.Buffer(array))
    out.realize([hl.Buffer(axis) for axis in result])
    return tuple(result)


run(accelerations)
