# SPDX-License-Identifier: MIT
"""Contractions beside the product of two matrices: products of small matrices, distances, a convolution layer. Memory, arithmetic and
both bound them."""

import numpy

from harness.workload import Baseline, Work, Workload, at, configuration

SOURCE = "A. Rasch et al., Multi-Dimensional Homomorphisms and Their Implementation in OpenCL, 2018"


def on_each(main, site, *transforms):
    """The default of each processor: who only says where the site runs. All shapes are the runtime's own."""
    def choice(on):
        whole = configuration(on, {transform: {"sites": {site: at(site, on)}} for transform in transforms or (main,)})
        return {**whole, "global": {"sequential_cutoff": 1}}
    return {"on the CPU": choice("cpu"), "on the device": choice("opencl")}


# Pictures one by one as tasks of the CPU; all of them in one launch of the device, or each in its own.
LAYERS = {**on_each("Layers", "Out#1", "Layer"),
          "on the device": configuration("opencl", {"Layers": {"sites": {"Out#1|Out#2": at("Out#2", "opencl")}}}),
          "on the device, picture by picture": on_each("Layers", "Out#1", "Layer")["on the device"]}


def by_hand(source, applies=lambda size: True):
    return (Baseline("OpenCL by hand", source, ("-lOpenCL",), ("ocl-icd-opencl-dev",), on="opencl", applies=applies),)


def uniform(*shapes):
    return lambda size, random: [random.uniform(-1, 1, [extent if isinstance(extent, int) else size[extent] for extent in shape]) for shape in shapes]


def squares(_size, p, q):
    return [numpy.stack([((q - point) ** 2).sum(axis=1) for point in p])]


def layers(size, pictures, weights):
    w, h = size["w"] - 2, size["h"] - 2
    taps = [(j, i) for j in range(3) for i in range(3)]
    return [numpy.stack([sum(numpy.tensordot(weights[:, :, j, i], picture[:, j:j + h, i:i + w], axes=1) for j, i in taps) for picture in pictures])]


def layer(edge, channels, features, batch):
    return {"w": edge, "h": edge, "channels": channels, "features": features, "batch": batch}


def products(size):
    return Work(read_bytes=8 * size["batch"] * size["k"] * (size["m"] + size["n"]), written_bytes=8 * size["batch"] * size["m"] * size["n"],
                flops=2 * size["batch"] * size["m"] * size["n"] * size["k"])


def distances(size):
    return Work(read_bytes=8 * size["d"] * (size["n"] + size["m"]), written_bytes=8 * size["n"] * size["m"], flops=3 * size["n"] * size["m"] * size["d"])


def convolutions(size):
    out = (size["w"] - 2) * (size["h"] - 2) * size["features"] * size["batch"]
    return Work(read_bytes=8 * size["w"] * size["h"] * size["channels"] * size["batch"], written_bytes=8 * out, flops=18 * size["channels"] * out)


WORKLOADS = [
    Workload(
        title="Products of small matrices", source=SOURCE, main="Batch", elements=("double", "float"),
        inputs=uniform(("batch", "m", "k"), ("batch", "k", "n")), reference=lambda _size, a, b: [a @ b],
        sizes={"smoke": [{"m": 32, "n": 32, "k": 32, "batch": 7}, {"m": 5, "n": 19, "k": 11, "batch": 3}],
               "cpu": [{"m": 32, "n": 32, "k": 32, "batch": 4096}], "gpu": [{"m": 32, "n": 32, "k": 32, "batch": 4096}]},
        work=products, choices=on_each("Batch", "C#1"), baselines=by_hand("products.cpp", lambda size: {size["m"], size["n"], size["k"]} == {32})),
    Workload(
        title="Squares of distances", source=SOURCE, main="Distances", elements=("double", "float"),
        inputs=uniform(("n", "d"), ("m", "d")), reference=squares,
        sizes={"smoke": [{"n": 1, "m": 1, "d": 1}, {"n": 131, "m": 260, "d": 21}, {"n": 61, "m": 129, "d": 20}],
               "cpu": [{"n": 2048, "m": 2048, "d": 64}], "gpu": [{"n": 8192, "m": 8192, "d": 64}]},
        work=distances, choices=on_each("Distances", "Square#1"), baselines=by_hand("distances.cpp")),
    Workload(
        title="Convolution layer", source=SOURCE, main="Layers", elements=("double", "float"),
        inputs=uniform(("batch", "channels", "h", "w"), ("features", "channels", 3, 3)), reference=layers,
        sizes={"smoke": [layer(3, 1, 1, 1), layer(71, 5, 67, 2)], "cpu": [layer(130, 32, 32, 2)], "gpu": [layer(258, 64, 64, 8)]},
        work=convolutions, choices=LAYERS, baselines=by_hand("layer.cpp")),
]
