# SPDX-License-Identifier: MIT
"""A picture blurred with a separable kernel."""

import numpy

from harness.workload import Baseline, Work, Workload, at, configuration

MAIN = "SinglePass|TwoPass|Strips"
OPENCL = ("ocl-icd-opencl-dev",)


def inputs(size, random):
    weights = random.uniform(0.5, 1, size["width"])
    return [random.uniform(0, 255, (size["n"], size["n"])), weights / weights.sum()]


def reference(_size, picture, weights):
    windows = numpy.lib.stride_tricks.sliding_window_view
    between = windows(picture, len(weights), axis=1) @ weights
    return [windows(between, len(weights), axis=0) @ weights]


def work(size):
    cells = (size["n"] - size["width"] + 1) ** 2
    return Work(read_bytes=8 * size["n"] ** 2, written_bytes=8 * cells, flops=4 * size["width"] * cells)


def choice(rule, on="cpu", strip=32):
    """A configuration: the algorithm, and where its passes run. Strips are whole pieces, as there are many of them."""
    here = {"sites": {"Out#1": at("Out#1", on)}, "tunables": {"split_size": 1 << 20} if rule == "Strips" else {}}
    main = {"sites": {MAIN: at(rule)}, "tunables": {"strip": strip}}
    return configuration(on, {"SeparableConvolution": main, "Convolve2D": here, "ConvolveRows": here, "ConvolveColumns": here})


def picture(n, width):
    return {"n": n, "width": width}


def by_hand_on_device(method, outputs):
    """Kernels by hand. `outputs` is how many cells a work-item makes from local memory; None: one, from global memory."""
    options = {"method": method, **({"outputs": outputs, "tiles": 1} if outputs else {})}
    where = f"{outputs} per work-item in tiles" if outputs else "global memory"
    return Baseline(f"OpenCL by hand, {method}, {where}", "opencl.cpp", ("-lOpenCL",), OPENCL, options, "opencl")


WORKLOAD = Workload(
    title="Separable convolution",
    source="P. Phothilimthana et al., Portable Performance on Heterogeneous Architectures, 2013",
    inputs=inputs,
    reference=reference,
    sizes={"smoke": [picture(1, 1), picture(67, 3), picture(131, 7)],
           "cpu": [picture(2048, width) for width in (7, 3, 17)],
           "gpu": [picture(2048, 7), *(picture(3520, width) for width in range(3, 18, 2))]},
    work=work,
    elements=("double", "float"),
    choices={
        "direct": choice("SinglePass"),
        "two passes": choice("TwoPass"),
        "two passes in strips of 32 rows": choice("Strips"),
        "direct on the device": choice("SinglePass", "opencl"),
        "direct on the device, in tiles": choice("SinglePass", "opencl_local"),
        "two passes on the device": choice("TwoPass", "opencl"),
        "two passes on the device, in tiles": choice("TwoPass", "opencl_local"),
    },
    baselines=(
        *(Baseline(f"OpenMP, {method}", "openmp.cpp", ("-fopenmp",), options={"method": method}) for method in ("direct", "separable", "fused")),
        *(by_hand_on_device(method, outputs) for method in ("direct", "separable") for outputs in (None, 1, 4, 8)),
    ),
)
