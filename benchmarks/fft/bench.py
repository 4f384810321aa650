# SPDX-License-Identifier: MIT
"""The recursive Fourier transform: fft.pbcc next to the same recursion on oneTBB.

Prints medians of interleaved rounds for each size, from one run: the recursion in halves and in quarters, with one thread and
with all. Each side runs with several leaf sizes, of which its best one counts. Outputs are compared with those of the plain
loops in every run, and once with the definition.
"""

import cmath
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import common as harness  # noqa: E402
from harness.common import levels, milliseconds, polybricks  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
CUTOFF = 4096
LEAVES = [256, 1024, 4096]


def entry(threads, rule, leaf, cutoff=CUTOFF):
    return {"global": {"threads": threads, "sequential_cutoff": cutoff},
            "transforms": {"Transform": {"sites": {"Loops|Halves|Quarters": levels((0, "Loops"), (leaf + 1, rule))}}}}


def check(program, args):
    n, rng = 64, random.Random(3)
    re, im = ([rng.uniform(-1, 1) for _ in range(n)] for _ in range(2))
    wr, wi = [0.0] * n, [0.0] * n
    half = 1
    while half < n:
        for k in range(half):
            w = cmath.exp(-1j * cmath.pi * k / half)
            wr[half + k], wi[half + k] = w.real, w.imag
        half *= 2
    expected = [sum(complex(re[j], im[j]) * cmath.exp(-2j * cmath.pi * j * k / n) for j in range(n)) for k in range(n)]
    for rule, leaf in (("Halves", 64), ("Halves", 1), ("Quarters", 1), ("Quarters", 8)):
        (found_re, _), (found_im, _) = harness.run_on(program, entry(args.threads, rule, leaf, 0), args.out,
                                                      [(v, [n]) for v in (re, im, wr, wi)], outputs=2)
        if max(abs(complex(a, b) - c) for a, b, c in zip(found_re, found_im, expected)) > 1e-10:
            raise polybricks.ToolError(f"fft: {rule} down to {leaf} gives a wrong result")


def one_round(server, baseline, args, n):
    figures = {}
    for threads in dict.fromkeys((1, args.threads)):
        for rule in ("Halves", "Quarters"):
            figures[f"{rule}, {threads}"] = min(harness.measure(server, entry(threads, rule, leaf), args.trials) for leaf in LEAVES)
        by_leaf = [harness.hand_written(baseline, "--n", n, "--trials", args.trials, "--threads", threads, "--leaf", leaf, "--cutoff", CUTOFF)
                   for leaf in LEAVES]
        for rule in ("Halves", "Quarters"):
            if by_leaf[0]:
                figures[f"hand {rule}, {threads}"] = min(f[f"{rule.lower()}_ns"] for f in by_leaf)
    return figures


def main():
    parser = harness.arguments(__doc__, "fft")
    parser.add_argument("--n", default="65536,1048576", help="sizes, powers of two")
    args = parser.parse_args()
    baseline = harness.Baselines(args, "fft").get(HERE / "baseline.cpp", "-ltbb")
    if args.build_only:
        return
    program = polybricks.Tools(args.dist).compile(HERE / "fft.pbcc", args.out / "fft")
    check(program, args)
    print(f"machine: {harness.machine()}")
    for n in (int(n) for n in args.n.split(",")):
        with polybricks.Server(program, "--device", "none") as server:
            harness.inputs(server, n)
            figures = harness.medians([one_round(server, baseline, args, n) for _ in range(args.rounds)])
        print(f"\nFourier transform of {n} complex numbers")
        print(harness.table(["rule, threads", "on oneTBB, ms", "generated, ms", "generated : on oneTBB"], [
            [name, milliseconds(figures.get(f"hand {name}", float("nan"))), milliseconds(ns), harness.ratio(figures, name, f"hand {name}")]
            for name, ns in figures.items() if not name.startswith("hand ")]))


if __name__ == "__main__":
    sys.exit(main())
