# SPDX-License-Identifier: MIT
"""What benchmarks with a `bench.py` of their own share: building baselines, medians, tables."""

import argparse
import array
import ast
import json
import os
import pathlib
import re
import shutil
import statistics
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import polybricks  # noqa: E402,F401
from .compile_baseline import FLAGS  # noqa: E402
from .machine import processor  # noqa: E402


def build(source, output, *options, newer_than=()):
    """Compiles one hand-written C++ baseline and returns the path of the program.

    A program that exists stays if it is no older than the source, the headers beside it, and the files `newer_than`. Raises ToolError
    if the compiler fails.
    """
    output = pathlib.Path(output)
    if not output.exists() or any(output.stat().st_mtime < pathlib.Path(path).stat().st_mtime for path in (source, *source.parent.glob("*.h"), *newer_than)):
        polybricks.run_tool(["c++", *FLAGS, source, "-o", output, *options])
    return output


def arguments(doc, name, trials=5, rounds=3):
    """Returns a parser of the options that all such benchmarks share. A benchmark adds its own options to it."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", type=pathlib.Path, help="folder of the built tools")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "benchmarks" / name)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--trials", type=int, default=trials)
    parser.add_argument("--rounds", type=int, default=rounds, help="interleaved rounds of hand-written and generated")
    parser.add_argument("--build-only", metavar="DIR", type=pathlib.Path,
                        help="build the baselines into DIR, with the libraries they need, and measure nothing")
    parser.add_argument("--prebuilt", metavar="DIR", type=pathlib.Path, help="take the baselines from such a DIR")
    return parser


class Baselines:
    """The hand-written programs of one benchmark. They are built now, or --prebuilt names a folder that has them."""

    def __init__(self, args, name):
        self.name, self.prebuilt, self.build_only = name, args.prebuilt, args.build_only
        self.folder = args.prebuilt or args.build_only or args.out
        args.out.mkdir(parents=True, exist_ok=True)
        self.folder.mkdir(parents=True, exist_ok=True)

    def get(self, source, *options):
        """Returns the path of the program; None if a header that it needs, or the prebuilt program, is missing."""
        output = self.folder / f"{self.name}_{pathlib.Path(source).stem}"
        if self.prebuilt:
            return output if output.exists() else None
        if not has_headers(source):
            print(f"{output.name}: a library is not installed, so its figures are left out", file=sys.stderr)
            return None
        build(source, output, *options, "-Wl,-rpath,$ORIGIN", newer_than=[ROOT / "benchmarks" / "timing.h", ROOT / "benchmarks" / "harness" / "baseline.h"])
        if self.build_only:
            for path in re.findall(r"=> (\S*/lib(?:tbb|openblas|gfortran|quadmath|gomp)\S*)", polybricks.run_tool(["ldd", output]).stdout):
                if pathlib.Path(path).parent.resolve() != self.folder.resolve():  # else another benchmark left it there
                    shutil.copy(path, self.folder)
        return output


def has_headers(source):
    """Whether the compiler finds all headers that the source includes."""
    return subprocess.run(["c++", "-std=c++20", "-E", source], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def hand_written(program, *options, env=None):
    """Runs a baseline and returns the figures that it prints. Returns an empty dictionary if `program` is None."""
    if program is None:
        return {}
    done = polybricks.run_tool([program, *options], timeout=1800, env=dict(os.environ, **(env or {})))
    return json.loads(done.stdout)


def first_entry(config):
    """Returns the first entry of a configuration file without machine and provenance, as `--serve` takes it."""
    entry = json.loads(config.read_text())["entries"][0]
    return {key: entry[key] for key in ("global", "transforms") if key in entry}


def levels(*pairs):
    """Returns the levels of a site on the CPU. Each pair is (smallest size, rule); the first size is 0."""
    return [dict({"rule": rule, "on": "cpu"}, **({"from": start} if start else {})) for start, rule in pairs]


def measure(server, entry, trials):
    """Returns the median time of a configuration in ns, after one run that does not count, as in timing.h.

    Only the outputs of that first run are compared: a comparison after each run would leave other data in the caches than
    baselines find there. Raises ToolError unless all runs went as asked and the outputs are right.
    """
    for count, verify in ((1, True), (trials, False)):
        reply = server.ask("run", config=entry, trials=count, verify=verify)
        if reply["status"] != "ok" or reply.get("fallbacks"):
            raise polybricks.ToolError(f"run: {reply}")
    return median(reply["times_ns"])


def inputs(server, n, sizes=None, reference=None):
    """Makes the inputs of all later runs, and computes the outputs that are right under the configuration `reference`.

    `n` is the value of each size variable that `sizes` does not fix. Raises ToolError if the program refuses.
    """
    for reply in (server.ask("inputs", n=n, seed=1, **({"sizes": sizes} if sizes else {})), server.ask("reference", config=reference or {})):
        if reply["status"] != "ok":
            raise polybricks.ToolError(f"inputs: {reply}")


def medians(rounds):
    """Returns the median of each figure over the rounds. A round is a dictionary from names to figures."""
    names = dict.fromkeys(name for figures in rounds for name in figures)
    return {name: median([figures[name] for figures in rounds if name in figures]) for name in names}


def ratio(figures, above, below):
    """Returns the figure `above` divided by the figure `below`, as text; a dash if one of them is missing."""
    if above not in figures or below not in figures:
        return "-"
    return f"{figures[above] / figures[below]:.2f}"


def write_npy(path, values, shape):
    """Writes doubles to a .npy file. `values` has the cells in an order in which the last index of `shape` varies fastest."""
    header = repr({"descr": "<f8", "fortran_order": False, "shape": tuple(shape)})
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        array.array("d", values).tofile(file)


def read_npy(path):
    """Returns (values, shape) of a .npy file of doubles in the order that write_npy writes."""
    data = pathlib.Path(path).read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + size].decode())
    values = array.array("d")
    values.frombytes(data[10 + size:])
    return values, header["shape"]


def run_on(program, entry, folder, matrices, outputs=1):
    """Runs a program once on the CPU under one configuration. `matrices` and the result are lists of (values, shape)."""
    files = [folder / f"in{i}.npy" for i in range(len(matrices))]
    for file, (values, shape) in zip(files, matrices):
        write_npy(file, values, shape)
    results = [folder / f"out{i}.npy" for i in range(outputs)]
    program.write_configuration(folder / "check.cfg", entry)
    polybricks.run_tool([program.path, "--config", folder / "check.cfg", "--device", "none", "--strict", *files, *results])
    return [read_npy(file) for file in results]


def median(values):
    """Returns the median; NaN if there are no values."""
    return statistics.median(values) if values else float("nan")


def milliseconds(ns):
    """Returns a time in ns as text in ms, of three digits below 1 ms; a dash for NaN and infinity."""
    if ns != ns or ns == float("inf"):
        return "-"
    return f"{ns / 1e6:.2f}" if ns >= 1e6 else f"{ns / 1e6:.3g}"


def machine():
    """Returns one line of text: the processor, and how many CPUs this process may use."""
    count = subprocess.run(["nproc"], capture_output=True, text=True, check=True).stdout.strip()
    return f"{processor()}, {count} CPUs"


def table(headings, rows):
    """Returns a table as text. The first column is aligned to the left, the others to the right."""
    cells = [list(map(str, headings))] + [list(map(str, row)) for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]
    lines = []
    for number, row in enumerate(cells):
        lines.append("  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip())
        if number == 0:
            lines.append("  ".join("-" * w for w in widths))
    return "\n".join(lines)
