# SPDX-License-Identifier: MIT
"""Bins on devices: loops that update cells at computed places give the bits of the source's order in all shapes of launches.

    device_bins_test.py --dist BUILD/dist --work FOLDER

One work-item runs all, a group does, or several groups do. There are bins that fit into local memory and bins that do not, one bin and no
key, uniform keys and equal ones, sums whose parts overflow, two bins in a round, and bins of each row of a matrix. Loops that store to
distinct places beside them leave all other cells as they are. Loops whose cells devices do not update stay on the CPU, and say why.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
from device_programs import placed  # noqa: E402

PROGRAM = """
main transform Bins
from int Keys[n], int Numbers[n], int First[m], int Picture[w, h]
to int Counts[m], int Least[m], int Most[m], int Totals[m], int Sum, int Grid[5, 7], int Masks[2, m], int Firsts[m], int Rows[5, h], int Twice[m], int Total
{
  to (Counts c, Least l, Most k) from (Keys keys, Numbers x, First first) {
    for (int i = 0; i < m; i++) { c.cell(i) = 0; l.cell(i) = first.cell(i); k.cell(i) = first.cell(i); }
    for (int i = 0; i < n; i++) {
      const int key = keys.cell(i);
      c.cell(key)++;
      if (x.cell(i) < l.cell(key)) l.cell(key) = x.cell(i);
      k.cell(key) = max(k.cell(key), x.cell(i));
    }
  }
  // Bins from the end, of which some rounds update two, and a sum beside them.
  to (Totals t, Sum sum) from (Keys keys, Numbers x) {
    sum = 0;
    for (int i = 0; i < t.count(); i++) t.cell(i) = 3;
    for (int i = 0; i < n; i++) {
      t.cell(t.count() - 1 - keys.cell(i)) += x.cell(i);
      if (i % 3 == 0) t.cell(0) -= x.cell(i);
      sum += x.cell(i);
    }
  }
  to (Grid g) from (Picture p) {
    for (int y = 0; y < 7; y++) for (int x = 0; x < 5; x++) g.cell(x, y) = 1;
    for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) g.cell(p.cell(x, y), (x + y) % 7) += 2;
  }
  // Columns, whose cells are no neighbours.
  to (Masks.column(0) p) from (Keys keys) {
    for (int i = 0; i < m; i++) p.cell(i) = 0;
    for (int i = 0; i < n; i++) p.cell(keys.cell(i)) |= i;
  }
  to (Masks.column(1) p) from (Keys keys) {
    for (int i = 0; i < m; i++) p.cell(i) = -1;
    for (int i = 0; i < n; i++) { p.cell(keys.cell(i)) ^= i; }
    for (int i = 0; i < m; i++) p.cell(i) += 1;
  }
  // An inner loop updates bins repeatedly.
  to (Firsts f) from (Keys keys) {
    for (int i = 0; i < m; i++) f.cell(i) = -1;
    for (int i = 0; i < n; i++) for (int k = 0; k < 3; k++) f.cell((keys.cell(i) + k) % m) &= ~(1 << (i + k) % 31);
  }
  to (Rows.row(y) r) from (Picture.row(y) p) {
    for (int x = 0; x < 5; x++) r.cell(x) = 0;
    for (int x = 0; x < w; x++) r.cell(p.cell(x))++;
  }
  // Loops over the same cells, one behind the other.
  to (Twice t, Total sum) from (Keys keys) {
    for (int i = 0; i < m; i++) t.cell(i) = 0;
    int all = 0;
    for (int i = 0; i < n; i++) all += keys.cell(i);
    for (int i = 0; i < n; i++) t.cell(keys.cell(i)) = max(t.cell(keys.cell(i)), i);
    for (int i = 0; i < n; i++) t.cell(keys.cell(i)) += all;
    sum = all;
  }
}
"""
NAMES = ["Counts", "Least", "Most", "Totals", "Sum", "Grid", "Masks", "Firsts", "Rows", "Twice", "Total"]

SCATTER = """
transform Fill
to int B[m]
{
  B.cell(i) from () { return -7; }
}
transform Scatter
from int A[n], int Place[n], int Keys[n]
to int B[m], int Count[5]
{
  distinct to (B b, Count c) from (A a, Place place, Keys keys) {
    for (int k = 0; k < 5; k++) c.cell(k) = 0;
    for (int i = 0; i < n; i++) {
      b.cell(place.cell(i)) = a.cell(i);
      c.cell(keys.cell(i))++;
    }
  }
}
// Rounds that store several cells.
transform ScatterParts
from int A[n], int Place[n]
to int B[m]
{
  distinct to (B b) from (A a, Place place) {
    for (int p = 0; p < (n + 9) / 10; p++)
      for (int i = 10 * p; i < min(n, 10 * p + 10); i++) b.cell(place.cell(i)) = a.cell(i);
  }
}
main transform Scattered
from int A[n], int Place[n], int Keys[n]
to int B[3*n], int Count[5], int Parts[3*n]
{
  to (B b, Count c, Parts parts) from (A a, Place place, Keys keys) {
    Fill(b);
    Scatter(b, c, a, place, keys);
    Fill(parts);
    ScatterParts(parts, a, place);
  }
}
"""

REFUSED = """
main transform Refused
from int Keys[n], A[n]
to Sums[m], Last[m]
{
  to (Sums s) from (Keys keys, A a) {
    for (int i = 0; i < m; i++) s.cell(i) = 0;
    for (int i = 0; i < n; i++) s.cell(keys.cell(i)) += a.cell(i);
  }
  to (Last l) from (Keys keys, A a) {
    for (int i = 0; i < m; i++) l.cell(i) = 1;
    for (int i = 0; i < n; i++) l.cell(keys.cell(i)) = l.cell(keys.cell(i)) < a.cell(i) ? l.cell(keys.cell(i)) : a.cell(i);
  }
}
"""
REASONS = ["another order would round the cells of `s` in another way", "only the order of the source gives the cells of `l` their values"]

# Work-items of an instance, and of a group; with 0 the runtime chooses.
SHAPES = [(0, 0), (16, 256), (1024, 64)] + ([(1, 64), (64, 64), (2, 2), (4096, 256), (512, 1024)] if polybricks.is_nightly() else [])


def wrapped(numbers):
    return np.asarray(numbers, np.int64).astype(np.uint32).astype(np.int32)


def reference(keys, numbers, first, picture):
    """What NumPy says. Sums are wide and cut to 32 bits at the end."""
    m, n = first.size, keys.size
    places = np.arange(n)
    out = {"Counts": np.bincount(keys, minlength=m), "Least": first.copy(), "Most": first.copy(), "Sum": wrapped(numbers.astype(np.int64).sum()),
           "Grid": np.ones((7, 5), int), "Masks": np.zeros((m, 2), np.int32), "Firsts": np.full(m, -1, np.int32),
           "Rows": np.zeros((picture.shape[0], 5), int)}
    np.minimum.at(out["Least"], keys, numbers)
    np.maximum.at(out["Most"], keys, numbers)
    totals = np.full(m, 3, np.int64)
    np.add.at(totals, m - 1 - keys, numbers.astype(np.int64))
    totals[0] -= numbers[::3].astype(np.int64).sum()
    out["Totals"] = wrapped(totals)
    y, x = np.indices(picture.shape)
    np.add.at(out["Grid"], ((x + y) % 7, picture), 2)
    np.add.at(out["Rows"], (y, picture), 1)
    np.bitwise_or.at(out["Masks"][:, 0], keys, places.astype(np.int32))
    out["Masks"][:, 1] = -1
    np.bitwise_xor.at(out["Masks"][:, 1], keys, places.astype(np.int32))
    out["Masks"][:, 1] += 1
    out["Total"] = wrapped(keys.astype(np.int64).sum())
    out["Twice"] = np.zeros(m, np.int64)
    np.maximum.at(out["Twice"], keys, places)
    np.add.at(out["Twice"], keys, out["Total"])
    out["Twice"] = wrapped(out["Twice"])
    for k in range(3):
        np.bitwise_and.at(out["Firsts"], (keys + k) % m, (~(1 << (places + k) % 31)).astype(np.int32))
    return out


class Test:
    def __init__(self, tools, work, rng):
        self.tools, self.work, self.rng, self.num_runs = tools, work, rng, 0

    def on_device(self, program, inputs, names, lanes, group):
        """Runs all rules on the device, but for those that only call others."""
        config = placed(program, "opencl", {"work_group": group or None, "fold_items": lanes or None})
        self.num_runs += 1
        return arrays.run(program, self.work, arrays.save(self.work, inputs), names, "--strict", "--device-copies", entry=config)[0]

    def compare(self, program, inputs, want, where):
        for lanes, group in SHAPES:
            got = self.on_device(program, inputs, list(want), lanes, group)
            for name in want:
                place = f"{name}, {where}, {lanes} work-items of an instance, groups of {group}, seed {polybricks.seed()}"
                polybricks.check(np.array_equal(got[name], want[name]), f"{place}: {got[name]} is not {want[name]}")

    def inputs(self, n, m, shape, has_equal_keys):
        keys = np.full(n, m // 2, np.int32) if has_equal_keys else self.rng.integers(0, m, n, dtype=np.int32)
        # The sums of the first half overflow.
        numbers = np.where(np.arange(n) < n // 2, 1 << 29, -(1 << 29)).astype(np.int32)
        if not has_equal_keys:
            numbers = self.rng.integers(-(1 << 31), 1 << 31, n).astype(np.int32)
        return [keys, numbers, self.rng.integers(-1000, 1000, m, dtype=np.int32), self.rng.integers(0, 5, shape, dtype=np.int32)]

    def scattered(self):
        source = self.work / "scattered.pbcc"
        source.write_text(SCATTER)
        program = self.tools.compile(source, source.with_suffix(""))
        for n in (1, 9, 4099):
            numbers = self.rng.integers(-1000, 1000, n, dtype=np.int32)
            places, keys = self.rng.permutation(3 * n)[:n].astype(np.int32), self.rng.integers(0, 5, n, dtype=np.int32)
            cells = np.full(3 * n, -7)
            cells[places] = numbers
            want = {"B": cells, "Count": np.bincount(keys, minlength=5), "Parts": cells}
            self.compare(program, [numbers, places, keys], want, f"{n} scattered numbers")

    def refused(self):
        source = self.work / "refused.pbcc"
        source.write_text(REFUSED)
        text = polybricks.run_tool([self.tools.pbc, "--explain", "--fp=strict", source]).stdout
        for reason in REASONS:
            polybricks.check(reason in text, f"no `{reason}` in {text}")

    def run(self):
        source = self.work / "device_bins.pbcc"
        source.write_text(PROGRAM)
        program = self.tools.compile(source, source.with_suffix(""))
        sizes = [(0, 1, (0, 3)), (5003, 1, (40, 100)), (5000, 113, (101, 7)), (20011, 40000, (64, 64))]
        for n, m, shape in sizes:
            for has_equal_keys in (False, True) if n > 1 else (False,):
                where = f"{n} {'equal' if has_equal_keys else 'random'} keys, {m} bins"
                inputs = self.inputs(n, m, shape, has_equal_keys)
                want = reference(*inputs)
                self.compare(program, inputs, {name: want[name] for name in NAMES}, where)
        self.scattered()
        self.refused()


def main():
    args = polybricks.arguments(__doc__).parse_args()
    test = Test(polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "device_bins"), np.random.default_rng(polybricks.seed()))
    test.run()
    print(f"{test.num_runs} runs, all shapes agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
