# SPDX-License-Identifier: MIT
"""`distinct` rules whose instances share an output store the same cells on one thread, on several, and on devices.

    distinct_rounds_test.py --dist BUILD/dist --work FOLDER

Rules scatter and gather cells of rows and of matrices, forwards and backwards, to one output and to several, with cells of their own beside
them, in loops of their own, at some rounds only, and with bins beside the stores. Instances exist where all of their cells do. A checked
program names the cell that two instances store to, and both. Rules that have no such form say why.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
from device_programs import placed  # noqa: E402

FILL = """
transform Fill
to int B[m]
{
  B.cell(i) from () { return -7; }
}
"""
RULES = FILL + """transform FillGrid
to int B[w, h]
{
  B.cell(x, y) from () { return -7; }
}
transform Scatter
from int Place[n], int A[n]
to int B[m]
{
  distinct to (B b) from (Place.cell(i) place, A.cell(i) a) { b.cell(place) = a; }
}
// Instances exist where all cells do: the first one has no cell before it, and those behind `k` have no weight.
transform Differences
from int Place[n], int A[n], int Weights[k]
to int B[m], int Own[n], int Seen[5]
{
  distinct to (B b, Own.cell(i) own, Seen seen) from (Place.cell(i) place, A.cell(i) right, A.cell(i - 1) left, Weights.cell(n - 1 - i) weight) {
    const int difference = right - left;
    own = difference * weight;
    if (difference > 0) b.cell(place) = own + 1;
    seen.cell(i % 5) += 1;
  }
}
// Each instance stores several cells.
transform Copies
from int Place[n], int A[n], int Times
to int B[m]
{
  distinct to (B b) from (Place.cell(i) place, A.cell(i) a, Times times) {
    for (int k = 0; k < times; k++) b.cell(times * place + k) = a + k;
  }
}
transform Transpose
from int A[w, h], int Columns[w], int Rows[h]
to int B[h, w]
{
  distinct to (B b) from (A.cell(x, y) a, Columns.cell(x) column, Rows.cell(y) row) { b.cell(row, column) = 3 * a; }
}
"""
PROGRAM = RULES + """
main transform All
from int Place[n], int A[n], int Weights[k], int Picture[w, h], int Columns[w], int Rows[h]
to int Scattered[2 * n + 1], int Rising[2 * n + 1], int Own[n], int Seen[5], int Copied[6 * n + 3], int Turned[h, w]
{
  to (Scattered s) from (Place place, A a) { Fill(s); Scatter(s, place, a); }
  to (Rising r, Own own, Seen seen) from (Place place, A a, Weights weights) {
    Fill(r); Fill(own); Fill(seen);
    Differences(r, own, seen, place, a, weights);
  }
  to (Copied c) from (Place place, A a) { Fill(c); Copies(c, place, a, 3); }
  to (Turned t) from (Picture p, Columns columns, Rows rows) { FillGrid(t); Transpose(t, p, columns, rows); }
}
"""
# Three variables, a template, a `duplicate`, and names that the loops would take.
CUBE = RULES + """
template <K(1, 2)>
transform Cube
from int Place[w, h, d], int A[w, h, d], int Columns[w]
to int B[m]
{
  primary duplicate(U, 3, 3) rule Cells distinct
  to (B b) from (Place.cell(x, y, z) place, A.cell(x, y, z) a, Columns.cell(w - 1 - x) column) {
    int all_a = K * a;
    { const int place_ = place; b.cell(place_) = all_a + column * U + x - 10 * y + 100 * z; }
  }
}
main transform Run
from int Place[w, h, d], int A[w, h, d], int Columns[w]
to int B[2 * w * h * d + 1]
{
  to (B b) from (Place place, A a, Columns columns) { Fill(b); Cube<2>(b, place, a, columns); }
}
"""
NAMES = ["Scattered", "Rising", "Own", "Seen", "Copied", "Turned"]
# Work-items of an instance, and of a group; with 0 the runtime chooses.
SHAPES = [(0, 0), (16, 256), (1024, 64)] + ([(1, 64), (64, 64), (2, 2), (4096, 256), (512, 1024)] if polybricks.is_nightly() else [])
# Threads, and rounds of a chunk.
PARTS = [(1, 7), (2, 1000), (5, 1), (5, 64), (2, 0)]


# Bodies whose names are those of coordinates, and a size that is called like a function.
HIDDEN = FILL + """transform Hide
from int Place[min], int A[min]
to int B[m], int Own[min]
{
  distinct to (B b, Own.cell(min-1-i) own) from (Place.cell(i) place, A.cell(i) a) {
    b.cell(place) = a;
    own = 0;
    for (int i = 0, min = 5; i < 3; i++) own += a + min;
  }
}
main transform Hidden
from int Place[k], int A[k]
to int B[2*k+1], int Own[k]
{
  to (B b, Own own) from (Place place, A a) { Fill(b); Fill(own); Hide(b, own, place, a); }
}
"""


# Regions that are called like a size, coordinates that are no whole numbers, and extents that are no sums of sizes.
CALLED = FILL + """transform Mirror
from int Place[n], int A[n]
to int B[m]
{
  distinct to (B b) from (Place.cell(i) n, A.cell(n-1-i) a) { b.cell(n) = a; }
}
// Whole regions that are called like sizes: coordinates and limits mean the sizes.
transform Whole
from int Place[n], int A[n], int Few[k]
to int B[m], int Sum
{
  distinct to (B b, Sum n) from (Place.cell(i) place, A.cell(n-1-i) a, Few.cell(0) k) {
    b.cell(place) = a + k;
    if (place >= 0) for (int j = 0; j < 2; j++) if (j > 0) { n += a; } else continue;
  }
}
transform Columns
from float Where[n], int A[n]
to int B[4 * n]
{
  distinct to (B b) from (Where.cell(i) x, A.cell(i) a) { b.cell(4 * i + x) = a; }
}
transform Half
from int Place[n], int A[0.5*n]
to int B[m]
{
  distinct to (B b) from (Place.cell(i) p, A.cell(i) a) { for (int k = 0; k < 2; k++) if (k > 0) b.cell(p) = a; else continue; }
}
main transform Called
from int Place[n], int A[n], float Where[n], int Few[0.5*n]
to int Mirrored[2*n+1], int Spread[4*n], int Halved[2*n+1], int Added[2*n+1], int Sum
{
  to (Mirrored b) from (Place place, A a) { Fill(b); Mirror(b, place, a); }
  to (Added b, Sum s) from (Place place, A a) { Fill(b); s = 5; Whole(b, s, place, a, a); }
  to (Spread b) from (Where w, A a) { Fill(b); Columns(b, w, a); }
  to (Halved b) from (Place place, Few few) { Fill(b); Half(b, place, few); }
}
"""


def reference(place, a, weights, picture, columns, rows):
    """What the rules say, in plain loops."""
    n = a.size
    out = {"Scattered": np.full(2 * n + 1, -7), "Rising": np.full(2 * n + 1, -7), "Own": np.full(n, -7), "Seen": np.full(5, -7),
           "Copied": np.full(6 * n + 3, -7), "Turned": np.full((picture.shape[1], picture.shape[0]), -7)}
    for i in range(n):
        out["Scattered"][place[i]] = a[i]
        for k in range(3):
            out["Copied"][3 * place[i] + k] = a[i] + k
        if i < 1 or n - 1 - i >= weights.size:
            continue
        difference = int(a[i]) - int(a[i - 1])
        out["Own"][i] = difference * weights[n - 1 - i]
        if difference > 0:
            out["Rising"][place[i]] = out["Own"][i] + 1
        out["Seen"][i % 5] += 1
    for y in range(picture.shape[0]):
        for x in range(picture.shape[1]):
            out["Turned"][columns[x], rows[y]] = 3 * picture[y, x]
    return out


def random_shape(rng):
    return int(2**rng.integers(1, 13)), int(2**rng.integers(0, 11))


class Test:
    def __init__(self, tools, work, rng):
        self.tools, self.work, self.rng, self.num_runs = tools, work, rng, 0

    def compile(self, name, text, *options):
        source = self.work / f"{name}.pbcc"
        source.write_text(text)
        return self.tools.compile(source, source.with_suffix(""), *options)

    def compare(self, program, inputs, want, where, on_device, tunables, threads=2, words=(), env=None):
        config = placed(program, "opencl" if on_device else "cpu", tunables, threads)
        self.num_runs += 1
        got = arrays.run(program, self.work, arrays.save(self.work, inputs), list(want), "--strict", *words, entry=config, env=env)[0]
        for name in want:
            place = f"{name}, {where}, {tunables}, {threads} threads, {env or ''} seed {polybricks.seed()}"
            polybricks.check(np.array_equal(got[name], want[name]), f"{place}: {got[name]} is not {want[name]}")

    def inputs(self, n, k, shape):
        place = self.rng.permutation(2 * n + 1)[:n]
        h, w = shape
        parts = [place, self.rng.integers(-999, 999, n), self.rng.integers(-9, 9, k), self.rng.integers(-999, 999, shape),
                 self.rng.permutation(w), self.rng.permutation(h)]
        return [part.astype(np.int32) for part in parts]

    def all_have_devices(self, source):
        text = polybricks.run_tool([self.tools.pbc, "--explain", source]).stdout
        loops = [line for line in text.splitlines() if " scatter over " in line and "tasks may divide it" in line and "work-items may divide it" in line]
        polybricks.check(len(loops) == 4, f"tasks and work-items divide all four rules: {text}")

    def cube(self):
        program = self.compile("cube", CUBE)
        for d, h, w in ((1, 1, 1), (3, 5, 7), (2, 33, 17)):
            place = self.rng.permutation(2 * w * h * d + 1)[:w * h * d].reshape(d, h, w).astype(np.int32)
            a, columns = self.rng.integers(-999, 999, (d, h, w)).astype(np.int32), self.rng.integers(-9, 9, w).astype(np.int32)
            z, y, x = np.indices((d, h, w))
            want = np.full(2 * w * h * d + 1, -7)
            want[place] = 2 * a + 3 * columns[::-1] + x - 10 * y + 100 * z
            for threads, chunk in PARTS:
                self.compare(program, [place, a, columns], {"B": want}, "a cube", False, {"fold_chunk": chunk}, threads)
            for lanes, group in SHAPES:
                tunables = {key: value for key, value in (("work_group", group), ("fold_items", lanes)) if value > 0}
                self.compare(program, [place, a, columns], {"B": want}, "a cube", True, tunables, words=["--device-copies"])

    def hidden(self):
        program = self.compile("hidden", HIDDEN)
        for n in (1, 2, 1003):
            place, a = self.rng.permutation(2 * n + 1)[:n].astype(np.int32), self.rng.integers(-99, 99, n).astype(np.int32)
            b = np.full(2 * n + 1, -7)
            b[place] = a
            for on_device in (False, True):
                self.compare(program, [place, a], {"B": b, "Own": 3 * (a[::-1] + 5)}, "hidden names", on_device, {}, words=["--device-copies"])

    def called(self):
        program = self.compile("called", CALLED)
        for n in (1, 2, 5, 1003):
            place, a = self.rng.permutation(2 * n + 1)[:n].astype(np.int32), self.rng.integers(-99, 99, n).astype(np.int32)
            where, few = self.rng.choice([0, 0.25, 1.5, 2, 3.75], n).astype(np.float32), self.rng.integers(-99, 99, n // 2).astype(np.int32)
            want = {"Mirrored": np.full(2 * n + 1, -7), "Spread": np.full(4 * n, -7), "Halved": np.full(2 * n + 1, -7)}
            want["Mirrored"][place] = a[::-1]
            want["Added"], want["Sum"] = np.full(2 * n + 1, -7), 5 + a.sum()
            want["Added"][place] = a[::-1] + a[0]
            want["Spread"][(4 * np.arange(n) + where).astype(int)] = a
            want["Halved"][place[:n // 2]] = few
            for on_device in (False, True):
                self.compare(program, [place, a, where, few], want, "names and extents", on_device, {}, words=["--device-copies"])

    def checked(self):
        program = self.compile("checked", PROGRAM, "--checked")
        inputs = self.inputs(40, 40, (3, 4))
        want = reference(*inputs)
        self.compare(program, inputs, want, "checked", False, {}, words=["--device", "none"])
        line = next(i for i, text in enumerate(PROGRAM.splitlines(), 1) if "b.cell(place) = a;" in text)
        inputs[0][33] = inputs[0][12]
        # On one thread, since several may meet the faults of two outputs in any order.
        files = [*(self.work / f"{name}.npy" for name in NAMES), "--device", "none", "--threads", "1"]
        done, _ = program.run(*arrays.save(self.work, inputs), *files, expect=None)
        words = [f"checked.pbcc:{line}", f"stores twice to the cell ({inputs[0][12]}) of `b`: in the round with i = 12 and in that with i = 33"]
        for each in words:
            polybricks.check(done.returncode != 0 and each in done.stderr, f"no `{each}` in {done.stderr}")
        # Two instances with two variables.
        inputs = self.inputs(5, 5, (3, 4))
        inputs[5][2] = inputs[5][0]
        done, _ = program.run(*arrays.save(self.work, inputs), *files, expect=None)
        words = f"cell ({inputs[5][0]}, {inputs[4][0]}) of `b`: in the round with y = 0, x = 0 and in that with y = 2, x = 0"
        polybricks.check(done.returncode != 0 and words in done.stderr, f"no `{words}` in {done.stderr}")

    def run(self):
        program = self.compile("distinct", PROGRAM)
        self.all_have_devices(self.work / "distinct.pbcc")
        for n, k, shape in ((0, 0, (0, 3)), (1, 1, (1, 1)), (2, 1, (7, 1)), (127, 130, (31, 9)), (5003, 4000, (129, 65))):
            inputs = self.inputs(n, k, shape)
            want = reference(*inputs)
            for threads, chunk in PARTS:
                self.compare(program, inputs, want, f"{n} rounds", False, {"fold_chunk": chunk}, threads)
            for lanes, group in [*SHAPES, random_shape(self.rng)]:
                tunables = {key: value for key, value in (("work_group", group), ("fold_items", lanes)) if value > 0}
                self.compare(program, inputs, want, f"{n} rounds", True, tunables, words=["--device-copies"])
        for env in ({"POLYBRICKS_RUN_AS_GPU": "1"}, {"POCL_DEVICES": "basic"}, {"POCL_DEVICES": "basic basic"}):
            self.compare(program, inputs, want, "other devices", True, {}, env=env)
            self.compare(program, inputs, want, "other devices", True, {"fold_items": 1024, "work_group": 64}, threads=3, env=env)
        self.cube()
        self.hidden()
        self.called()
        self.checked()


def main():
    args = polybricks.arguments(__doc__).parse_args()
    test = Test(polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "distinct_rounds"), np.random.default_rng(polybricks.seed()))
    test.run()
    print(f"{test.num_runs} runs, all agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
