# SPDX-License-Identifier: MIT
"""What is gained if a device and the CPU share a step (`device_eighths`), from host memory to host memory."""

import numpy

from harness.workload import Work, Workload, at

windows = numpy.lib.stride_tricks.sliding_window_view


def choices(transform, *sites):
    """The CPU alone, the device alone, and each share of the device, with the first rule of each site."""
    def choice(on, eighths):
        named = {site: at(site.split("|")[0], on) for site in sites}
        return {"global": {"sequential_cutoff": 1}, "transforms": {transform: {"sites": named, "tunables": {"device_eighths": eighths}}}}
    return {"CPU alone": choice("cpu", 8), "device alone": choice("opencl", 8),
            **{f"{eighths}/8 on the device": choice("opencl", eighths) for eighths in range(1, 8)}}


def program(part, source, main, sites, n, **fields):
    """One program on planes of n x n cells."""
    return Workload(
        title=f"Shares of a device: {part}", source="the CPU alone and the device alone", part=part, program=f"../../{source}", main=main,
        sizes={"smoke": [{"n": 61}], "cpu": [{"n": n // 3}], "gpu": [{"n": n}]},
        work=lambda _size: Work(),
        choices=choices(main, *sites), rivals=("CPU alone", "device alone"), **fields)


def mandelbrot(size, *_inputs):
    steps = numpy.arange(size["n"]) * (3 / size["n"])
    c, count = (steps - 2)[None, :] + 1j * (steps - 1.5)[:, None], numpy.zeros((size["n"], size["n"]))
    z = numpy.zeros_like(c)
    for _ in range(50):
        inside = z.real ** 2 + z.imag ** 2 <= 4
        count += inside
        z = numpy.where(inside, z * z + c, z)
    return [count]


def share_of_others(_size, _inputs, outputs, expected):
    """The share of cells that differ: rounding decides about points next to the set's border."""
    return float((outputs[0] != expected[0]).mean())


def convolution(_size, a, weights):
    return [windows(windows(a, len(weights), axis=1) @ weights, len(weights), axis=0) @ weights]


def heat(_size, a):
    inner = a[1:-1, 1:-1]
    return [inner + 0.1 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4 * inner)]


WORKLOADS = [
    program("convolution", "examples/separable_convolution.pbcc", "Convolve2D", ["Out#1"], 6000, reference=convolution,
            inputs=lambda size, random: [random.random((size["n"], size["n"])), random.random(9)]),
    program("heat_2d", "tests/conformance/grids/heat_2d.pbcc", "Update", ["B#1|B#2"], 6000, reference=heat,
            inputs=lambda size, random: [random.random((size["n"] + 2, size["n"] + 2))]),
    program("mandelbrot", "tests/conformance/applications/mandelbrot.pbcc", "Mandelbrot", ["COUNT#1"], 4200, reference=mandelbrot,
            error=share_of_others, tolerance=1e-2,
            inputs=lambda size, _random: [*map(numpy.float64, (-2, -1.5, 3 / size["n"])), numpy.zeros((size["n"], size["n"]))]),
    program("blur", "tests/e2e/shares/blur.pbcc", "Blur", ["T#1", "B#1"], 6000, reference=convolution,
            inputs=lambda size, random: [random.random((size["n"] + 2, size["n"] + 2)), random.random(3)]),
]
