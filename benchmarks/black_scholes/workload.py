# SPDX-License-Identifier: MIT
"""Black-Scholes: prices of European options, one cell each."""

import math

import numpy

from harness.workload import Baseline, Work, Workload, single_rule

SITE = "Erfc|Polynomial"
RATE, VOLATILITY = 0.02, 0.30


def inputs(size, random):
    n = size["n"]
    return [random.uniform(5, 30, n), random.uniform(1, 100, n), random.uniform(0.25, 10, n), numpy.float64(RATE), numpy.float64(VOLATILITY)]


def reference(_size, spot, strike, years, rate, volatility):
    erfc = numpy.vectorize(math.erfc, otypes=[float])
    deviation = volatility * numpy.sqrt(years)
    d1 = (numpy.log(spot / strike) + (rate + volatility ** 2 / 2) * years) / deviation
    d2 = d1 - deviation
    discounted = strike * numpy.exp(-rate * years)

    def normal(x):
        return erfc(-x / math.sqrt(2)) / 2
    return [spot * normal(d1) - discounted * normal(d2), discounted * normal(-d2) - spot * normal(-d1)]


def error(_size, _inputs, outputs, expected):
    """The largest error of a price, in units of the currency."""
    return max((float(numpy.abs(found - right).max(initial=0)) if found.shape == right.shape and not numpy.isnan(found).any() else float("inf")
                for found, right in zip(outputs, expected, strict=True)), default=0.0)


def choice(rule, on, **tunables):
    return single_rule("BlackScholes", SITE, rule, on, tunables)


WORKLOAD = Workload(
    title="Black-Scholes",
    source="P. Phothilimthana et al., Portable Performance on Heterogeneous Architectures, 2013; NVIDIA's sample BlackScholes",
    inputs=inputs,
    reference=reference,
    error=error,
    # Polynomial is off by 7.5e-8 (spot + strike) at most.
    tolerance=1e-5,
    sizes={"smoke": [{"n": 1}, {"n": 1009}], "cpu": [{"n": 500_000}], "gpu": [{"n": 500_000}, {"n": 20_000_000}]},
    # With the polynomial, and with 20 operations for each of exp, log and sqrt.
    work=lambda size: Work(read_bytes=24 * size["n"], written_bytes=16 * size["n"], flops=130 * size["n"]),
    choices={
        "erfc on the CPU": choice("Erfc", "cpu"),
        "polynomial on the CPU": choice("Polynomial", "cpu"),
        "erfc on the device": choice("Erfc", "opencl"),
        "polynomial on the device": choice("Polynomial", "opencl"),
        "polynomial, 6/8 of it on the device": choice("Polynomial", "opencl", device_eighths=6),
    },
    baselines=tuple(
        Baseline(f"{name}, {normal}", source, flags, packages, {"normal": normal}, on)
        for name, source, flags, packages, on in (
            ("OpenMP", "openmp.cpp", ("-fopenmp",), (), "cpu"),
            ("OpenMP -ffast-math", "openmp_fast_math.cpp", ("-fopenmp", "-ffast-math"), (), "cpu"),
            ("OpenCL by hand", "opencl.cpp", ("-lOpenCL",), ("ocl-icd-opencl-dev",), "opencl"))
        for normal in ("erfc", "polynomial")),
)
