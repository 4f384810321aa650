# SPDX-License-Identifier: MIT
"""Inputs that the fuzzers start from: files of the repository, or what stands here."""

import json
import pathlib
import random
import struct

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAX_BYTES = 4096        # larger ones are slow and say little more


def programs():
    """Programs: the golden tests and the corpus."""
    for folder in ("frontend/testdata", "tests/conformance"):
        for path in sorted((ROOT / folder).rglob("*.pbcc")):
            if path.stat().st_size <= MAX_BYTES:
                yield "-".join(path.relative_to(ROOT).parts), path.read_bytes()


def headers():
    """Bytes that steer the generator of headers; any bytes do."""
    yield "short", b"abcdefgh"
    yield "long", bytes(range(32, 127))


def npy(descr, fortran, shape, data):
    words = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    words += " " * (-(len(words) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(words)) + words.encode() + data


def matrices():
    """Files with the format (txt, npy, pgm, ppm), element (double, float, int, uchar) and dimensions, as matrix_fuzz.cpp reads them."""
    files = {
        "plane.txt": (0, 0, 2, b"SIZE 3 2\n1 2.5 -3e2\n4 5 6\n"),
        "scalar.txt": (0, 0, 0, b"SIZE\n42\n"),
        "lines.txt": (0, 2, 1, b"SIZE 4\n1 2\n3 4\n"),
        "double.npy": (1, 0, 2, npy("<f8", False, (2, 3), struct.pack("<6d", *range(6)))),
        "fortran.npy": (1, 2, 2, npy("<i8", True, (2, 3), struct.pack("<6q", *range(6)))),
        "big_endian.npy": (1, 1, 1, npy(">f4", False, (4,), struct.pack(">4f", *range(4)))),
        "ascii.pgm": (2, 0, 2, b"P2\n# c\n3 2\n255\n1 2 3\n4 5 6\n"),
        "binary.pgm": (2, 3, 2, b"P5\n3 2\n65535\n" + bytes(range(12))),
        "ascii.ppm": (3, 1, 3, b"P3\n2 1\n255\n1 2 3 4 5 6\n"),
        "binary.ppm": (3, 3, 3, b"P6\n2 1\n255\nabcdef"),
    }
    for name, (file_format, element, dims, data) in files.items():
        yield name, bytes([file_format, 4 * element + dims]) + data


def config_texts():
    """Texts with the number of their reader, as config_fuzz.cpp has them."""
    tunable = {"type": "int", "min": 1, "max": 4096, "initial": [32], "role": "user", "size_specific": True, "count": 2}
    site = {"alternatives": [{"rule": "Out#1", "on": ["cpu", "opencl"], "line": 7}, {"rule": "Out#2", "on": ["cpu"], "line": 9}]}
    transform = {"sizes": ["w"], "calls": ["T"], "sites": {"Out#1|Out#2": site}, "tunables": {"block": tunable},
                 "forbidden": [{"Out#1|Out#2": "Out#2"}]}
    info = {"format": 1, "program": "p", "source": "sha256:0", "element": "double", "fp": "contract", "main": "T",
            "transforms": {"T": transform}, "global": {}}
    levels = [{"rule": "Out#1", "on": "cpu"}, {"from": 300, "rule": "Out#1", "on": "opencl_local"}]
    conv = {"sites": {"Out#1": levels + [{"from": 7, "by": "w", "rule": "Out#1", "on": "opencl", "schedule": 2}]},
            "schedules": {"Out#1": [{"Out#1.opencl.work_group": [8, 8]}, {}]}, "tunables": {"split_size": 32, "block": {"*": [1, 2], "1024": [3, 4]}, "damp": 0.5}}
    configuration = {"global": {"threads": 2, "sequential_cutoff": 100}, "transforms": {"Conv": conv}}
    entry = {"machine": {"name": "m", "cpus": 2}, "provenance": {"seed": 3, "sizes": [64]}, **configuration}
    yield 0, info
    yield 1, configuration
    yield 2, {"format": 1, "program": "blur", "source": "sha256:0123", "entries": [entry]}
    yield 3, {"format": 1, "program": "blur", "source": "sha256:1", "devices": [{"name": "PoCL", "driver": "3"}], "device": "PoCL"}
    yield 4, {"id": 5, "op": "run", "config": configuration, "trials": 3, "limit_ms": 12.5, "verify": True, "tolerance": 1e-6}
    yield 4, {"id": 6, "op": "inputs", "n": 512, "sizes": {"K": 7}, "files": ["a.npy"], "seed": 3}
    yield 5, {"id": 5, "status": "ok", "times_ns": [1e6], "ran": {"Conv.Out#1": {"Out#1.cpu": 2}}, "max_error_abs": 0, "message": "x"}


def configs():
    for number, (reader, value) in enumerate(config_texts()):
        yield f"{number}.json", f"{reader}{json.dumps(value)}".encode()


OF = {"parser": programs, "region": headers, "matrix": matrices, "config": configs}


def write(fuzzer, folder, most=None, seed=0):
    """Writes the seeds of a fuzzer to `folder`, `most` of them at most."""
    folder.mkdir(parents=True, exist_ok=True)
    seeds = list(OF[fuzzer]())
    if most is not None and len(seeds) > most:
        seeds = random.Random(seed).sample(seeds, most)
    for name, data in seeds:
        (folder / name).write_bytes(data)
