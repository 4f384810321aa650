# SPDX-License-Identifier: MIT
"""Sorting doubles: sort.pbcc under good configurations next to std::sort, oneTBB's parallel_sort and the same merge sort on oneTBB.

Prints for each size, from one run: medians of interleaved rounds, and the speed-up of each line over std::sort, parallel_sort
and the merge sort written by hand. With --tune there is also the configuration that pbtune finds. Outputs are compared with those of the radix sort in every run, and once with Python's own sort.
"""

import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import common as harness  # noqa: E402
from harness.common import levels, milliseconds, polybricks, ratio  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
WORK = "Radix|Insertion|MergeHalves|Quick|Buckets"
MERGE = "Plain|BothEnds|Split"
LEAF, CUTOFF, SPLIT = 60, 4096, 16384  # the same in the baseline


def entry(threads, work, cutoff=CUTOFF, **tunables):
    transforms = {f"Work<{p}>": {"sites": {WORK: levels(*work)}, "tunables": tunables} for p in (0, 1)}
    transforms["Merge"] = {"sites": {MERGE: levels((0, "BothEnds"), (SPLIT, "Split"))}}
    return {"global": {"threads": threads, "sequential_cutoff": cutoff}, "transforms": transforms}


def configurations(threads):
    """Good configurations by name."""
    return {
        "buckets, radix": entry(threads, [(0, "Insertion"), (60, "Radix"), (1 << 16, "Buckets")], bucket_bits=10, chunks=4 * threads),
        "quick, radix": entry(threads, [(0, "Insertion"), (60, "Radix"), (1 << 14, "Quick")]),
        "quick": entry(threads, [(0, "Insertion"), (30, "Quick")]),
        "merge": entry(threads, [(0, "Insertion"), (LEAF, "MergeHalves")]),
    }


def check(program, out, threads):
    """Every configuration against Python's sort, on numbers with duplicates and of both signs."""
    rng = random.Random(7)
    values = [rng.choice([rng.uniform(-1, 1), rng.gauss(0, 1e6), float(rng.randrange(-5, 5))]) for _ in range(200000)]
    for name, config in configurations(threads).items():
        [(found, _)] = harness.run_on(program, config, out, [(values, [len(values)])])
        if found.tolist() != sorted(values):
            raise polybricks.ToolError(f"sort: {name} gives a wrong result")


def one_size(tools, program, baseline, args, n):
    configs = configurations(args.threads)
    single = configurations(1)
    if args.tune:
        configs["tuned"], words = harness.tuned(tools, program, args.out / f"tuned_{n}.cfg", "--n", n, "--device", "none", "--effort", args.tune)
        print(words)
    rounds = []
    with polybricks.Server(program, "--device", "none") as server:
        harness.inputs(server, n)
        for _ in range(args.rounds):
            figures = harness.hand_written(baseline, "--n", n, "--trials", args.trials, "--threads", args.threads,
                                           "--leaf", LEAF, "--cutoff", CUTOFF, "--split", SPLIT)
            for name, config in configs.items():
                figures[name] = harness.measure(server, config, args.trials)
            for name in ("buckets, radix", "merge"):
                figures[f"{name}, 1 thread"] = harness.measure(server, single[name], args.trials)
            rounds.append(figures)
    return harness.medians(rounds)


def report(n, figures, threads):
    hand = ("std_sort_ns", "parallel_sort_ns", "merge_sort_ns")
    print(f"\n{n} doubles, {threads} threads")
    print(harness.table(["", "ms", "std::sort :", "parallel_sort :", "TBB merge sort :"], [
        [name, milliseconds(ns), *(ratio(figures, other, name) for other in hand)] for name, ns in figures.items()]))


def main():
    parser = harness.arguments(__doc__, "sort")
    parser.add_argument("--n", default="1048576,10000000", help="numbers of elements")
    parser.add_argument("--tune", default="", metavar="EFFORT", help="tune for each size too: quick, normal, full")
    args = parser.parse_args()
    baseline = harness.Baselines(args, "sort").get(HERE / "baseline.cpp", "-ltbb")
    if args.build_only:
        return
    tools = polybricks.Tools(args.dist)
    program = tools.compile(HERE / "sort.pbcc", args.out / "sort")
    check(program, args.out, args.threads)
    print(f"machine: {harness.machine()}\nfigures above 1 mean that the line is faster than the column")
    for n in (int(n) for n in args.n.split(",")):
        report(n, one_size(tools, program, baseline, args, n), args.threads)


if __name__ == "__main__":
    sys.exit(main())
