# SPDX-License-Identifier: MIT
"""Bins: loops that update cells at computed places give the same results in chunks as in the order of the source.

    bins_test.py --dist BUILD/dist --work FOLDER

Counts, smallest and largest have the bits of the source's order. Sums of floating-point numbers have the same bits for each number of
threads, and are close to that order. There are many bins and one, uniform keys and equal ones, and sums whose parts overflow. Rules with
`distinct` store in chunks, and a checked program finds two stores to one cell.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402

PROGRAM = """
main transform Bins
from int Keys[n], int Numbers[n], A[n], B[m], int Picture[w, h], int Places[n]
to int Counts[m], Least[m], Most[m], int Totals[m], Sums[m], Sum, int Grid[5, 7], int Pairs[2, m], int Seen[m], Moved[n], int From[n]
tolerance 1e-3, 1e-3
{
  to (Counts c, Least l, Most k) from (Keys keys, A a, B b) {
    for (int i = 0; i < m; i++) { c.cell(i) = 0; l.cell(i) = b.cell(i); k.cell(i) = b.cell(i); }
    for (int i = 0; i < n; i++) {
      const int key = keys.cell(i);
      c.cell(key)++;
      if (a.cell(i) < l.cell(key)) l.cell(key) = a.cell(i);
      k.cell(key) = max(k.cell(key), a.cell(i));
    }
  }
  to (Totals t) from (Keys keys, Numbers x) {
    for (int i = 0; i < t.count(); i++) t.cell(i) = 3;
    for (int i = 0; i < n; i++) t.cell(t.count() - 1 - keys.cell(i)) += x.cell(i);
  }
  to (Sums s, Sum sum) from (Keys keys, A a, B b) {
    sum = 0;
    for (int i = 0; i < m; i++) s.cell(i) = b.cell(i);
    for (int i = 0; i < n; i++) {
      s.cell(keys.cell(i)) += 2 * a.cell(i);
      if (i % 3 == 0) s.cell(0) -= a.cell(i);
      sum += a.cell(i);
    }
  }
  to (Grid g) from (Picture p) {
    for (int y = 0; y < 7; y++) for (int x = 0; x < 5; x++) g.cell(x, y) = 1;
    for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) g.cell(p.cell(x, y), (x + y) % 7) += 2;
  }
  // Columns, whose cells are no neighbours.
  to (Pairs.column(0) p, Pairs.column(1) q) from (Keys keys) {
    for (int i = 0; i < m; i++) { p.cell(i) = 0; q.cell(i) = 0; }
    for (int i = 0; i < n; i++) { p.cell(keys.cell(i)) |= i; q.cell(keys.cell(i)) ^= i; }
  }
  distinct to (Moved moved, From from_where) from (A a, Places p) {
    for (int i = 0; i < n; i++) {
      const int at = p.cell(i);
      moved.cell(at) = 2 * a.cell(i);
      from_where.cell(n - 1 - at) = i;
    }
  }
  // The last writer wins, so the order is that of the source.
  to (Seen s) from (Keys keys) {
    for (int i = 0; i < m; i++) s.cell(i) = -1;
    for (int i = 0; i < n; i++) s.cell(keys.cell(i)) = i;
  }
}
"""
NAMES = ["Counts", "Least", "Most", "Totals", "Sums", "Sum", "Grid", "Pairs", "Seen", "Moved", "From"]
ROUNDED = {"Sums", "Sum"}
KINDS = {"double": np.float64, "float": np.float32}


def reference(keys, numbers, a, b, picture, targets):
    """What NumPy says. Sums are wide."""
    num_bins = b.size
    out = {"Counts": np.bincount(keys, minlength=num_bins), "Least": b.copy(), "Most": b.copy(), "Totals": np.full(num_bins, 3),
           "Sums": b.astype(np.longdouble), "Sum": a.astype(np.longdouble).sum(), "Grid": np.ones((7, 5), int),
           "Pairs": np.zeros((num_bins, 2), int), "Seen": np.full(num_bins, -1)}
    places = np.arange(keys.size)
    np.minimum.at(out["Least"], keys, a)
    np.maximum.at(out["Most"], keys, a)
    np.add.at(out["Totals"], num_bins - 1 - keys, numbers.astype(np.int64))
    np.add.at(out["Sums"], keys, 2 * a.astype(np.longdouble))
    out["Sums"][:1] -= a[::3].astype(np.longdouble).sum()
    y, x = np.indices(picture.shape)
    np.add.at(out["Grid"], ((x + y) % 7, picture), 2)
    np.bitwise_or.at(out["Pairs"][:, 0], keys, places)
    np.bitwise_xor.at(out["Pairs"][:, 1], keys, places)
    np.maximum.at(out["Seen"], keys, places)
    out["Moved"], out["From"] = np.zeros_like(a), np.zeros(a.size, int)
    out["Moved"][targets] = 2 * a
    out["From"][a.size - 1 - targets] = places
    return out


class Test:
    def __init__(self, tools, work):
        self.tools, self.work, self.num_runs = tools, work, 0

    def compile(self, element, fp):
        source = self.work / f"bins_{element}_{fp}.pbcc"
        source.write_text(PROGRAM)
        return self.tools.compile(source, source.with_suffix(""), "--element", element, f"--fp={fp}")

    def outputs(self, program, inputs, chunk, threads):
        name, data = next(iter(program.info["transforms"].items()))
        wanted = {"fold_chunk": chunk, "fold_order": 1}
        values = {tunable: wanted[value["role"]] for tunable, value in data["tunables"].items() if value["role"] in wanted}
        config = program.configuration({}, {name: values}, sequential_cutoff=0, threads=threads)
        self.num_runs += 1
        return arrays.run(program, self.work, arrays.save(self.work, inputs), NAMES, "--device", "none", entry=config)[0]

    def compare(self, program, inputs, chunks, where):
        want = reference(*inputs)
        eps = np.finfo(inputs[2].dtype).eps
        for chunk in chunks:
            first = None
            for threads in (1, 2, 5):
                got = self.outputs(program, inputs, chunk, threads)
                first = first or got
                for name in NAMES:
                    place = f"{name}, {where}, chunks of {chunk}, {threads} threads, seed {polybricks.seed()}"
                    polybricks.check(got[name].tobytes() == first[name].tobytes(), f"{place}: other bits than with one thread")
                    value = np.asarray(want[name])
                    if name in ROUNDED:
                        limit = eps * inputs[2].size * 8
                        is_right = np.allclose(got[name], value.astype(inputs[2].dtype), limit, limit)
                    else:
                        is_right = np.array_equal(got[name], value.astype(got[name].dtype))
                    polybricks.check(is_right, f"{place}: {got[name]} is not {value}")

    def inputs(self, rng, kind, n, m, shape, has_equal_keys):
        keys = np.full(n, m // 2, np.int32) if has_equal_keys else rng.integers(0, m, n, dtype=np.int32)
        # The sums of the first half overflow, and those of all numbers do not.
        numbers = np.where(np.arange(n) < n // 2, 1 << 29, -(1 << 29)).astype(np.int32)
        if not has_equal_keys:
            numbers = rng.integers(-1000, 1000, n, dtype=np.int32)
        a, b = rng.uniform(-1, 1, n).astype(kind), rng.uniform(-0.5, 0.5, m).astype(kind)
        return [keys, numbers, a, b, rng.integers(0, 5, shape, dtype=np.int32), rng.permutation(n).astype(np.int32)]

    def two_stores_to_a_cell(self, rng):
        program = self.tools.compile(self.work / "bins_double_strict.pbcc", self.work / "checked", "--checked")
        inputs = self.inputs(rng, np.float64, 100, 7, (3, 4), False)
        self.compare(program, inputs, (64,), "checked")
        inputs[-1][10] = inputs[-1][90]
        done, _ = program.run(*arrays.save(self.work, inputs), *[self.work / f"{name}.npy" for name in NAMES], "--device", "none", expect=None)
        words = f"a loop of a `distinct` rule stores twice to the cell ({inputs[-1][90]}) of `moved`"
        polybricks.check(done.returncode != 0 and words in done.stderr, f"no error: {done.stderr}")

    def run(self, rng):
        for element, fp in (("double", "reassociate"), ("float", "contract"), ("double", "strict")):
            program = self.compile(element, fp)
            text = polybricks.run_tool([self.tools.pbc, "--explain", self.work / f"bins_{element}_{fp}.pbcc"]).stdout
            loops = [line for line in text.splitlines() if (" bins over " in line or " scatter over " in line) and "tasks may divide it" in line]
            polybricks.check(len(loops) == 6, f"only these loops have bins: {loops}")
            for n, m, shape in ((0, 1, (0, 3)), (1, 1, (1, 1)), (100, 7, (31, 3)), (5003, 1, (40, 100)), (5000, 113, (101, 7)), (20011, 2500, (64, 64))):
                for has_equal_keys in (False, True):
                    inputs = self.inputs(rng, KINDS[element], n, m, shape, has_equal_keys)
                    where = f"{element}, --fp={fp}, {n} {'equal' if has_equal_keys else 'random'} keys, {m} bins"
                    self.compare(program, inputs, (0, 1, 64, 1000), where)
        self.two_stores_to_a_cell(rng)


def main():
    args = polybricks.arguments(__doc__).parse_args()
    test = Test(polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "bins"))
    test.run(np.random.default_rng(polybricks.seed()))
    print(f"{test.num_runs} runs, all orders agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
