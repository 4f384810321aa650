# SPDX-License-Identifier: MIT
"""Baselines that call OpenBLAS. It may take a recent processor for an old one, so its kernels are tried one by one."""

import pathlib

from .workload import Baseline

# Kernels of OpenBLAS, and the flag of /proc/cpuinfo that they need.
CORE_TYPES = {"Haswell": "avx2", "SkylakeX": "avx512f", "Sapphirerapids": "avx512_bf16", "Zen": "avx2"}


def _processor_has(flag):
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    return cpuinfo.exists() and flag in cpuinfo.read_text().split()


def _of_core_type(name, core_type, flag, source, flags, packages, options):
    return Baseline(f"{name} for {core_type}", source, flags, packages, {**options, "core-type": core_type},
                    applies=lambda _size: _processor_has(flag))


def baselines(source, name="OpenBLAS", flags=("-lopenblas",), packages=("libopenblas-dev",), options=None):
    """The program `source`, with the kernels that OpenBLAS chooses, and with those of each processor whose instructions are there.
    It follows --core-type, as harness/openblas_baseline.h has it."""
    options = options or {}
    return (Baseline(name, source, flags, packages, options),
            *(_of_core_type(name, core_type, flag, source, flags, packages, options) for core_type, flag in CORE_TYPES.items()))
