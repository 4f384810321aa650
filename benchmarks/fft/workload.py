# SPDX-License-Identifier: MIT
"""The Fourier transform of 2^k complex numbers."""

import math

import numpy

from harness.workload import Baseline, Work, Workload, levels

LEAVES = (256, 1024, 4096)


def roots(n):
    """The roots of unity of all lengths below n, those of length m from m/2 on."""
    table = numpy.zeros(n, complex)
    half = 1
    while half < n:
        table[half:2 * half] = numpy.exp(-1j * numpy.pi * numpy.arange(half) / half)
        half *= 2
    return table


def inputs(size, random):
    w = roots(size["n"])
    return [random.uniform(-1, 1, size["n"]), random.uniform(-1, 1, size["n"]), w.real.copy(), w.imag.copy()]


def reference(_size, re, im, _wr, _wi):
    found = numpy.fft.fft(re + 1j * im)
    return [found.real, found.imag]


def choice(rule, leaf):
    """A rule above a size, plain loops up to it."""
    return {"global": {"sequential_cutoff": 4096},
            "transforms": {"Transform": {"sites": {"Loops|Halves|Quarters": levels((0, "Loops"), *([(leaf + 1, rule)] if leaf else []))}}}}


WORKLOAD = Workload(
    title="Fourier transform",
    source="J. W. Cooley, J. W. Tukey, An Algorithm for the Machine Calculation of Complex Fourier Series, 1965",
    inputs=inputs,
    reference=reference,
    sizes={"smoke": [{"n": 1}, {"n": 8192}], "cpu": [{"n": 1 << 16}, {"n": 1 << 20}], "gpu": [{"n": 1 << 20}, {"n": 1 << 24}]},
    # The operations are those of the split-radix algorithm.
    work=lambda size: Work(read_bytes=16 * size["n"], written_bytes=16 * size["n"], flops=4 * size["n"] * math.log2(size["n"])),
    choices={"loops": choice("Loops", 0),
             **{f"{rule.lower()} down to {leaf}": choice(rule, leaf) for rule in ("Halves", "Quarters") for leaf in LEAVES}},
    baselines=(
        Baseline("plain loops", "tbb.cpp", ("-ltbb",), ("libtbb-dev",), {"rule": "loops"}),
        Baseline("halves on oneTBB", "tbb.cpp", ("-ltbb",), ("libtbb-dev",), {"rule": "halves"}),
        Baseline("quarters on oneTBB", "tbb.cpp", ("-ltbb",), ("libtbb-dev",), {"rule": "quarters"}),
        Baseline("FFTW", "fftw.cpp", ("-lfftw3_omp", "-lfftw3", "-fopenmp"), ("libfftw3-dev",)),
        Baseline("FFTW, split", "fftw.cpp", ("-lfftw3_omp", "-lfftw3", "-fopenmp"), ("libfftw3-dev",), {"split": "1"}),
    ),
)
