# SPDX-License-Identifier: MIT
"""Scans: all lengths of chunks and all numbers of threads agree with the order of the source.

    scans_test.py --dist BUILD/dist --work FOLDER

Rules that read their own output one step back run in chunks on the CPU. What is exact gives the bits of the source's order. What
rounds gives the same bits for each number of threads, and is close to that order. Lengths are 0, 1, odd and prime; there are NaNs,
infinities and zeros of both signs, and factors whose products overflow.
"""

import pathlib
import re
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402

# Each line: the name, its dimensions and the rule that continues the output. Borders are copies of the input.
LINE = """
main transform Line
from A[n], B[n]
to Sum[n], Down[n], Least[n], Most[n], Product[n], Smooth[n], Factors[n], Last[n], Squares[n], Roots[n]
tolerance 1e-3, 1e-3
{
  to (Sum.cell(0) o) from (A.cell(0) a) { o = a; }
  Sum.cell(i) from (A.cell(i) a, Sum.cell(i-1) before) { return a + before; }
  to (Down.cell(n-1) o) from (A.cell(n-1) a) { o = a; }
  to (Down.cell(i) o) from (A.cell(i) a, Down.cell(i+1) before) { o = before - a; }
  to (Least.cell(0) o) from (A.cell(0) a) { o = a; }
  Least.cell(i) from (A.cell(i) a, Least.cell(i-1) before) { return min(before, a); }
  to (Most.cell(n-1) o) from (A.cell(n-1) a) { o = a; }
  Most.cell(i) from (A.cell(i) a, Most.cell(i+1) before) { return before < a ? a : before; }
  to (Product.cell(0) o) from (A.cell(0) a) { o = a; }
  Product.cell(i) from (B.cell(i) b, Product.cell(i-1) before) { return before * b; }
  to (Smooth.cell(0) o) from (A.cell(0) a) { o = a; }
  Smooth.cell(i) from (A.cell(i) a, B.cell(i) b, Smooth.cell(i-1) y) { return y + b * (a - y); }
  to (Factors.cell(n-1) o) from (A.cell(n-1) a) { o = a; }
  Factors.cell(i) from (A.cell(i) a, B.cell(i) b, Factors.cell(i+1) y) { return b > 1 ? a : b * y - a; }
  // Several outputs together, with values before and behind.
  to (Last.cell(0) l, Squares.cell(0) s, Roots.cell(0) r) from (A.cell(0) a) { l = a; s = 0; r = a; }
  to (Last.cell(i) l, Squares.cell(i) s, Roots.cell(i) r)
  from (A.cell(i) a, B.cell(i) b, Last.cell(i-1) before, Squares.cell(i-1) sum) {
    const ElementT square = a * a;
    const ElementT total = sum + square;
    s = total;
    l = max(before, a);
    r = total * 2 + l - b;
  }
}
"""
LARGE = """
main transform Large
from int A[n], int B[w, h]
to long Sum[n], double Down[n], long Lines[w, h]
{
  Sum.cell(0) from (A.cell(0) a) { return a; }
  Sum.cell(i) from (A.cell(i) a, Sum.cell(i-1) before) { return before + a; }
  Down.cell(n-1) from (A.cell(n-1) a) { return a; }
  Down.cell(i) from (A.cell(i) a, Down.cell(i+1) before) { return before + a; }
  Lines.cell(0, y) from (B.cell(0, y) b) { return b; }
  Lines.cell(x, y) from (B.cell(x, y) b, Lines.cell(x-1, y) before) { return before + b; }
}
"""
PLANES = """
main transform Planes
from A[w, h, d]
to Rows[w, h, d], Columns[w, h, d], Deep[w, h, d], Back[w, h, d]
tolerance 1e-3, 1e-3
{
  to (Rows.cell(0, y, z) o) from (A.cell(0, y, z) a) { o = a; }
  Rows.cell(x, y, z) from (A.cell(x, y, z) a, Rows.cell(x-1, y, z) before) { return before + a; }
  to (Columns.cell(x, 0, z) o) from (A.cell(x, 0, z) a) { o = a; }
  Columns.cell(x, y, z) from (A.cell(x, y, z) a, Columns.cell(x, y-1, z) before) { return max(before, a); }
  to (Deep.cell(x, y, 0) o) from (A.cell(x, y, 0) a) { o = a; }
  Deep.cell(x, y, z) from (A.cell(x, y, z) a, Deep.cell(x, y, z-1) before) { return before + a; }
  to (Back.cell(w-1, y, z) o) from (A.cell(w-1, y, z) a) { o = a; }
  Back.cell(x, y, z) from (A.cell(x, y, z) a, Back.cell(x+1, y, z) before) { return max(before, a); }
}
"""
# Factors of the value before are numbers of its type, not whole ones. Products of the numbers beside it would overflow.
FACTORS = """
main transform Quotients
from A[n]
to Half[n], Third[n], Large[n], Chosen[n]
tolerance 1e-3, 1e-3
{
  Half.cell(0) from (A.cell(0) a) { return a; }
  Half.cell(i) from (A.cell(i) a, Half.cell(i-1) w) { return w / 2 + a; }
  Third.cell(0) from (A.cell(0) a) { return a; }
  Third.cell(i) from (A.cell(i) a, Third.cell(i-1) w) { return (w + 1) / 3 - a; }
  Large.cell(n-1) from (A.cell(n-1) a) { return a; }
  Large.cell(i) from (A.cell(i) a, Large.cell(i+1) w) { return w * 100000 * 100000 * ElementT(5e-11) + a; }
  Chosen.cell(0) from (A.cell(0) a) { return a; }
  Chosen.cell(i) from (A.cell(i) a, Chosen.cell(i-1) w) { return a > 0 ? a - w / 4 : w * 3 / 4; }
}
"""
# Each sum of sums needs the sum of the same step, so no chunk can be added up before those in front of it.
SUMS = """
main transform Sums
from int A[n]
to int Once[n], int Twice[n]
{
  to (Once.cell(i) s, Twice.cell(i) t) from (A.cell(i) a, Once.cell(i-1) x, Twice.cell(i-1) y) {
    const int sum = x + a;
    s = sum;
    t = y + sum;
  }
  secondary to (Once.cell(i) s, Twice.cell(i) t) from (A.cell(i) a) { s = a; t = a; }
}
"""
# Products that become too small for their type in between, and large again.
REGROWTH = """
main transform Regrowth
from A[n]
to Product[n], Recurrence[n]
{
  Product.cell(0) from (A.cell(0) a) { return a; }
  Product.cell(i) from (A.cell(i) a, Product.cell(i-1) w) { return w * a; }
  Recurrence.cell(0) from (A.cell(0) a) { return a; }
  Recurrence.cell(i) from (A.cell(i) a, Recurrence.cell(i-1) w) { return a * w + 0; }
}
"""
FACTOR_NAMES = ["Half", "Third", "Large", "Chosen"]
EXACT = {"Least", "Most", "Last", "Columns", "Back"}
KINDS = {"double": np.float64, "float": np.float32, "int": np.int32}


def regrowths(kind):
    """Inputs of REGROWTH and what it computes: 1, but for a large first number, a few small ones, and large ones behind them. Powers
    of 2 make all products exact."""
    step, large = {np.float64: (800, 1000), np.float32: (80, 100)}[kind]
    for distance in (1, 2, 5, 100, 256):
        a = np.ones(4000, kind)
        a[0] = 2.0 ** large
        first = 2100
        for number, power in enumerate((-step, -step, step, step)):
            a[first + number * distance] = 2.0 ** power
        powers = np.cumsum(np.log2(a.astype(np.float64)))
        yield a, {name: (2.0 ** powers).astype(kind) for name in ("Product", "Recurrence")}


def check_regrowth(a, got, want, where):
    for name, values in want.items():
        polybricks.check(np.array_equal(got[name], values), f"{name}, {where}, small numbers at {np.flatnonzero(a < 1)}: "
                         f"{got[name]} is not {values}, at {np.flatnonzero(got[name] != values)[:9]}")


def numpy_factors(a):
    """What FACTORS computes, one after the other."""
    steps = {"Half": lambda w, a: w / 2 + a, "Third": lambda w, a: (w + 1) / 3 - a, "Large": lambda w, a: w * 0.5 + a,
             "Chosen": lambda w, a: a - w / 4 if a > 0 else w * 3 / 4}
    out = {}
    for name, step in steps.items():
        numbers = a[::-1].tolist() if name == "Large" else a.tolist()
        for i in range(1, len(numbers)):
            numbers[i] = step(numbers[i - 1], numbers[i])
        out[name] = np.array(numbers[::-1] if name == "Large" else numbers)
    return out


def line_inputs(rng, kind, n, special):
    if kind == np.int32:
        return [rng.integers(-(1 << 30), 1 << 30, n, dtype=np.int32), rng.integers(-3, 4, n, dtype=np.int32)]
    a, b = rng.uniform(-1, 1, n).astype(kind), rng.uniform(0.5, 1.4, n).astype(kind)
    if special and n > 0:
        for value in (np.nan, np.inf, -np.inf, 0.0, -0.0, np.finfo(kind).max):
            a[rng.integers(0, n, 1 + n // 500)] = value
        b[rng.integers(0, n, 1 + n // 500)] = np.finfo(kind).max / 2
    return [a, b]


def numpy_line(a, b):
    """What NumPy says, in its own order; only for numbers that are finite."""
    wide_a, wide_b = a.astype(np.longdouble), b.astype(np.longdouble)
    return {"Sum": np.cumsum(wide_a), "Least": np.minimum.accumulate(a), "Most": np.maximum.accumulate(a[::-1])[::-1],
            "Down": 2 * wide_a[-1:] - np.cumsum(wide_a[::-1])[::-1], "Last": np.maximum.accumulate(a),
            "Product": np.concatenate([wide_a[:1], wide_a[:1] * np.cumprod(wide_b[1:])])}


def numpy_planes(a):
    wide = a.astype(np.longdouble)
    return {"Rows": np.cumsum(wide, 2), "Columns": np.maximum.accumulate(a, 1), "Deep": np.cumsum(wide, 0),
            "Back": np.maximum.accumulate(a[:, :, ::-1], 2)[:, :, ::-1]}


def bits(values):
    """NaNs are equal, whatever their sign is."""
    if values.dtype.kind == "f":
        values = np.where(np.isnan(values), values.dtype.type(np.nan), values)
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")


class Test:
    def __init__(self, tools, work):
        self.tools, self.work, self.num_runs = tools, work, 0

    def compile(self, text, element, fp):
        source = self.work / f"{text.split()[2].lower()}_{element}_{fp}.pbcc"
        if element == "int":
            text = re.sub(r"\b([A-Z]\w*\[)", r"int \1", text.replace("ElementT", "int"))
        source.write_text(text)
        return self.tools.compile(source, source.with_suffix(""), "--element", "double" if element == "int" else element, f"--fp={fp}")

    def outputs(self, program, names, inputs, chunk, threads):
        name, data = next(iter(program.info["transforms"].items()))
        chunks = [tunable for tunable, values in data["tunables"].items() if values["role"] == "scan_chunk"]
        config = program.configuration({}, {name: {tunable: chunk for tunable in chunks}}, sequential_cutoff=0, threads=threads)
        got, _ = arrays.run(program, self.work, arrays.save(self.work, inputs), names, "--device", "none", entry=config)
        self.num_runs += 1
        return got, [chunk.split("#")[0] for chunk in chunks]

    def compare(self, program, names, inputs, chunks, is_exact, where):
        """Runs all chunks and threads. Returns the outputs in the order of the source."""
        source, scanned = self.outputs(program, names, inputs, 0, 1)
        for chunk in chunks:
            first = None
            for threads in (1, 2, 5):
                got, _ = self.outputs(program, names, inputs, chunk, threads)
                first = first or got
                for name in names:
                    place = f"{name}, {where}, chunks of {chunk}, {threads} threads, seed {polybricks.seed()}"
                    polybricks.check(np.array_equal(bits(got[name]), bits(first[name])), f"{place}: other bits than with one thread")
                    if is_exact or name in EXACT:
                        polybricks.check(np.array_equal(bits(got[name]), bits(source[name])), f"{place}: other bits than the source's order")
        return source, first, scanned

    def line(self, element, fp, rng):
        names = ["Sum", "Down", "Least", "Most", "Product", "Smooth", "Factors", "Last", "Squares", "Roots"]
        kind = KINDS[element]
        program = self.compile(LINE, element, fp)
        for n in (1, 2, 7, 31, 257, 1009, 5000):
            for special in (False, True)[:1 if element == "int" else 2]:
                inputs = line_inputs(rng, kind, n, special)
                where = f"{element}, --fp={fp}, {n} numbers{', special ones' if special else ''}"
                source, got, scanned = self.compare(program, names, inputs, (1, 7, 64, 1000), element == "int", where)
                is_strict = fp == "strict" and element != "int"
                wanted = EXACT & set(names) - {"Last"} if is_strict else {"Sum", "Down", "Least", "Most", "Product", "Smooth", "Factors"}
                polybricks.check(wanted <= set(scanned), f"only {scanned} run in chunks")
                if element == "int":
                    continue
                limit = 4096 * np.finfo(kind).eps
                for name, value in numpy_line(*inputs).items():
                    if not special:
                        scale = limit * max(1, float(np.abs(value).max()))
                        polybricks.check(np.allclose(got[name], value.astype(kind), limit, scale), f"{name}, {where}: {got[name]} is not {value}")
                for name in names:
                    if not special:
                        scale = limit * max(1, float(np.abs(source[name]).max()))
                        polybricks.check(np.allclose(got[name], source[name], limit, scale), f"{name}, {where}: {got[name]} is not {source[name]}")

    def recurrences(self, element, rng):
        """Where sums and products of parts are not finite, but those in the order of the source are."""
        program = self.compile(LINE, element, "reassociate")
        kind = KINDS[element]
        a = np.zeros(3000, kind)
        b = np.full(3000, np.finfo(kind).max, kind)
        for names in (["Sum", "Down", "Least", "Most", "Product", "Smooth", "Factors", "Last", "Squares", "Roots"],):
            source, got, _ = self.compare(program, names, [a, b], (64, 1000), False, f"{element}, large factors")
            for name in ("Smooth", "Factors"):
                polybricks.check(np.array_equal(bits(got[name]), bits(source[name])), f"{name}, {element}, large factors: {got[name]} is not {source[name]}")

        # What forgets the value before, forgets a NaN and an infinity, too.
        a, b = rng.uniform(-1, 1, 3000).astype(kind), rng.uniform(0.5, 0.9, 3000).astype(kind)
        for place, value in zip(rng.integers(0, 3000, 30), [np.nan, np.inf, -np.inf] * 10):
            a[place] = value
        b[rng.integers(0, 3000, 100)] = 2
        source, got, _ = self.compare(program, names, [a, b], (64, 1000), False, f"{element}, resets")
        for name in ("Smooth", "Factors"):
            is_equal = np.allclose(got[name], source[name], 1e-4, 1e-4, equal_nan=True)
            polybricks.check(is_equal, f"{name}, {element}, resets: {got[name]} is not {source[name]}")

    def factors(self, element, rng):
        program = self.compile(FACTORS, element, "reassociate")
        a = rng.uniform(-1, 1, 3001).astype(KINDS[element])
        _, got, scanned = self.compare(program, FACTOR_NAMES, [a], (64, 1000), False, f"{element}, factors")
        polybricks.check(set(FACTOR_NAMES) <= set(scanned), f"only {scanned} run in chunks")
        self.check_factors(a, got, element)

    def regrowth(self, element):
        program = self.compile(REGROWTH, element, "reassociate")
        for inputs, want in regrowths(KINDS[element]):
            _, got, scanned = self.compare(program, list(want), [inputs], (512, 2048), False, f"{element}, regrowth")
            polybricks.check(set(want) <= set(scanned), f"only {scanned} run in chunks")
            check_regrowth(inputs, got, want, element)

    def check_factors(self, a, got, where):
        limit = 256 * np.finfo(a.dtype).eps
        for name, value in numpy_factors(a.astype(np.float64)).items():
            polybricks.check(np.allclose(got[name], value, limit, limit), f"{name}, {where}: {got[name]} is not {value}")

    def planes(self, element, fp, rng):
        names = ["Rows", "Columns", "Deep", "Back"]
        kind = KINDS[element]
        program = self.compile(PLANES, element, fp)
        for shape in ((1, 1, 1), (2, 3, 40), (3, 1, 1009), (5, 67, 31), (1, 300, 9)):
            a = rng.integers(-1000, 1000, shape).astype(kind)
            where = f"{element}, --fp={fp}, shape {shape}"
            _, got, _ = self.compare(program, names, [a], (1, 7, 100), element == "int", where)
            for name, value in numpy_planes(a).items():
                polybricks.check(np.array_equal(got[name], value.astype(kind)), f"{name}, {where}: {got[name]} is not {value}")

    def sums_of_sums(self, rng):
        program = self.compile(SUMS, "double", "strict")
        a = rng.integers(-9, 10, 3001).astype(np.int32)
        source, _, _ = self.compare(program, ["Once", "Twice"], [a], (7, 64), True, "sums of sums")
        polybricks.check(np.array_equal(source["Twice"], np.cumsum(np.cumsum(a))), f"sums of sums: {source}")

    def large(self, rng):
        """Results that are stored past the caches. Chunks begin with cache lines, lines of the plane do not."""
        program = self.compile(LARGE, "double", "reassociate")
        n, w = 2 ** 22 + 1009, 2 ** 21 + 3
        a, b = rng.integers(-1000, 1000, n).astype(np.int32), rng.integers(-1000, 1000, (3, w)).astype(np.int32)
        source, _, _ = self.compare(program, ["Sum", "Down", "Lines"], [a, b], (4096,), True, "large matrices")
        wanted = {"Sum": a.cumsum(dtype=np.int64), "Down": a[::-1].cumsum(dtype=np.int64)[::-1], "Lines": b.cumsum(axis=1, dtype=np.int64)}
        for name, value in wanted.items():
            polybricks.check(np.array_equal(source[name], value), f"large matrices: {source[name]} is not {value}")

    def run(self, rng):
        self.large(rng)
        self.sums_of_sums(rng)
        for element, fp in (("double", "reassociate"), ("float", "contract"), ("double", "strict"), ("int", "strict")):
            self.line(element, fp, rng)
            if polybricks.is_nightly() or (element, fp) in (("double", "reassociate"), ("int", "strict")):
                self.planes(element, fp, rng)
        for element in ("double", "float"):
            self.recurrences(element, rng)
            self.factors(element, rng)
            self.regrowth(element)


def main():
    args = polybricks.arguments(__doc__).parse_args()
    test = Test(polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "scans"))
    test.run(np.random.default_rng(polybricks.seed()))
    print(f"{test.num_runs} runs, all orders agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
