# SPDX-License-Identifier: MIT
"""The time that pbc takes on programs, next to that of `c++ -O3` on hand-written programs for the same jobs.

Prints medians of interleaved runs: front end and generation alone (pbc --emit=cpp), all of pbc, all of pbc for a user
without a cache (the first run), and the hand-written file. Each has its ratio to the hand-written file. Both wall time
and CPU time are printed, because a busy machine disturbs CPU time less. Programs without a hand-written twin have no
ratios.
"""

import argparse
import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import common as harness  # noqa: E402
from harness.common import median, polybricks  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


CORPUS = "tests/conformance"
# The twin of NAME is NAME.cpp.
PROGRAMS = {"convolution": "examples/separable_convolution.pbcc", "sort": f"{CORPUS}/sorting/poly_sort.pbcc",
            "multigrid": f"{CORPUS}/grids/poisson_multigrid_2d.pbcc", "lu": f"{CORPUS}/linear_algebra/lu_blocked.pbcc",
            "cholesky": f"{CORPUS}/linear_algebra/cholesky.pbcc", "strassen": f"{CORPUS}/products/strassen.pbcc",
            "kmeans": f"{CORPUS}/applications/kmeans.pbcc", "fft": f"{CORPUS}/products/fft.pbcc",
            "lu_solve": f"{CORPUS}/linear_algebra/lu_solve.pbcc", "sorts": "benchmarks/sort/program.pbcc",
            "products": "benchmarks/matmul/program.pbcc", "borders": f"{CORPUS}/access/border_in_two_dimensions.pbcc"}


def seconds(command, **kwargs):
    """Wall and CPU seconds of a command with its children."""
    before = os.times()
    start = time.perf_counter()
    polybricks.run_tool(command, **kwargs)
    wall = time.perf_counter() - start
    after = os.times()
    return wall, after.children_user - before.children_user + after.children_system - before.children_system


def measure(tools, name, out, rounds):
    source = harness.ROOT / PROGRAMS[name]
    twin = HERE / f"{name}.cpp"
    commands = {"front end and generation": [tools.pbc, source, "--emit=cpp"], "pbc": [tools.pbc, source, "-o", out / "program"]}
    if twin.exists():
        commands["hand-written"] = ["c++", *harness.FLAGS, "-fopenmp", twin, "-o", out / "by_hand"]
    times = {what: [] for what in (*commands, "pbc, first run")}
    seconds(commands["pbc"])  # the first run may fill caches
    for _ in range(rounds):
        for what, command in commands.items():
            times[what].append(seconds(command))
        with tempfile.TemporaryDirectory() as cache:
            times["pbc, first run"].append(seconds(commands["pbc"], env=dict(os.environ, XDG_CACHE_HOME=cache)))
    base = [median([pair[i] for pair in times["hand-written"]]) for i in range(2)] if twin.exists() else None
    rows = []
    for what, pairs in times.items():
        wall, cpu = ([pair[i] for pair in pairs] for i in range(2))
        ratios = [f"{median(own) / of_twin:.2f}" for own, of_twin in zip((wall, cpu), base)] if base else ["", ""]
        rows.append([f"{name}: {what}", f"{median(wall):.2f}", f"{min(wall):.2f}-{max(wall):.2f}", ratios[0], f"{median(cpu):.2f}", ratios[1]])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", required=True, type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=harness.ROOT / "build" / "benchmarks" / "compile_time")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in args.programs.split(","):
        rows += measure(polybricks.Tools(args.dist), name, args.out, args.rounds)
    print(f"machine: {harness.machine()}")
    print(harness.table(["", "seconds", "spread", ": hand-written", "CPU s", ": hand-written"], rows))


if __name__ == "__main__":
    sys.exit(main())
