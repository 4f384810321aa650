#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the errors of products of floats with and without --split-products on a GPU with matrix units.

    split_errors.py --dist build/dist [--device NVIDIA]

A line per shape and range of magnitudes: root mean square and largest error, each split : plain, against NumPy's product of doubles."""

import argparse
import pathlib
import re
import subprocess
import tempfile

import numpy

SHAPES = ((1024, 1024, 1024), (513, 333, 700), (1000, 4096, 512), (2048, 16, 2048), (1024, 8, 1024), (777, 9, 900))
RANGES = (0, 3, 10)  # of exponents


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def factors(random, shape, exponents):
    return numpy.ldexp(random.uniform(-1, 1, shape), random.integers(-exponents, exponents + 1, shape)).astype(numpy.float32)


class Program:
    """The product by its definition, on a device."""

    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        self.path = folder / "definition"
        source = pathlib.Path(__file__).parent / "definition.pbcc"
        run(options.dist / "bin" / "pbc", source, "--element=float", "--split-products", "-o", self.path)
        run(self.path, "--reset", "--config", folder / "split.cfg")
        text = (folder / "split.cfg").read_text().replace('"on": "cpu"', '"on": "opencl"')
        text = re.sub(r'"sequential_cutoff": \d+', '"sequential_cutoff": 0', text)
        (folder / "split.cfg").write_text(text)
        (folder / "plain.cfg").write_text(text.replace('matrix_units": 1', 'matrix_units": 0'))

    def errors(self, name, a, b):
        for file, factor in (("a.npy", a), ("b.npy", b)):
            numpy.save(self.folder / file, factor)
        files = [self.folder / file for file in ("a.npy", "b.npy", "c.npy")]
        stats = run(self.path, "--config", self.folder / f"{name}.cfg", "--device", self.options.device, "--strict", "--stats=json", *files)
        if (name == "split") != ('"launches_on_matrix_units":1' in stats):
            raise SystemExit("split_errors: matrix units did not run what they should, or ran what they should not")
        return numpy.abs(numpy.load(files[2]) - a.astype(float) @ b.astype(float))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", type=pathlib.Path, required=True)
    parser.add_argument("--device", default="NVIDIA")
    options = parser.parse_args()
    random = numpy.random.default_rng(5)
    with tempfile.TemporaryDirectory() as folder:
        program = Program(pathlib.Path(folder), options)
        for m, k, n in SHAPES:
            for exponents in RANGES:
                a, b = factors(random, (m, k), exponents), factors(random, (k, n), exponents)
                split, plain = (program.errors(name, a, b) for name in ("split", "plain"))
                rms = numpy.sqrt((split**2).mean() / (plain**2).mean())
                print(f"{m} x {k} x {n}, exponents to {exponents}: {rms:.2f}, {split.max() / plain.max():.2f}", flush=True)


if __name__ == "__main__":
    main()
