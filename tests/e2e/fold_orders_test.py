# SPDX-License-Identifier: MIT
"""Folds and maps in lanes, and folds in any order: as accurate as in the order of the source, with the same bits whatever runs them.

    fold_orders_test.py --dist BUILD/dist --work FOLDER

Sums are compared with exact ones, within the bound 4·d·ε·Σ|terms| where d is the longest chain of additions. The smallest and the
largest are compared bit by bit with loops in the order of the source, for NaN, infinities and zeros of both signs.
"""

import math
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import polybricks  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "fold_orders"
LENGTHS = (1, 31, 33, 128, 1009)
HEIGHT = 3
THREADS = (1, 2, 5)
ROUNDING = {"Sum": 1, "Dot": 2, "Norms": 1, "Steps": 1, "RowSums": 1, "All": 1}      # inputs of each transform
EXACT = ("Largest", "Smallest")
OF_ROWS = ("RowSums", "All") + EXACT
MAPS = ("Softmax", "Ramp")
NUM_LOOPS, NUM_STRICT_LOOPS = len(ROUNDING) + len(EXACT) + 4, len(EXACT) + 3        # those of Softmax and of Ramp, too
SPECIAL = [0, -0.0, np.inf, -np.inf, np.nan, 1, -1]


def exact(name, matrices):
    """Results and the sums of the magnitudes of their terms."""
    a = matrices[0].astype(np.float64)
    terms = {"Sum": lambda: [a], "Dot": lambda: [a * matrices[1].astype(np.float64)], "Norms": lambda: [a * a],
             "Steps": lambda: [(a[1:] - a[:-1]) * np.arange(1, len(a))], "RowSums": lambda: list(a), "All": lambda: [a.ravel()]}[name]()
    sums = np.array([math.fsum(each) for each in terms])
    weights = np.array([math.fsum(abs(each)) for each in terms])
    if name != "Norms":
        return sums, weights
    return np.array([math.sqrt(sums[0]), abs(a).max()]), np.array([math.sqrt(weights[0]), abs(a).max()])


def in_source_order(name, row):
    """The smallest or largest of a row, as the loop of the program finds it."""
    found = row[0] if name == "Largest" else row.dtype.type(np.inf)
    for value in row:
        if (found < value) if name == "Largest" else (value < found):
            found = value
    return found


def bits(matrix):
    return np.atleast_1d(matrix).view(f"u{matrix.dtype.itemsize}")


class Check:
    def __init__(self, program, work, kind):
        self.program, self.work, self.kind, self.num_runs = program, work, kind, 0
        self.rng = np.random.default_rng(polybricks.seed())

    def run(self, name, matrices, any_order, threads):
        paths = [self.work / f"in{i}.npy" for i in range(len(matrices))]
        for path, matrix in zip(paths, matrices):
            np.save(path, matrix)
        tunables = {}
        for each in (*ROUNDING, "Softmax"):
            rule = next(name for name in self.program.info["transforms"][each]["tunables"] if name.endswith(".cpu.fold_order"))
            tunables[each] = {rule: any_order}
        config = self.program.configuration({}, tunables, sequential_cutoff=0, threads=threads)
        self.program.write_configuration(self.work / "run.cfg", config)
        self.program.run("--transform", name, *paths, self.work / "out.npy", config=self.work / "run.cfg")
        self.num_runs += 1
        return np.load(self.work / "out.npy")

    def sums(self, name, length):
        shape = (HEIGHT, length) if name in OF_ROWS else (length,)
        matrices = [self.rng.normal(0, 10, shape).astype(self.kind) for _ in range(ROUNDING[name])]
        wanted, weights = exact(name, matrices)
        bound = 4 * length * HEIGHT * np.finfo(self.kind).eps * weights
        words = f"{name} of {length} {self.kind.__name__}, seed {polybricks.seed()}"
        for any_order in (0, 1):
            found = [self.run(name, matrices, any_order, threads) for threads in THREADS]
            error = abs(np.atleast_1d(found[0]).astype(np.float64) - wanted)
            polybricks.check((error <= bound).all(), f"{words}, order {any_order}: off by {error}, {bound} is allowed")
            for threads, other in zip(THREADS, found):
                polybricks.check((bits(found[0]) == bits(other)).all(), f"{words}, order {any_order}: other bits on {threads} threads")

    def maps(self, name, length):
        rows = self.rng.normal(0, 3, (HEIGHT, length)).astype(self.kind)
        exact_rows = rows.astype(np.float64)
        powers = np.exp(exact_rows - exact_rows.max(axis=1, keepdims=True))
        wanted = powers / powers.sum(axis=1, keepdims=True) if name == "Softmax" else np.arange(length) * exact_rows / 2
        allowed = (24 + 4 * length if name == "Softmax" else 1) * np.finfo(self.kind).eps * abs(wanted)
        words = f"{name} of {length} {self.kind.__name__}, seed {polybricks.seed()}"
        for any_order in (0, 1):
            found = [self.run(name, [rows], any_order, threads) for threads in THREADS]
            error = abs(found[0].astype(np.float64) - wanted)
            polybricks.check((error <= allowed).all(), f"{words}, order {any_order}: off by {error.max()}")
            for threads, other in zip(THREADS, found):
                polybricks.check((bits(found[0]) == bits(other)).all(), f"{words}, order {any_order}: other bits on {threads} threads")

    def extrema(self, name, length):
        rows = self.rng.choice(SPECIAL, (7, length), p=[0.3, 0.3, 0.02, 0.02, 0.06, 0.05, 0.25])
        rows[:2] = self.rng.normal(size=(2, length))
        rows[2] = self.rng.choice([0, -0.0], length)
        rows = rows.astype(self.kind)
        wanted = np.array([in_source_order(name, row) for row in rows])
        found = self.run(name, [rows], 1, 2)
        is_right = (bits(wanted) == bits(found)) | (np.isnan(wanted) & np.isnan(found))
        polybricks.check(is_right.all(), f"{name} of {length} {self.kind.__name__}, seed {polybricks.seed()}: {found}, not {wanted}")

    def ones(self):
        """A sum that stops growing in the order of the source."""
        count = 2**25
        for any_order, wanted in ((0, 2**24), (1, count)):
            found = float(self.run("Sum", [np.ones(count, self.kind)], any_order, 1))
            polybricks.check(found == wanted, f"a sum of 2^25 ones in order {any_order} is {found}")


def main():
    args = polybricks.arguments(__doc__).parse_args()
    args.work = polybricks.fresh_folder(args.work / "fold_orders")
    tools = polybricks.Tools(args.dist)
    num_runs = 0
    source = PROGRAMS / "folds.pbcc"
    text = polybricks.run_tool([tools.pbc, "--emit=lowered", source]).stdout
    polybricks.check(text.count("may run in lanes") == NUM_LOOPS, f"other loops run in lanes:\n{text}")
    strict = polybricks.run_tool([tools.pbc, "--emit=lowered", "--fp=strict", source]).stdout
    polybricks.check(strict.count("may run in lanes") == NUM_STRICT_LOOPS, f"--fp=strict leaves an order open:\n{strict}")
    for element, kind in (("double", np.float64), ("float", np.float32)):
        check = Check(tools.compile(source, args.work / f"folds_{element}", "--element", element), args.work, kind)
        for length in LENGTHS:
            for name in ROUNDING:
                check.sums(name, length)
            for name in EXACT:
                check.extrema(name, length)
            for name in MAPS:
                check.maps(name, length)
        if kind is np.float32:
            check.ones()
        num_runs += check.num_runs
    print(f"{num_runs} runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
