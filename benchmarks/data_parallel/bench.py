# SPDX-License-Identifier: MIT
"""Data-parallel programs of tests/conformance next to the same algorithms with OpenMP by hand (baseline.cpp).

Prints for each program, from one run: the times with one thread and with all, the ratio generated : hand-written, and how each
side scales. For a program that memory bounds, its share of the bandwidth of a triad is printed too, or of a scalar product if the
program only reads. The geometric means come last. Both sides get the same inputs; their outputs are compared by the sums of all
elements and of every seventh.
"""

import dataclasses
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from harness import common as harness  # noqa: E402
from harness.common import milliseconds, polybricks  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = harness.ROOT / "tests" / "conformance"


@dataclasses.dataclass
class Case:
    source: str          # in tests/conformance, without the ending
    transform: str       # the one that is measured
    scale: float = 1     # the size, as a multiple of --n
    bytes_per_cell: int = 0  # that must move per cell of the n x n plane: 8 for a read, 16 for a write with the read before it; 0: memory is no bound
    rules: tuple = ()    # rules to choose; elsewhere the first one
    ceiling: str = "triad"  # the loop whose bandwidth is the limit: "read" where next to nothing is written


CASES = [
    Case("grids/heat_1d", "Step", 1, 24),
    Case("grids/heat_2d", "Update", 1, 24),
    Case("grids/heat_3d", "Step", 1, 24),
    Case("applications/gray_scott", "React", 1, 48),
    Case("grids/life", "Generation", 1, 24, ("NEW#2",)),
    Case("applications/mandelbrot", "Mandelbrot", 0.5),
    Case("applications/nbody", "Forces", 1),
    Case("applications/kernel_regression", "Regress", 1),
    Case("applications/sparse_matvec", "SparseMatVec", 1, 18, (), "read"),
    Case("products/convolution_2d", "Correlate", 1),
    Case("products/transposes", "Transpose", 1, 24),
]


def choices(program, case):
    """Chooses an alternative on the CPU for each site: a rule of case.rules if there is one, else the first."""
    picked = {}
    for transform, site, alternatives in program.sites():
        if transform == case.transform:
            wanted = [a for a in alternatives if a[1] == "cpu" and a[0] in case.rules]
            picked.setdefault(transform, {})[site] = wanted[0] if wanted else next(a for a in alternatives if a[1] == "cpu")
    return picked


def same_sums(program, case, entry, folder, figures):
    """Whether one run on the baseline's inputs gives the baseline's sums."""
    outputs = len([name for name in figures if name.endswith("_1")])
    files = sorted(folder.glob("in*.npy"))
    results = [folder / f"out{i}.npy" for i in range(outputs)]
    program.write_configuration(folder / "check.cfg", entry)
    polybricks.run_tool([program.path, "--transform", case.transform, "--config", folder / "check.cfg", "--device", "none", "--strict",
                         *files, *results])
    for i, path in enumerate(results):
        values, _ = harness.read_npy(path)
        for step in (1, 7):
            if not math.isclose(sum(values[::step]), figures[f"sum{i}_{step}"], rel_tol=1e-9, abs_tol=1e-6):
                return False
    return True


def one_case(tools, baseline, args, case):
    name = pathlib.Path(case.source).name
    n = max(16, int(args.n * case.scale))
    folder = args.out / name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("in*.npy"):
        old.unlink()
    program = tools.compile(PROGRAMS / f"{case.source}.pbcc", folder / name)
    picked = choices(program, case)
    entries = {threads: program.configuration(picked, threads=threads) for threads in (1, args.threads)}
    rounds = []
    with polybricks.Server(program, "--device", "none", "--transform", case.transform) as server:
        for number in range(args.rounds):
            figures = harness.hand_written(baseline, "--kernel", name, "--n", n, "--trials", args.trials, "--threads", args.threads,
                                           *(["--inputs", folder] if number == 0 else []))
            if number == 0:
                reply = server.ask("inputs", files=[str(p) for p in sorted(folder.glob("in*.npy"))], n=n, seed=1)
                if reply["status"] != "ok" or server.ask("reference", config={})["status"] != "ok":
                    raise polybricks.ToolError(f"{name}: inputs: {reply}")
                if not same_sums(program, case, entries[args.threads], folder, figures):
                    raise polybricks.ToolError(f"{name}: generated and hand-written results differ")
            figures["generated_one"] = harness.measure(server, entries[1], args.trials)
            figures["generated_many"] = harness.measure(server, entries[args.threads], args.trials)
            figures.update(harness.hand_written(baseline, "--kernel", "triad", "--n", 4096 if args.n > 1000 else 64, "--trials", args.trials,
                                                "--threads", args.threads))
            rounds.append(figures)
    for path in folder.glob("*.npy"):
        path.unlink()
    return n, harness.medians(rounds)


def row(case, n, f):
    share = "-"
    if case.bytes_per_cell:
        share = f"{case.bytes_per_cell * n * n / f['generated_many'] / f[case.ceiling + '_bytes_per_ns']:.2f}"
    hand, made = f["one_ns"] / f["many_ns"], f["generated_one"] / f["generated_many"]
    return [pathlib.Path(case.source).name, milliseconds(f["one_ns"]), milliseconds(f["generated_one"]), f"{f['generated_one'] / f['one_ns']:.2f}",
            milliseconds(f["many_ns"]), milliseconds(f["generated_many"]), f"{f['generated_many'] / f['many_ns']:.2f}",
            f"{hand:.2f}", f"{made:.2f}", f"{made / hand:.2f}", share]


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def main():
    parser = harness.arguments(__doc__, "data_parallel")
    parser.add_argument("--n", type=int, default=2048, help="size: programs on planes take n x n cells")
    parser.add_argument("--only", default="", help="names of programs, separated by commas")
    args = parser.parse_args()
    baseline = harness.Baselines(args, "data_parallel").get(HERE / "baseline.cpp", "-fopenmp")
    if args.build_only:
        return
    tools = polybricks.Tools(args.dist)
    wanted = args.only.split(",") if args.only else []
    names = [pathlib.Path(case.source).name for case in CASES]
    if unknown := [name for name in wanted if name not in names]:
        parser.error(f"--only: there is no program {', '.join(unknown)}; there are {', '.join(names)}")
    found = []
    for case in CASES:
        if wanted and pathlib.Path(case.source).name not in wanted:
            continue
        print(f"{case.source} …", file=sys.stderr)
        found.append((case, *one_case(tools, baseline, args, case)))
    print(f"data-parallel programs, n = {args.n}, double, {args.threads} threads\nmachine: {harness.machine()}\n")
    print(harness.table(["", "OpenMP 1", "generated 1", "ratio", f"OpenMP {args.threads}", f"generated {args.threads}", "ratio", "OpenMP scales",
                         "generated scales", "ratio", "of limit"], [row(case, n, f) for case, n, f in found]))
    for title, top, bottom in (("1 thread", "generated_one", "one_ns"), (f"{args.threads} threads", "generated_many", "many_ns")):
        print(f"generated : hand-written, geometric mean, {title}: {geometric_mean([f[top] / f[bottom] for _, _, f in found]):.3f}")


if __name__ == "__main__":
    sys.exit(main())
