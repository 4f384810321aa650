# SPDX-License-Identifier: MIT
import halide as hl
import numpy
from harness.python_baseline import run

x, y = hl.vars("x y")
a, b = hl.ImageParam(hl.Float(64), 2), hl.ImageParam(hl.Float(64), 2)
k = hl.RDom([hl.Range(0, a.width())])
product, out = hl.Func("product"), hl.Func("out")
product[x, y] += a[k, y] * b[x, k]
out[x, y] = product[x, y]
xo, yo, xi, yi = hl.vars("xo yo xi yi")
out.tile(x, y, xo, yo, xi, yi, 16, 4).vectorize(xi, 4).parallel(yo)
product.compute_at(out, xo).vectorize(x, 4).update().reorder(x, y, k).vectorize(x, 4).unroll(x).unroll(y)


def multiply(left, right):
    result = numpy.empty((left.shape[0], right.shape[1]))
    a.set(hl.Buffer(left))
    b.set(hl.Buffer(right))
    out.realize(hl.Buffer(result))
    return result


run(multiply)
