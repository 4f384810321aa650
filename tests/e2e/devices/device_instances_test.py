# SPDX-License-Identifier: MIT
"""Instances on a device that have coordinates which are not affine, as `A.cell(x + n*y)`, or temporaries of their own.

    device_instances_test.py --dist BUILD/dist --work FOLDER

A launch runs on a device if all of its coordinates lie inside: cells of flat matrices, quotients, regions, cells with a border. Where they may
not, the CPU runs the step, and names the one that is outside. Temporaries of constant size are numbers, rows and planes, written in loops and
read by folds. A number of a
call may be a cell that a device has made.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
from device_programs import placed  # noqa: E402

PROGRAM = """main transform Main
from int Row[m], int Flat[n*m], int Windows[n*k], int Cube[n*n*n]
to int Table[n, m], int Sums[n], int Quotients[n], int Flipped[n, n, n], int Edges[n], int Picked
tunable STEP(3, 1, 10)
{
  Table.cell(x, y) from (Flat.cell(x + n*y) a, Row.cell(y) r) { return a * r; }
  Sums.cell(i) from (Windows.region(k*i, k*i+k) window) {
    int sum = 0;
    for (int j = 0; j < k; j++) sum += window.cell(j);
    return sum;
  }
  Quotients.cell(i) from (Windows.cell(i) a, Windows.cell(i*(n-1-i)/n) b, Windows.cell(i/STEP) c) { return a - 3*b + 5*c; }
  Flipped.cell(x, y, z) from (Cube.cell(n*n*n - 1 - (x + n*y + n*n*z)) c) { return -c; }
  Edges.cell(i) from (Row.cell(i*i) near = -1, Row.cell(i*i - n) wrapped = wrap, Row.cell(i*(i+1)/2) half = -7) {
    return near + 10*wrapped + 100*half;
  }
  Picked from (Flat.cell(n*m - 1) a) { return a; }
}
"""
OUTPUTS = ["Table", "Sums", "Quotients", "Flipped", "Edges", "Picked"]
OWN = """template <K(2, 3)>
transform Own
from int A[n], int B[m]
to int Moments[n], int Medians[n], int Digits[n, 4]
{
  to (Moments.cell(i) out) from (A.cell(i) a, B b) using (int Powers[K + 2], int Last) {
    for (int p = 0; p < Powers.count(); p++) Powers.cell(p) = 0;
    for (int k = 0; k < m; k++) {
      const int difference = a - b.cell(k);
      int power = 1;
      for (int p = 0; p < K + 2; p++, power *= difference) Powers.cell(p) += power;
      Last = difference;
    }
    out = Last;
    for (int p = 0; p < Powers.size(0); p++) out = 31*out + Powers.cell(p);
  }
  Medians.cell(i) from (A.cell(i-1) left = clamp, A.cell(i) here, A.cell(i+1) right = clamp) using (int Sorted[3, 2]) {
    Sorted.cell(0, 1) = left; Sorted.cell(1, 1) = here; Sorted.cell(2, 1) = right;
    for (int end = 2; end > 0; end--)
      for (int k = 0; k < end; k++)
        if (Sorted.cell(k, Sorted.height() - 1) > Sorted.cell(k+1, 1)) {
          const int other = Sorted.cell(k, 1);
          Sorted.cell(k, 1) = Sorted.cell(k+1, 1);
          Sorted.cell(k+1, 1) = other;
        }
    return Sorted.cell(1, 1);
  }
  to (Digits.column(i) out) from (A.cell(i) a, B b) using (int Bins[2, 2, 2]) {
    for (auto& bin : Bins) bin = 0;
    for (int k = 0; k < m; k++) Bins.cell((a + b.cell(k)) & 1, b.cell(k) & 1, 1)++;
    int sum = 0;
    for (int k = 0; k < m; k++) sum += b.cell(k);
    Bins.cell(0, 0, 0) = sum;
    for (int d = 0; d < 4; d++) out.cell(d) = d == 3 ? Bins.cell(0, 0, 0) : Bins.cell(d & 1, d >> 1, 1);
  }
}
main transform Main
from int A[n], int B[m]
to int Moments[n], int Medians[n], int Digits[n, 4]
{
  to (Moments x, Medians y, Digits z) from (A a, B b) { Own<3>(x, y, z, a, b); }
}
"""
# A cell of what a device has made is the number of the next call.
NUMBER = """transform Scaled
from int Factor, int A[n]
to int C[n]
{
  C.cell(x) from (A.cell(x) a, Factor f) { return f * a; }
}
main transform Main
from int A[n]
to int C[n], int D[n]
{
  to (C c, D d) from (A a) { Scaled(c, 3, a); Scaled(d, c.slice(0, 0), a); }
}
"""
SQUARES = """main transform Squares
from int A[n]
to int B[n]
{
  B.cell(i) from (A.cell(i) a, A.cell(i*i) q) { return a + q; }
}
"""


def reference(row, flat, windows, cube):
    m, n = len(row), len(flat) // len(row)
    i = np.arange(n)
    near = np.where(i * i < m, row[np.minimum(i * i, m - 1)], -1)
    half = np.where(i * (i + 1) // 2 < m, row[np.minimum(i * (i + 1) // 2, m - 1)], -7)
    return {"Table": flat.reshape(m, n) * row[:, None], "Sums": windows.reshape(n, -1).sum(axis=1, dtype=np.int32),
            "Quotients": windows[i] - 3 * windows[i * (n - 1 - i) // n] + 5 * windows[i // 3],
            "Flipped": -cube[::-1].reshape(n, n, n), "Edges": near + 10 * row[(i * i - n) % m] + 100 * half, "Picked": flat[-1]}


def own_reference(a, b):
    wide = a.astype(np.int64)
    differences = wide[:, None] - b[None, :]
    moments = differences[:, -1].copy()
    for p in range(5):
        moments = 31 * moments + (differences ** p).sum(axis=1)
    around = np.stack([np.concatenate([a[:1], a[:-1]]), a, np.concatenate([a[1:], a[-1:]])])
    both = (a[:, None] + b[None, :]) & 1
    odd = (b & 1)[None, :]
    digits = [((both == low) & (odd == high)).sum(axis=1) for low, high in ((0, 0), (1, 0), (0, 1))]
    return {"Moments": moments.astype(np.int32), "Medians": np.sort(around, axis=0)[1], "Digits": np.stack([*digits, np.full(len(a), b.sum())])}


# Coordinates that are hard to vouch for: the CPU runs the step, or the kernel rounds as C does.
HARD = """transform Joined
from int A[n], int V[v]
to int B[w]
{
  B.cell(0) from (A.cell(0) a) { return a; }
  B.cell(i) from (A.cell(i*i) a) where i > 0 { return a; }
}
transform Tiled
from int A[n], int V[v]
through int T[w]
to int B[w]
{
  T.cell(i) from (A.cell(i*i) a) { return a + 1; }
  B.cell(i) from (T.cell(i) t) { return 2 * t; }
}
transform Widths
from int A[n], int V[v]
to int B[w]
{
  B.cell(i) from (A.region(i*i, 3*i) a) { return a.width(); }
}
transform Halves
from int A[n], int V[v]
to int B[w]
{
  B.cell(i) from (A.cell(i*v + 2 + (w - 8)/v) a) { return a; }
}
transform Outside
from int A[n], int V[v]
to int B[w]
{
  B.cell(i) from (A.cell(i/v) a = -1, A.cell((i*i - 5)/3) b = -2) { return 10*a + b; }
}
"""
HARD_CASES = (("Joined", 5, 30, 1), ("Tiled", 5, 30, 1), ("Widths", 5, 20, 1), ("Halves", 3, 9, 3), ("Outside", 6, 9, 4))
HARD_RESULTS = {"Joined": lambda a, w, i: a[i * i], "Tiled": lambda a, w, i: 2 * a[i * i] + 2, "Widths": lambda a, w, i: np.maximum(0, 3 * i - i * i),
                "Halves": lambda a, w, i: a[i * w + 2 - abs(len(i) - 8) // w],
                "Outside": lambda a, w, i: 10 * a[i // w] + np.where((i > 1) & (i * i < 3 * len(a) + 5), a[np.clip((i * i - 5) // 3, 0, len(a) - 1)], -2)}


class Test:
    def __init__(self, tools, work, rng):
        self.tools, self.work, self.rng, self.num_runs = tools, work, rng, 0

    def compile(self, name, text):
        source = self.work / f"{name}.pbcc"
        source.write_text(text)
        return self.tools.compile(source, source.with_suffix(""))

    def agree(self, program, inputs, want):
        for version, words in (("cpu", []), ("opencl", ["--device-copies"])):
            for env in ({}, {"POLYBRICKS_DEVICE_DELAYS": "3,20"}):
                got = arrays.run(program, self.work, arrays.save(self.work, inputs), list(want), "--strict", *words,
                                 entry=placed(program, version, {}), env=env)[0]
                self.num_runs += 1
                for name, cells in want.items():
                    place = f"{name} on {version}, {[len(each) for each in inputs]}, {env}, seed {polybricks.seed()}"
                    polybricks.check(np.array_equal(got[name], cells), f"{place}: {got[name]} is not {cells}")

    def inside(self):
        program = self.compile("tested", PROGRAM)
        sites = list(program.sites())
        on_device = [site for site in sites if any(version == "opencl" for _, version in site[2])]
        polybricks.check(len(sites) == len(on_device) == len(OUTPUTS), f"all outputs have a device version: {sites}")
        for n, m, k in ((1, 1, 1), (2, 3, 1), (7, 5, 4), (33, 130, 3)):
            inputs = [self.rng.integers(-999, 999, size).astype(np.int32) for size in (m, n * m, n * k, n ** 3)]
            self.agree(program, inputs, reference(*inputs))

    def temporaries(self):
        program = self.compile("own", OWN)
        places = {site[1]: {version for _, version in site[2]} for site in program.sites()}
        polybricks.check(len(places) == 3 and all("opencl" in versions for versions in places.values()), f"device versions: {places}")
        for n, m in ((1, 1), (7, 5), (130, 33)):
            inputs = [self.rng.integers(-9, 9, size).astype(np.int32) for size in (n, m)]
            self.agree(program, inputs, own_reference(*inputs))

    def numbers(self):
        program = self.compile("number", NUMBER)
        a = np.arange(5, 12, dtype=np.int32)
        self.agree(program, [a], {"C": 3 * a, "D": 3 * a[0] * a})

    def hard_to_vouch_for(self):
        """Launches of several steps, of tiles with temporaries, of regions that end before they begin, and quotients of negative numbers."""
        program = self.compile("hard", HARD)
        config = self.work / "hard.cfg"
        program.write_configuration(config, placed(program, "opencl", {}))
        for name, w, n, width in HARD_CASES:
            a = self.rng.integers(-99, 99, n).astype(np.int32)
            files = [*arrays.save(self.work, [a, np.zeros(width, np.int32)]), self.work / "B.npy"]
            program.run("--transform", name, *files, "--size", f"w={w}", "--device-copies", config=config)
            want = HARD_RESULTS[name](a, width, np.arange(w))
            got = np.load(self.work / "B.npy")
            polybricks.check(np.array_equal(got, want), f"{name}: {got} is not {want}")
        # Launches that several steps share test coordinates, too.
        for name in ("Joined", "Tiled"):
            files = [*arrays.save(self.work, [np.zeros(8, np.int32), np.zeros(1, np.int32)]), self.work / "B.npy"]
            done, _ = program.run("--transform", name, *files, "--size", "w=5", config=config, expect=None)
            polybricks.check(done.returncode != 0 and "`A.cell(i*i)` lies outside" in done.stderr, f"{name}: {done.stderr}")

    def outside(self):
        """At one cell and at two all squares are inside."""
        program = self.compile("squares", SQUARES)
        config = placed(program, "opencl", {})
        for n in (1, 2):
            a = self.rng.integers(-99, 99, n).astype(np.int32)
            got = arrays.run(program, self.work, arrays.save(self.work, [a]), ["B"], "--strict", entry=config)[0]
            polybricks.check(np.array_equal(got["B"], a + a[np.arange(n) ** 2]), f"squares of {n}")
        files = [*arrays.save(self.work, [np.zeros(5, np.int32)]), self.work / "B.npy"]
        for words, expected in (([], "`A.cell(i*i)`"), (["--strict"], "`q` may lie outside of `A`")):
            done, _ = program.run(*files, *words, config=self.work / "run.cfg", expect=None)
            polybricks.check(done.returncode != 0 and expected in done.stderr, f"no {expected} in {done.stderr}")


def main():
    args = polybricks.arguments(__doc__).parse_args()
    test = Test(polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "device_instances"), np.random.default_rng(polybricks.seed()))
    test.inside()
    test.temporaries()
    test.numbers()
    test.hard_to_vouch_for()
    test.outside()
    print(f"{test.num_runs} runs agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
