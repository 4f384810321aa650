# SPDX-License-Identifier: MIT
import halide as hl
import numpy
from harness.python_baseline import run

i, c = hl.vars("i c")
mass, x, y, z = (hl.ImageParam(hl.Float(64), 1) for _ in range(4))
j = hl.RDom([hl.Range(0, mass.width())])
dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
square = dx * dx + dy * dy + dz * dz + hl.f64(1e-3)
factor = mass[j] / (square * hl.sqrt(square))
forces, acceleration = hl.Func("forces"), hl.Func("acceleration")
zero = hl.f64(0)
forces[i] = (zero, zero, zero)
forces[i] = (forces[i][0] + factor * dx, forces[i][1] + factor * dy, forces[i][2] + factor * dz)
acceleration[i, c] = hl.select(c == 0, forces[i][0], c == 1, forces[i][1], forces[i][2])
forces.compute_root().vectorize(i, 4).update().split(i, block := hl.Var("block"), inner := hl.Var("inner"), 4).reorder(inner, j.x, block).vectorize(inner).parallel(block)


def accelerations(*data):
    out = numpy.empty((3, len(data[0])))
    for parameter, array in zip((mass, x, y, z), data):
        parameter.set(hl.Buffer(array))
    acceleration.realize(hl.Buffer(out))
    return out[0], out[1], out[2]


run(accelerations)
