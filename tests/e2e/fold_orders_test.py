# SPDX-License-Identifier: MIT
"""Folds and maps in lanes, and folds in any order: as accurate as in the order of the source, with the same bits whatever runs them.

    fold_orders_test.py --dist BUILD/dist --work FOLDER

Sums are compared with exact ones, within the bound 4·d·ε·Σ|terms| where d is the longest chain of additions. What no order changes is
compared bit by bit with loops in the order of the source: whole numbers whose parts overflow, the smallest and the largest with their
places, NaN, infinities and zeros of both signs. Each configuration gives the same bits in many runs, on any number of threads.
"""

import math
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402

PROGRAMS = pathlib.Path(__file__).resolve().parent / "fold_orders"
LENGTHS = (0, 1, 2, 31, 33, 128, 1009)
HEIGHT = 3
THREADS = (1, 2, 5)
ENDS = (1, 5)           # threads of runs whose output is looked at
ROUNDING = {"Sum": 1, "Dot": 2, "Norms": 1, "Steps": 1, "RowSums": 1, "All": 1, "Product": 1}      # inputs of each transform
EXACT = ("Largest", "Smallest")
OF_ROWS = ("RowSums", "All") + EXACT
MAPS = ("Softmax", "Ramp")
CHUNK = 16              # rounds of a task of rules with one instance
NUM_LOOPS, NUM_STRICT_LOOPS = len(ROUNDING) + len(EXACT) + 2, len(EXACT) + 1        # two of Softmax, too; its division is left to compilers
SPECIAL = [0, -0.0, np.inf, -np.inf, np.nan, 1, -1]
SPECIAL_SUMS = ([0, -0.0], [-0.0], [np.inf, 1, -1], [np.inf, -np.inf, 1], [np.nan, 1, -1], [np.inf, 0, 1], [1, -1, -0.0])
REPEATED = {"RowSums": (601, 1009), "Softmax": (61, 20), "Halves": (100003,)}      # shapes of transforms whose tasks others steal
RUNS = 17               # of each of these on each number of threads
MAX_LENGTH_WITHOUT_STEALING = 2**25
LARGE = 2**28           # numbers of the sum that only runs at night


def exact_sums(rows):
    """(the sums of some rows of numbers, the sums of their magnitudes), rounded once."""
    rows = [np.asarray(row, dtype=np.float64) for row in rows]
    return np.array([math.fsum(row) for row in rows]), np.array([math.fsum(abs(row)) for row in rows])


def allowed_error(depth, kind, weight):
    """The largest error of sums of magnitude `weight` in numbers of NumPy's type `kind`."""
    return 4 * depth * np.finfo(kind).eps * weight


def is_within(found, wanted, bound):
    """Whether each result is near enough, NaN for NaN and an infinity for the same one."""
    with np.errstate(invalid="ignore"):
        is_near = abs(found.astype(wanted.dtype) - wanted) <= bound
    return bool(np.all(is_near | (found == wanted) | (np.isnan(found) & np.isnan(wanted))))


def has_same_bits(a, b):
    """Whether two matrices have the same bits; those of a NaN do not count."""
    a, b = np.atleast_1d(a), np.atleast_1d(b)
    of_bits = f"u{a.dtype.itemsize}"
    return bool(np.all((a.view(of_bits) == b.view(of_bits)) | ((a != a) & (b != b))))


def exact(name, matrices):
    """Results and the sums of the magnitudes of their terms."""
    a = matrices[0].astype(np.float64)
    if name == "Product":
        product = np.array([np.prod(a.astype(np.longdouble))])
        return product, abs(product)
    terms = {"Sum": lambda: [a], "Halves": lambda: [a], "Dot": lambda: [a * matrices[1].astype(np.float64)], "Norms": lambda: [a * a],
             "Steps": lambda: [(a[1:] - a[:-1]) * np.arange(1, max(1, len(a)))], "RowSums": lambda: list(a),
             "All": lambda: [a.ravel()]}[name]()
    sums, weights = exact_sums(terms)
    if name != "Norms":
        return sums, weights
    largest = abs(a).max(initial=0)
    return np.array([math.sqrt(sums[0]), largest]), np.array([math.sqrt(weights[0]), largest])


def in_source_order(name, row):
    """What the loop of the program finds in a row, in numbers of its type."""
    kind = row.dtype.type
    found = {"Largest": row[0] if len(row) else kind(0), "Smallest": kind(np.inf), "Product": kind(1)}.get(name, kind(0))
    with np.errstate(invalid="ignore"):
        for value in row:
            if name in ("Sum", "Product", "RowSums"):
                found = kind(found * value if name == "Product" else found + value)
            elif (found < value) if name == "Largest" else (value < found):
                found = value
    return found


def places(row):
    """The first and the last place of the smallest, and of the largest; -1 where all are NaN."""
    numbers = row[~np.isnan(row)]
    if not len(numbers):
        return [-1] * 4
    least, most = np.flatnonzero(row == numbers.min()), np.flatnonzero(row == numbers.max())
    # An infinity is no better than the one that the loop begins with.
    return [least[0] if numbers.min() < np.inf else -1, least[-1], most[0] if numbers.max() > -np.inf else -1, most[-1]]


def whole_numbers(row):
    row = [int(value) for value in row]
    wrapped = lambda value: (value + 2**31) % 2**32 - 2**31  # noqa: E731
    every, any_, odd, product, differs = -1, 0, 5, 3, 0
    for value in row:
        every, any_, odd, product, differs = every & (value | 12), any_ | value, odd ^ value, wrapped(product * (value & 65536)), \
            int(differs - (value > 0) != 0)
    return [wrapped(7 + sum(row)), product, every, any_, odd, min([2**30, *row]), int(77 not in row), differs]


class Check:
    def __init__(self, program, work, kind):
        self.program, self.work, self.kind, self.num_runs = program, work, kind, 0
        self.rng = np.random.default_rng(polybricks.seed())
        self.orders = {}        # the tunable of each transform that has one
        for transform, data in program.info["transforms"].items():
            self.orders.update({transform: name for name in data["tunables"] if name.endswith(".cpu.fold_order")})

    def configuration(self, any_order, threads, choices=None, tunables=None):
        """On several threads, each row and each call is a task of its own."""
        chosen = {transform: {name: any_order} for transform, name in self.orders.items()}
        for transform, data in self.program.info["transforms"].items():
            for name in data["tunables"]:
                if name.endswith(".cpu.fold_chunk"):
                    chosen.setdefault(transform, {})[name] = CHUNK
            if threads > 1 and "split_size" in data["tunables"]:
                chosen.setdefault(transform, {})["split_size"] = 1
        for transform, values in (tunables or {}).items():
            chosen.setdefault(transform, {}).update(values)
        return self.program.configuration(choices or {}, chosen, sequential_cutoff=0, threads=threads)

    def run_files(self, name, paths, config, *options):
        """(the output, the statistics) of a run."""
        got, statistics = arrays.run(self.program, self.work, paths, ["out"], "--transform", name, "--strict", *options, entry=config)
        self.num_runs += 1
        return got["out"], statistics

    def run(self, name, matrices, any_order, threads):
        return self.run_files(name, arrays.save(self.work, matrices), self.configuration(any_order, threads), "--device", "none")[0]

    def on_all_threads(self, name, matrices, any_order, words):
        """The output, which has the same bits on any number of threads."""
        found = [self.run(name, matrices, any_order, threads) for threads in ENDS]
        for threads, other in zip(ENDS, found):
            polybricks.check(has_same_bits(found[0], other), f"{words}, order {any_order}: other bits on {threads} threads")
        return np.atleast_1d(found[0])

    def words(self, name, length):
        return f"{name} of {length} {self.kind.__name__}, seed {polybricks.seed()}"

    def sums(self, name, length):
        shape = (HEIGHT, length) if name in OF_ROWS else (length,)
        center, spread = (1, 0.05) if name == "Product" else (0, 10)
        matrices = [self.rng.normal(center, spread, shape).astype(self.kind) for _ in range(ROUNDING.get(name, 1))]
        wanted, weights = exact(name, matrices)
        bound = allowed_error(length * HEIGHT, self.kind, weights)
        words = self.words(name, length)
        for any_order in (0, 1):
            found = self.on_all_threads(name, matrices, any_order, words)
            polybricks.check(is_within(found, wanted, bound), f"{words}, order {any_order}: {found} instead of {wanted}, {bound} is allowed")

    def special_sums(self, length):
        """Infinities, NaN and zeros of both signs: all orders give the same bits."""
        for special in SPECIAL_SUMS:
            row = self.rng.choice(special, length).astype(self.kind)
            for name in ("Sum", "Product", "RowSums"):
                wanted = in_source_order(name, row)
                found = self.run(name, [row[None] if name in OF_ROWS else row], 1, 1)
                polybricks.check(has_same_bits(found, wanted), f"{self.words(name, length)} of {special}: {found}, not {wanted}")

    def maps(self, name, length):
        rows = self.rng.normal(0, 3, (HEIGHT, length)).astype(self.kind)
        exact_rows = rows.astype(np.float64)
        powers = np.exp(exact_rows - exact_rows.max(axis=1, keepdims=True, initial=-np.inf))
        wanted = powers / powers.sum(axis=1, keepdims=True) if name == "Softmax" else np.arange(length) * exact_rows / 2
        allowed = (24 + 4 * length if name == "Softmax" else 1) * np.finfo(self.kind).eps * abs(wanted)
        words = self.words(name, length)
        for any_order in (0, 1):
            found = self.on_all_threads(name, [rows], any_order, words)
            polybricks.check(is_within(found, wanted, allowed), f"{words}, order {any_order}: {found} instead of {wanted}")

    def extrema(self, length):
        rows = self.rng.choice(SPECIAL, (9, length), p=[0.3, 0.3, 0.02, 0.02, 0.06, 0.05, 0.25])
        rows[:2] = self.rng.normal(size=(2, length))
        rows[2] = self.rng.choice([0, -0.0], length)
        rows[3:5, ::2] = [[np.inf], [np.nan]]
        rows[5] = self.rng.choice([np.inf, np.nan], length)
        rows = rows.astype(self.kind)
        for name in EXACT:
            wanted = np.array([in_source_order(name, row) for row in rows])
            found = self.run(name, [rows], 1, 2)
            polybricks.check(has_same_bits(wanted, found), f"{self.words(name, length)}: {found}, not {wanted}")
        wanted, found = [places(row) for row in rows], self.run("Places", [rows], 1, 2)
        polybricks.check(np.array_equal(wanted, found), f"{self.words('Places', length)}: {found}, not {wanted}")

    def peak(self, length):
        """The largest of all values and its place, as the loop of the program finds them, whichever tasks run it."""
        for values in (self.rng.choice(SPECIAL, length), self.rng.choice([0, -0.0, -1], length), self.rng.normal(size=length)):
            values = values.astype(self.kind)
            wanted = [values[0], 0]
            for i, value in enumerate(values):
                if value > wanted[0]:
                    wanted = [value, i]
            for threads in (1, 5):
                found = self.run("Peak", [values], 0, threads)
                polybricks.check(has_same_bits(np.array(wanted, self.kind), found), f"{self.words('Peak', length)}: {found}, not {wanted}")

    def wholes(self, length):
        """Whole numbers. Each second one is large, so that the sum of every second one overflows, and their product."""
        rows = self.rng.integers(0, 2**14, (4, length), dtype=np.int32) * self.rng.integers(0, 2, (4, length), dtype=np.int32)
        rows[1] = np.where(np.arange(length) % 2 == 0, 2**30, -2**30)
        rows[2] = np.where(np.arange(length) % 2 == 0, 65536, 0)
        rows[3, length // 2:] = 77
        wanted, found = np.array([whole_numbers(row) for row in rows]), self.run("Wholes", [rows], 1, 2)
        polybricks.check(np.array_equal(wanted, found), f"{self.words('Wholes', length)}: {found}, not {wanted}")

    def repeats(self, name, shape):
        """Many runs of one configuration have the same bits, on one thread and on more than there may be cores."""
        paths = arrays.save(self.work, [self.rng.normal(0, 1, shape).astype(self.kind)])
        with polybricks.Server(self.program, "--transform", name, "--device", "none") as server:
            server.ask("inputs", files=[str(path) for path in paths])
            for any_order in (0, 1):
                server.ask("reference", config=self.configuration(any_order, 1))
                for threads in THREADS:
                    reply = server.ask("run", config=self.configuration(any_order, threads), trials=RUNS, verify=True, tolerance=0)
                    self.num_runs += RUNS
                    polybricks.check(reply["status"] == "ok", f"{self.words(name, shape)}, order {any_order}, {threads} threads: {reply}")

    def stealing(self):
        """A run whose tasks were stolen has the bits of the run on one thread. A short run may end before other workers wake up, so
        the length doubles until a task is stolen."""
        length, one_thread, threads = REPEATED["Halves"][0], self.configuration(1, 1), self.configuration(1, max(THREADS))
        while length <= MAX_LENGTH_WITHOUT_STEALING:
            paths = arrays.save(self.work, [self.rng.normal(0, 1, length).astype(self.kind)])
            wanted, _ = self.run_files("Halves", paths, one_thread, "--device", "none")
            found, statistics = self.run_files("Halves", paths, threads, "--device", "none")
            polybricks.check(has_same_bits(wanted, found), f"{self.words('Halves', length)}: {found}, not {wanted}")
            if any(worker["steals"] for worker in statistics["workers"]):
                return
            length *= 2
        polybricks.check(False, f"no task was stolen in runs of up to {MAX_LENGTH_WITHOUT_STEALING} numbers")

    def stagnation(self):
        """A large number and ones behind it, which its last bit does not show: the order of the source loses them all."""
        num_ones, large = 999, self.kind(2 / np.finfo(self.kind).eps)
        numbers = np.array([large] + [1] * num_ones, self.kind)
        in_order, any_order = (float(self.run("Sum", [numbers], order, 1)) for order in (0, 1))
        polybricks.check(in_order == large, f"a sum in the order of the source is {in_order}, not {large}")
        polybricks.check(large + num_ones / 2 < any_order <= large + num_ones + 1, f"a sum in any order is {any_order}, not {large} and ones")

    def both_orders(self):
        """What is measured may agree with either order, where they differ by more than the tolerance, and no sums in wider numbers
        say which one is right: the square root of a sum is no sum."""
        numbers = np.ones(20000, np.float32)
        numbers[0] = 2**12
        with polybricks.Server(self.program, "--transform", "Norms", "--device", "none") as server:
            server.ask("inputs", files=[str(path) for path in arrays.save(self.work, [numbers])])
            reply = server.ask("reference")
            polybricks.check("both orders" in reply.get("message", ""), f"the orders of a sum differ, but the reference says {reply}")
            for any_order in (0, 1):
                reply = server.ask("run", config=self.configuration(any_order, 1))
                polybricks.check(reply["status"] == "ok", f"a sum in order {any_order} is refused: {reply}")

    def large_sums(self):
        """Sums of many floats: in the order of the source they stop growing at 2^24."""
        site, rule = next((site, alternatives[0][0]) for transform, site, alternatives in self.program.sites() if transform == "Sum")
        on_device = {"choices": {"Sum": {site: (rule, "opencl")}}, "tunables": {"Sum": {f"{rule}.opencl.fold_items": 4096}}}
        for words, numbers in (("ones", np.ones(LARGE, self.kind)), ("numbers below 1", self.rng.random(LARGE, self.kind))):
            wanted, paths = float(np.sum(numbers, dtype=np.float64)), arrays.save(self.work, [numbers])
            del numbers
            for any_order, more in ((0, {}), (1, {}), (1, on_device)):
                found = float(self.run_files("Sum", paths, self.configuration(any_order, 1, **more))[0])
                is_right = abs(found - wanted) <= 1e-4 * wanted if any_order else found == 2**24
                polybricks.check(is_right, f"a sum of 2^28 {words} in order {any_order} {more} is {found}, not {wanted}")


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
            for name in (*ROUNDING, "Halves"):
                check.sums(name, length)
            for name in MAPS:
                check.maps(name, length)
            check.extrema(length)
            if length > 0:
                check.peak(length)
            check.wholes(length)
        for length in (33, 128):
            check.special_sums(length)
        for name, shape in REPEATED.items():
            check.repeats(name, shape)
        check.stealing()
        check.stagnation()
        if kind is np.float32 and polybricks.is_nightly():
            check.large_sums()
        if kind is np.float32:
            check.both_orders()
        num_runs += check.num_runs
    print(f"{num_runs} runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
