# SPDX-License-Identifier: MIT
"""Data-parallel programs of tests/conformance."""

import numpy

from harness.workload import Baseline, Work, Workload, at, configuration


def workload(source, main, sites, inputs, reference, work, n=2048, is_tried=False, **fields):
    """One program of tests/conformance. `sites` maps each site of the transform `main` to its rule, or to several that are choices. The
    tests try a few: compiling takes long."""
    part = source.split("/")[-1]
    ways = max(([rules] if isinstance(rules, str) else rules for rules in sites.values()), key=len)
    choices = {}
    for rule in ways:
        for where, on in (("CPU", "cpu"), ("device", "opencl")):
            levels = {site: at(rules if isinstance(rules, str) else rule, on) for site, rules in sites.items()}
            choices[f"{rule} on the {where}" if len(ways) > 1 else f"on the {where}"] = configuration(on, {main: {"sites": levels}})
    return Workload(
        title=f"Data parallel: {part}", source=f"tests/conformance/{source}.pbcc", part=part, program=f"../../tests/conformance/{source}.pbcc", main=main,
        inputs=inputs, reference=reference, work=work, choices=choices,
        sizes={"smoke": [{"n": 41}] if is_tried else [], "cpu": [{"n": n}], "gpu": [{"n": 2 * n}]},
        baselines=(Baseline("OpenMP", "openmp.cpp", ("-fopenmp",), options={"program": part}),), **fields)


def random_cells(*shapes):
    """Inputs of random numbers; a shape is a function of n."""
    return lambda size, random: [random.random(shape(size["n"])) for shape in shapes]


def line(n):
    return n


def square(n):
    return n, n


def moves(read, written, flops=0):
    """Bytes and operations per cell of a plane of n x n cells."""
    return lambda size: Work(*(each * size["n"] ** 2 for each in (read, written, flops)))


def with_border(a, inner):
    """A copy of an array with another inside."""
    out = a.copy()
    out[(slice(1, -1),) * a.ndim] = inner
    return out


def neighbours(a):
    """The sum of the two neighbours along each axis, of the cells inside."""
    inside, total = slice(1, -1), 0
    for axis in range(a.ndim):
        for at_axis in (slice(None, -2), slice(2, None)):
            total = total + a[tuple(at_axis if axis == other else inside for other in range(a.ndim))]
    return total


def inside(a):
    return a[(slice(1, -1),) * a.ndim]


def heat(factor):
    return lambda a: inside(a) + factor * (neighbours(a) - 2 * a.ndim * inside(a))


def react(_size, u, v):
    iu, iv = inside(u), inside(v)
    r = iu * iv * iv
    return [with_border(u, iu + 0.16 * (neighbours(u) - 4 * iu) - r + 0.035 * (1 - iu)),
            with_border(v, iv + 0.08 * (neighbours(v) - 4 * iv) + r - 0.1 * iv)]


def life(_size, board):
    count = sum(numpy.roll(board, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1) if x or y)
    return [numpy.where((count == 3) | ((count == 2) & (board != 0)), 1.0, 0.0)]


def mandelbrot(_size, left, top, step, cells):
    height, width = cells.shape
    c, count = (left + numpy.arange(width) * step)[None, :] + 1j * (top + numpy.arange(height) * step)[:, None], numpy.zeros(cells.shape)
    z = numpy.zeros_like(c)
    for _ in range(50):
        is_inside = z.real ** 2 + z.imag ** 2 <= 4
        count += is_inside
        z = numpy.where(is_inside, z * z + c, z)
    return [count]


def share_of_others(_size, _inputs, outputs, expected):
    """The share of cells that differ: rounding decides about points next to the set's border."""
    return float((outputs[0] != expected[0]).mean())


def forces(_size, positions, mass):
    out = numpy.empty_like(positions)
    for i, here in enumerate(positions):
        d = positions - here
        r2 = (d * d).sum(axis=1) + 0.01
        out[i] = (mass / (r2 * numpy.sqrt(r2))) @ d
    return [out]


def regress(_size, x, y, at_points, width):
    weights = numpy.array([numpy.maximum(0, 0.75 * (1 - ((point - x) / width) ** 2)) for point in at_points])
    total = weights.sum(axis=1)
    return [numpy.divide(weights @ y, total, out=numpy.zeros_like(total), where=total > 0), total]


def sparse_inputs(size, random):
    """A matrix of 16 numbers per row near the diagonal, as meshes have them, with n^2 numbers in all."""
    rows = max(1, size["n"] ** 2 // 16)
    columns = numpy.repeat(numpy.arange(rows), 16) + random.integers(-500, 500, 16 * rows)
    return [16.0 * numpy.arange(rows + 1), numpy.clip(columns, 0, rows - 1).astype(float), random.random(16 * rows), random.random(rows)]


def sparse_product(_size, _first, column, value, x):
    return [(value * x[column.astype(int)]).reshape(-1, 16).sum(axis=1)]


def correlate(_size, a, kernel):
    height, width = a.shape[0] - 2, a.shape[1] - 4
    return [sum(kernel[y, x] * a[y:y + height, x:x + width] for y in range(3) for x in range(5))]


WORKLOADS = [
    workload("grids/heat_1d", "Step", {"V#1": "V#1", "V#2": "V#2"}, random_cells(lambda n: n * n), lambda _size, u: [with_border(u, heat(0.2)(u))],
             moves(8, 8, 4)),
    workload("grids/heat_2d", "Update", {"B#1|B#2": ("B#1", "B#2")}, random_cells(lambda n: (n + 2, n + 2)), lambda _size, u: [heat(0.1)(u)], moves(8, 8, 6)),
    workload("grids/heat_3d", "Step", {"V#1|V#2": ("V#1", "V#2"), "V#3": "V#3"}, random_cells(lambda n: (round((n * n) ** (1 / 3)),) * 3),
             lambda _size, u: [with_border(u, heat(0.05)(u))], moves(8, 8, 8)),
    workload("applications/gray_scott", "React", {"NU+NV#1": "NU+NV#1", "NU+NV#2": "NU+NV#2"}, random_cells(square, square), react, moves(16, 16, 24),
             is_tried=True),
    workload("grids/life", "Generation", {"NEW#1|NEW#2": ("NEW#1", "NEW#2"), "NEW#1": "NEW#1"},
             lambda size, random: [(random.random(square(size["n"])) < 0.3).astype(float)], life, moves(8, 8)),
    workload("applications/mandelbrot", "Mandelbrot", {"COUNT#1": "COUNT#1"},
             lambda size, _random: [*map(numpy.float64, (-2, -1.5, 3 / size["n"])), numpy.zeros(square(size["n"]))], mandelbrot, moves(0, 8), 1024,
             error=share_of_others, tolerance=1e-2),
    workload("applications/nbody", "Forces", {"F#1|F#2": ("F#1", "F#2")}, random_cells(lambda n: (n, 3), line), forces, moves(0, 0, 20), is_tried=True),
    workload("applications/kernel_regression", "Regress", {"FIT+WEIGHT#1": "FIT+WEIGHT#1"},
             lambda size, random: [*random_cells(line, line, line)(size, random), numpy.float64(0.1)], regress, moves(0, 0, 8)),
    workload("applications/sparse_matvec", "SparseMatVec", {"Y#1|Y#2": "Y#1"}, sparse_inputs, sparse_product, moves(17, 0.5, 2), is_tried=True),
    workload("products/convolution_2d", "Correlate", {"OUT#1|OUT#2": ("OUT#1", "OUT#2")}, random_cells(square, lambda _n: (3, 5)), correlate,
             moves(8, 8, 30)),
    workload("products/transposes", "Transpose", {"OUT#1|OUT#2|OUT#3|OUT#4|OUT#5": ("OUT#1", "OUT#2", "OUT#3")}, random_cells(square),
             lambda _size, a: [a.T], moves(8, 8)),
]
