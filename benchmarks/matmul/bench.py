# SPDX-License-Identifier: MIT
"""Matrix products: matmul.pbcc next to OpenBLAS called directly and to Strassen's recursion on oneTBB.

Prints for each size, from one run: the GFLOP/s of each rule, and of OpenBLAS and Strassen by hand, and the ratios. All count
2 n^3 operations, Strassen's too. The rule in the language runs with several shapes of its blocks, of which the best one counts.
OpenBLAS has the same core type on both sides: that of --core-type, else that of OPENBLAS_CORETYPE, else the fastest one. Every
product is compared with the library's.
"""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import common as harness  # noqa: E402
from harness.common import levels, polybricks  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
BLOCKS = [(64, 96), (96, 32), (96, 64), (128, 32), (128, 64), (128, 256), (256, 256)]


class Bench:
    def __init__(self, args, baseline):
        self.args, self.baseline = args, baseline
        self.program = polybricks.Tools(args.dist).compile(HERE / "matmul.pbcc", args.out / "matmul")
        self.site = next(site for transform, site, _ in self.program.sites() if transform == "Multiply")

    def entry(self, threads, *pairs, blocks=BLOCKS[0], library_threads=1):
        return {"global": {"threads": threads, "openblas_threads": library_threads},
                "transforms": {"Multiply": {"sites": {self.site: levels(*pairs)}, "tunables": {"block_m": self.args.block_m}},
                               "Rows": {"tunables": {"block_n": blocks[0], "block_k": blocks[1]}}}}

    def one_round(self, server, n):
        args = self.args
        leaf = min(args.leaf, max(1, n // 2))
        # OpenBLAS by hand, then everything else.
        figures = harness.hand_written(self.baseline, "--n", n, "--leaf", leaf, "--trials", args.trials, "--threads", args.threads)

        def add(name, entry):
            figures[name] = harness.measure(server, entry, args.trials)
        add("library", self.entry(1, (0, "Library")))
        for blocks in BLOCKS:
            add(f"blocks {blocks[0]}x{blocks[1]}", self.entry(1, (0, "Blocked"), blocks=blocks))
        best = min(BLOCKS, key=lambda b: figures[f"blocks {b[0]}x{b[1]}"])
        add("plain", self.entry(1, (0, "Plain")))
        add("blocks, threads", self.entry(args.threads, (0, "Blocked"), blocks=best))
        add("library, threads", self.entry(1, (0, "Library"), library_threads=args.threads))
        add("strassen", self.entry(args.threads, (0, "Library"), (leaf + 1, "Strassen")))
        return figures

    def one_size(self, n):
        with polybricks.Server(self.program, "--device", "none") as server:
            harness.inputs(server, n, reference=self.entry(1, (0, "Library")))
            return harness.medians([self.one_round(server, n) for _ in range(self.args.rounds)])


def report(n, figures, threads):
    figures["best blocks"] = min(ns for name, ns in figures.items() if name.startswith("blocks ") and "x" in name)
    print(f"\n{n}x{n}, double; 1 thread unless it says {threads}")
    print(harness.table(["", "ms", "GFLOP/s"], [[name, f"{ns / 1e6:.2f}", f"{2 * n ** 3 / ns:.1f}"] for name, ns in figures.items()]))
    print("\nrates, above 1 the generated code is faster")
    print(harness.table(["", ""], [
        ["rule that calls OpenBLAS : OpenBLAS, 1 thread", harness.ratio(figures, "blas_1_thread_ns", "library")],
        ["best rule in the language : OpenBLAS, 1 thread", harness.ratio(figures, "blas_1_thread_ns", "best blocks")],
        [f"the same, {threads} threads", harness.ratio(figures, "blas_threads_ns", "blocks, threads")],
        [f"rule that calls OpenBLAS : OpenBLAS, {threads} threads", harness.ratio(figures, "blas_threads_ns", "library, threads")],
        [f"Strassen : on oneTBB, {threads} threads", harness.ratio(figures, "strassen_ns", "strassen")]]))


def main():
    parser = harness.arguments(__doc__, "matmul")
    parser.add_argument("--n", default="512,1024,2048", help="sizes")
    parser.add_argument("--leaf", type=int, default=512, help="largest product that Strassen leaves to OpenBLAS")
    parser.add_argument("--block-m", type=int, default=256)
    parser.add_argument("--core-type", default=None, help="OPENBLAS_CORETYPE of both sides; default: the environment's, else the fastest")
    args = parser.parse_args()
    if args.core_type:
        os.environ["OPENBLAS_CORETYPE"] = args.core_type
    baseline = harness.Baselines(args, "matmul").get(HERE / "baseline.cpp", "-ltbb", "-lopenblas")
    if args.build_only:
        return
    if not args.core_type and "OPENBLAS_CORETYPE" not in os.environ:
        os.environ["OPENBLAS_CORETYPE"] = harness.best_core_type(baseline)
    bench = Bench(args, baseline)
    print(f"machine: {harness.machine()}, OPENBLAS_CORETYPE={os.environ['OPENBLAS_CORETYPE']}")
    for n in (int(n) for n in args.n.split(",")):
        report(n, bench.one_size(n), args.threads)


if __name__ == "__main__":
    sys.exit(main())
