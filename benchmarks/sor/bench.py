# SPDX-License-Identifier: MIT
"""Red-black over-relaxation: sor.pbcc next to OpenMP and to what the memory could give.

The limit comes from the bandwidth of a triad with as many threads, measured in the same run. A half sweep reads and writes each
cell of one colour once, and reads each cell of the other colour and of the right side once. These are 32 bytes per cell of a
colour. Rules that keep rows in a cache over several half sweeps may beat the limit. The outputs of the two rules are compared in
every run, and once with plain Python on a small grid.
"""

import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import common as harness  # noqa: E402
from harness.common import levels, milliseconds, polybricks  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
STEPS = [8, 16, 32]


def entry(threads, rule, iterations, steps=16, bands=2):
    return {"global": {"threads": threads},
            "transforms": {"Iterate": {"sites": {"Sweeps|Bands": levels((0, rule))},
                                       "tunables": {"iterations": iterations, "steps": steps, "bands": bands}}}}


def plain_python(f, width, height, iterations):
    u = [[0.0] * (width + 2) for _ in range(height + 2)]
    for k in range(2 * iterations):
        for y in range(height):
            for x in range(width):
                if (x + y + k) % 2 == 0:
                    around = u[y][x + 1] + u[y + 2][x + 1] + u[y + 1][x] + u[y + 1][x + 2]
                    u[y + 1][x + 1] += 1.9 * (0.25 * (around + f[y * width + x]) - u[y + 1][x + 1])
    return [u[y + 1][x + 1] for y in range(height) for x in range(width)]


def check(program, args):
    width, height, iterations = 22, 75, 9
    f = [random.Random(i).uniform(-1, 1) for i in range(width * height)]
    expected = plain_python(f, width, height, iterations)
    for rule, bands in (("Sweeps", 1), ("Bands", 1), ("Bands", 2), ("Bands", 7)):
        [(found, _)] = harness.run_on(program, entry(args.threads, rule, iterations, steps=6, bands=bands), args.out, [(f, [height, width])])
        if max(abs(a - b) for a, b in zip(found, expected)) > 1e-9:
            raise polybricks.ToolError(f"sor: {rule} with {bands} bands gives a wrong result")


def one_round(server, baseline, args):
    figures = harness.hand_written(baseline, "--n", args.n, "--iterations", args.iterations, "--trials", args.trials, "--threads", args.threads,
                                   "--triad", args.triad)
    for threads in dict.fromkeys((1, args.threads)):
        figures[f"sweeps, {threads} threads"] = harness.measure(server, entry(threads, "Sweeps", args.iterations), args.trials)
        for steps in STEPS:
            figures[f"bands of {steps} half sweeps, {threads} threads"] = harness.measure(
                server, entry(threads, "Bands", args.iterations, steps, bands=threads), args.trials)
    return figures


def main():
    parser = harness.arguments(__doc__, "sor", trials=3)
    parser.add_argument("--n", type=int, default=2048)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--triad", type=int, default=1 << 24, help="elements of the triad's vectors")
    args = parser.parse_args()
    baseline = harness.Baselines(args, "sor").get(HERE / "baseline.cpp", "-fopenmp")
    if args.build_only:
        return
    program = polybricks.Tools(args.dist).compile(HERE / "sor.pbcc", args.out / "sor")
    check(program, args)
    with polybricks.Server(program, "--device", "none") as server:
        harness.inputs(server, args.n, sizes={"w": args.n // 2, "h": args.n}, reference=entry(1, "Sweeps", args.iterations))
        figures = harness.medians([one_round(server, baseline, args) for _ in range(args.rounds)])
    rate = figures.pop("triad_bytes_per_ns")
    figures.pop("mean")
    limit = 2 * args.iterations * 32 * args.n * args.n / 2 / rate
    print(f"red-black over-relaxation, {args.n}x{args.n}, double, {args.iterations} iterations, {args.threads} threads\nmachine: {harness.machine()}")
    print(f"triad: {rate:.1f} GB/s, so the limit is {milliseconds(limit)} ms")
    print(harness.table(["", "ms", "share of the limit", "OpenMP :"], [
        [name, milliseconds(ns), f"{limit / ns:.2f}", harness.ratio(figures, "sweeps_ns", name)] for name, ns in figures.items()]))


if __name__ == "__main__":
    sys.exit(main())
