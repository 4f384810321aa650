# SPDX-License-Identifier: MIT
"""Loops with running places, as a filter has, store what the source says: with any number of threads, and in all shapes of launches.

    running_places_test.py --dist BUILD/dist --work FOLDER

A rule keeps the numbers above a limit and fills what is behind them. Another one has two places, two outputs at one of them, and folds
beside them. A third one runs backwards, stores two cells a round, and leaves rounds out; its cells are no neighbours. All, some or none of
the numbers are kept, and the row has no number, one, and odd numbers of them. A filter in place reads what it has stored. Loops that
devices do not divide say why.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
from device_programs import placed  # noqa: E402

PROGRAM = """
main transform Places
from int A[n], int Limit
to int Kept[n], int Number, long Keys[n + 2], int Places[n + 2], int Rest[n], int Sum, int Most, int Pairs[2, 2 * n + 3]
{
  to (Kept kept, Number number) from (A a, Limit limit) {
    int at = 0;
    for (int i = 0; i < n; i++) if (a.cell(i) > limit) kept.cell(at++) = a.cell(i);
    number = at;
    for (int i = at; i < n; i++) kept.cell(i) = 0;
  }
  to (Keys keys, Places places, Rest rest, Sum sum, Most most) from (A a, Limit limit) {
    long at = 2;
    int others = 0, total = 5, largest = -5000;
    keys.cell(0) = -1;
    keys.cell(1) = -2;
    for (int i = 0; i < n; i++) {
      const int x = a.cell(i);
      total += x;
      if (x > largest) largest = x;
      if (x > limit) {
        keys.cell(at) = x;
        places.cell(at++) = i;
      } else {
        rest.cell(others++) = x;
      }
    }
    sum = total;
    most = largest;
    for (int i = 0; i < 2; i++) places.cell(i) = i;
    for (int i = int(at); i < n + 2; i++) keys.cell(i) = 7;
    for (int i = int(at); i < n + 2; i++) places.cell(i) = others;
    for (int i = others; i < n; i++) rest.cell(i) = -9;
  }
  to (Pairs.column(0) p) from (A a) {
    int at = 3;
    for (int i = 0; i < 3; i++) p.cell(i) = i;
    for (int i = n - 1; i >= 0; i--) {
      if ((a.cell(i) & 3) == 0) continue;
      p.cell(at) = a.cell(i);
      p.cell(at + 1) = i;
      at += 2;
    }
    for (int i = at; i < 2 * n + 3; i++) p.cell(i) = -1;
  }
  to (Pairs.column(1) p) from (A a) { for (int i = 0; i < 2 * n + 3; i++) p.cell(i) = i; }
}
"""
NAMES = ["Kept", "Number", "Keys", "Places", "Rest", "Sum", "Most", "Pairs"]

# Called in place, a round reads what earlier ones have stored.
IN_PLACE = """
transform Positive
from int A[n]
to int Kept[n]
{
  to (Kept kept) from (A a) {
    int at = 0;
    for (int i = 0; i < n; i++) if (a.cell(i) + a.cell(i / 2) > 0) kept.cell(at++) = a.cell(i);
  }
}
main transform InPlace
from int A[n]
to int B[n]
{
  to (B b) from (A a) {
    a.copyTo(b);
    Positive(b, b);
  }
}
"""

REFUSED = """
main transform Refused
from int A[n], int Times[n], B[n, m]
to int Repeated[k], Rows[n, m], int Ahead[n + 1], Near[n], int Doubled[n]
{
  to (Repeated r) from (A a, Times times) {
    int at = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < times.cell(i); j++) r.cell(at++) = a.cell(i);
    for (int i = at; i < k; i++) r.cell(i) = -1;
  }
  to (Rows.row(y) row) from (B.row(y) b) {
    int at = 0;
    for (int i = 0; i < n; i++) if (b.cell(i) > 0) row.cell(at++) = b.cell(i);
    for (int i = at; i < n; i++) row.cell(i) = 0;
  }
  distinct to (Ahead ahead) from (A a) {
    int at = 0;
    for (int i = 0; i < n; i++) { ahead.cell(n - at) = a.cell(i); at += 1; }
    ahead.cell(0) = 3;
  }
  to (Near near) from (B.row(0) b) {
    int at = 0;
    for (int i = 0; i < n; i++) {
      const ElementT square = b.cell(i) * b.cell(i);
      if (square + b.cell(i) > 2) near.cell(at++) = square;
    }
    for (int i = at; i < n; i++) near.cell(i) = -1;
  }
  to (Doubled doubled) from (A a) {
    int at = 0;
    for (int i = 0; i < n; i++) {
      int x = a.cell(i);
      if ((x *= 2) > 3) doubled.cell(at++) = x;
    }
    for (int i = at; i < n; i++) doubled.cell(i) = -1;
  }
}
"""
REASONS = ["a loop inside stores at `at`", "each instance has a `at` of its own"]

# Work-items of an instance, and of a group; with 0 the runtime chooses.
SHAPES = [(0, 0), (16, 256), (1024, 64)] + ([(1, 64), (64, 64), (2, 2), (4096, 256), (512, 1024)] if polybricks.is_nightly() else [])
# Threads, and rounds of a chunk.
PARTS = [(1, 7), (2, 1000), (5, 1), (5, 64), (2, 0)]


def filled(length, cells, fill):
    out = np.full(length, fill, np.int64)
    out[:len(cells)] = cells
    return out


def reference(a, limit):
    n, wide = a.size, a.astype(np.int64)
    above = wide > limit
    kept, places = wide[above], np.flatnonzero(above)
    pairs = [0, 1, 2]
    for i in range(n - 1, -1, -1):
        if a[i] & 3:
            pairs += [int(a[i]), i]
    return {"Kept": filled(n, kept, 0), "Number": kept.size, "Keys": filled(n + 2, [-1, -2, *kept], 7),
            "Places": filled(n + 2, [0, 1, *places], n - kept.size), "Rest": filled(n, wide[~above], -9), "Sum": 5 + wide.sum(),
            "Most": wide.max(initial=-5000), "Pairs": np.stack([filled(2 * n + 3, pairs, -1), np.arange(2 * n + 3)], axis=1)}


class Test:
    def __init__(self, tools, work, rng):
        self.tools, self.work, self.rng, self.num_runs = tools, work, rng, 0

    def compile(self, name, text):
        source = self.work / f"{name}.pbcc"
        source.write_text(text)
        return self.tools.compile(source, source.with_suffix(""))

    def compare(self, program, inputs, want, where, on_device, tunables, threads=2, words=(), env=None):
        config = placed(program, "opencl" if on_device else "cpu", tunables, threads)
        self.num_runs += 1
        paths = arrays.save(self.work, inputs)
        got = arrays.run(program, self.work, paths, list(want), "--strict", *words, entry=config, env=env)[0]
        for name in want:
            place = f"{name}, {where}, {tunables}, {threads} threads, {env or ''} seed {polybricks.seed()}"
            polybricks.check(np.array_equal(got[name], want[name]), f"{place}: {got[name]} is not {want[name]}")

    def shapes(self, program, inputs, want, where):
        for threads, chunk in PARTS:
            self.compare(program, inputs, want, where, False, {"fold_chunk": chunk}, threads)
        for lanes, group in SHAPES:
            tunables = {key: value for key, value in (("work_group", group), ("fold_items", lanes)) if value > 0}
            self.compare(program, inputs, want, where, True, tunables, words=["--device-copies"])

    def refused(self):
        source = self.work / "refused.pbcc"
        source.write_text(REFUSED)
        text = polybricks.run_tool([self.tools.pbc, "--explain", source]).stdout
        for reason in REASONS:
            polybricks.check(reason in text, f"no `{reason}` in {text}")
        program = self.compile("refused", REFUSED)
        a, times, b = (self.rng.integers(-9, 9, 501), self.rng.integers(0, 4, 501), self.rng.integers(-9, 9, (7, 501)))
        rows = np.stack([filled(501, row[row > 0], 0) for row in b])
        want = {"Repeated": filled(2000, np.repeat(a, times), -1), "Rows": rows, "Ahead": np.array([3, *a[::-1]]),
                "Near": filled(501, (b[0]**2)[b[0]**2 + b[0] > 2], -1), "Doubled": filled(501, 2 * a[2 * a > 3], -1)}
        inputs = [a.astype(np.int32), times.astype(np.int32), b.astype(np.float64)]
        for threads, chunk in PARTS:
            self.compare(program, inputs, want, "refused", False, {"fold_chunk": chunk}, threads, words=["--size", "k=2000"])

    def in_place(self):
        program = self.compile("in_place", IN_PLACE)
        a = self.rng.integers(-9, 9, 3001).astype(np.int32)
        want, at = a.copy(), 0
        for i in range(a.size):
            if want[i] + want[i // 2] > 0:
                want[at] = want[i]
                at += 1
        for threads, chunk in PARTS:
            self.compare(program, [a], {"B": want}, "in place", False, {"fold_chunk": chunk}, threads)

    def run(self):
        program = self.compile("places", PROGRAM)
        for n in (0, 1, 2, 127, 2048, 5003, 70001) if polybricks.is_nightly() else (0, 1, 127, 5003, 40001):
            for limit in (-2000, 2000, 13) if n > 1 else (13,):
                a = self.rng.integers(-1000, 1000, n, dtype=np.int32)
                want = reference(a, limit)
                self.shapes(program, [a, np.int32(limit)], {name: want[name] for name in NAMES}, f"{n} numbers above {limit}")
        env = {"POLYBRICKS_RUN_AS_GPU": "1"}
        self.compare(program, [a, np.int32(limit)], want, "as on a GPU", True, {}, env=env)
        self.compare(program, [a, np.int32(limit)], want, "a basic device", True, {"fold_items": 1024, "work_group": 64},
                     env={"POCL_DEVICES": "basic"})
        self.in_place()
        self.refused()


def main():
    args = polybricks.arguments(__doc__).parse_args()
    test = Test(polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "running_places"), np.random.default_rng(polybricks.seed()))
    test.run()
    print(f"{test.num_runs} runs, all agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
