# SPDX-License-Identifier: MIT
import halide as hl
from harness.python_baseline import run

x, y = hl.vars("x y")
before = hl.ImageParam(hl.Float(64), 2)
step = hl.Func("step")
step[x, y] = before[x, y] + hl.f64(0.2) * (before[x - 1, y] + before[x + 1, y] + before[x, y - 1] + before[x, y + 1] - 4 * before[x, y])
step.parallel(y, 16, hl.TailStrategy.GuardWithIf).vectorize(x, 4, hl.TailStrategy.GuardWithIf)


def heat(start, steps):
    t, following = start.copy(), start.copy()
    for _ in range(steps):
        inside = hl.Buffer(following[1:-1, 1:-1])
        inside.set_min([1, 1])
        before.set(hl.Buffer(t))
        step.realize(inside)
        t, following = following, t
    return t


run(heat, "steps")
