# SPDX-License-Identifier: MIT
"""What --trace and --stats cost: programs without them, with totals only, and with every event recorded.

Prints the least times over interleaved rounds, and their ratios to the program without recording. The least times count, because
other load makes times longer, never shorter. The programs are a convolution in large pieces, a merge sort, a recursive Fourier
transform and, as the worst case, Fibonacci numbers, where each call is a task of some tens of nanoseconds. `--stats=xml` prints
times without recording anything, so it serves as "off".
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import common as harness  # noqa: E402
from harness.common import levels, milliseconds, polybricks  # noqa: E402

WAYS = ("off", "--stats", "--trace")
SORT = "Radix|Insertion|Selection|Library|Merge[Halvings=1]|Merge[Halvings=2]|Merge[Halvings=3]|Quick|Buckets|Bitonic|BottomUp"


def sort_entry(threads):
    work = {"sites": {SORT: levels((0, "Insertion"), (60, "Merge[Halvings=1]"))}}
    copied_first = {"sites": {"Buckets|Anything": levels((0, "Anything"))}}
    return {"global": {"threads": threads, "sequential_cutoff": 4096}, "transforms": {"Work<0>": work, "Work<1>": work, "Sort": copied_first}}


def cases(args, tools):
    """Yields (name, program, its arguments, entry of its configuration)."""
    def compiled(source):
        source = harness.ROOT / source
        return tools.compile(source, args.out / f"{source.parent.name}_{source.stem}")

    plain = {"global": {"threads": args.threads}, "transforms": {}}
    yield "convolution", compiled("examples/separable_convolution.pbcc"), ["--n", 2048, "--size", "KWIDTH=9"], plain
    yield "merge sort", compiled("benchmarks/sort/program.pbcc"), ["--n", 1 << 20], sort_entry(args.threads)
    yield "Fourier transform", compiled("benchmarks/fft/program.pbcc"), ["--n", 1 << 18], plain
    number = args.out / "n.txt"
    number.write_text(f"SIZE\n27\n")
    yield "Fibonacci", compiled("benchmarks/tasks/fib.pbcc"), [number, args.out / "result.txt"], {
        "global": {"threads": args.threads, "sequential_cutoff": 0}, "transforms": {}}


def time_of(program, words, config, way, args):
    """Least time of the trials of one process, in ns."""
    command = [program.path, *words, "--device", "none", "--config", config, "--trials", args.trials]
    trace = args.out / "trace.json"
    command += {"off": ["--stats=xml"], "--stats": ["--stats=json"], "--trace": ["--stats=xml", "--trace", trace]}[way]
    out = polybricks.run_tool(command, timeout=1800).stdout
    if way == "--stats":
        return polybricks.statistics_of(out)["min_ns"]
    return float(re.search(r'<timing [^>]*min="([^"]*)"', out).group(1)) * 1e9


def main():
    parser = harness.arguments(__doc__, "trace", trials=20, rounds=5)
    args = parser.parse_args()
    if args.build_only:
        return 0
    args.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, program, words, entry in cases(args, polybricks.Tools(args.dist)):
        config = args.out / f"{program.path.name}.cfg"
        program.write_configuration(config, entry)
        times = {way: [] for way in WAYS}
        for _ in range(args.rounds):
            for way in WAYS:
                times[way].append(time_of(program, words, config, way, args))
        off = min(times["off"])
        ratios = [f"{min(times[way]) / off:.3f}" for way in WAYS[1:]]
        rows.append([name, milliseconds(off), *ratios])
    print(f"machine: {harness.machine()}\n")
    print(harness.table(["", "off, ms", "--stats : off", "--trace : off"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
