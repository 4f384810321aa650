# SPDX-License-Identifier: MIT
"""ndarray.sort of NumPy, in place. From version 1.25 on it has AVX-512 (x86-simd-sort), from 2.0 on AVX2 as well."""

import sys

import numpy

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from harness.python_baseline import Run  # noqa: E402

run = Run()
data = run.input(0)
out = numpy.empty_like(data)
run.measure(lambda: numpy.copyto(out, data), out.sort, lambda: [out])
