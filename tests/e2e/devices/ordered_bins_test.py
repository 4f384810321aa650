# SPDX-License-Identifier: MIT
"""Bins of any type on devices: updates whose order shows have the same bits in each run, and those of the source where it says them.

    ordered_bins_test.py --dist BUILD/dist --work FOLDER

Sums, products, smallest and largest of floating-point numbers, of whole numbers of 64 bits, and of small ones. There are bins for a copy
per lane, for copies that lanes share, in records of groups, and none of a group; several bins in a round, a sum beside them, loops inside,
and bins of each row and of boxes of a matrix. Sums without rounding errors have the bits of NumPy, others those of the first run. Zeros of
both signs say which of two equal numbers came first. Where the order must be that of the source, the loop stays on the CPU.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
from device_programs import of_roles  # noqa: E402

PROGRAM = """
main transform Ordered
from int Keys[n], float A[n], D[n], long L[n], float First[m], int Picture[w, h]
to float Sums[m], Wide[m], float Least[m], float Most[m], float Products[m], long Counts[m], long Masks[m], long Big[m], short Small[m],
   float Grid[5, 7], float Rows[9, h], int RowCounts[9, h], long Blocks[8, h], float Total, int Where
{
  to (Sums s, Total t, Where place) from (Keys keys, A a) {
    ElementT total = 0;
    int at = -1;
    float most = -1e30f;
    for (int i = 0; i < m; i++) s.cell(i) = 0;
    for (int i = 0; i < n; i++) {
      s.cell(keys.cell(i)) += a.cell(i);
      if (i % 5 == 0) s.cell(0) -= a.cell(i);
      total += a.cell(i);
      if (a.cell(i) > most) { most = a.cell(i); at = i; }
    }
    t = total;
    place = at;
  }
  to (Wide s) from (Keys keys, D d) {
    for (int i = 0; i < m; i++) s.cell(i) = 1;
    for (int i = 0; i < n; i++) s.cell(s.count() - 1 - keys.cell(i)) += d.cell(i);
  }
  to (Least l, Most k) from (Keys keys, A a, First first) {
    for (int i = 0; i < m; i++) { l.cell(i) = first.cell(i); k.cell(i) = first.cell(i); }
    for (int i = 0; i < n; i++) {
      const int key = keys.cell(i);
      if (a.cell(i) < l.cell(key)) l.cell(key) = a.cell(i);
      if (a.cell(i) > k.cell(key)) k.cell(key) = a.cell(i);
    }
  }
  to (Products p) from (Keys keys, A a) {
    for (int i = 0; i < m; i++) p.cell(i) = 2;
    for (int i = 0; i < n; i++) {
      if (i % 3 != 0) continue;
      p.cell(keys.cell(i)) *= a.cell(i) > 0 ? 2.0f : -0.5f;
    }
  }
  to (Counts c, Masks x) from (Keys keys, L l) {
    for (int i = 0; i < m; i++) { c.cell(i) = 5; x.cell(i) = 0; }
    for (int i = 0; i < n; i++) { c.cell(keys.cell(i)) += l.cell(i); x.cell(keys.cell(i)) ^= l.cell(i); }
  }
  to (Big b) from (Keys keys, L l) {
    for (int i = 0; i < m; i++) b.cell(i) = 0;
    for (int i = 0; i < n; i++) b.cell(keys.cell(i)) = max(b.cell(keys.cell(i)), l.cell(i));
  }
  // An inner loop updates bins repeatedly.
  to (Small s) from (Keys keys) {
    for (int i = 0; i < m; i++) s.cell(i) = 0;
    for (int i = 0; i < n; i++) for (int k = 0; k < keys.cell(i) % 4; k++) s.cell((keys.cell(i) + k) % m) += i;
  }
  to (Grid g) from (Picture p) {
    for (int y = 0; y < 7; y++) for (int x = 0; x < 5; x++) g.cell(x, y) = 1;
    for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) g.cell(p.cell(x, y) % 5, (x + y) % 7) += 0.5f;
  }
  to (Rows.row(y) r) from (Picture.row(y) p) {
    for (int x = 0; x < 9; x++) r.cell(x) = 0;
    for (int x = 0; x < w; x++) r.cell(p.cell(x)) += 0.25f * x;
  }
  to (RowCounts.row(y) r) from (Picture.row(y) p) {
    for (int x = 0; x < 9; x++) r.cell(x) = 0;
    for (int x = 0; x < w; x++) r.cell(p.cell(x))++;
  }
  // Boxes whose places move with the instances.
  to (Blocks.region(0, y, 8, y + 1) b) from (Picture.row(y) p) {
    for (int x = 0; x < 8; x++) b.cell(x, 0) = -1;
    for (int x = 0; x < w; x++) b.cell(p.cell(x) % 8, 0) = max(b.cell(p.cell(x) % 8, 0), (long)x);
  }
}
"""
EXACT = ["Least", "Most", "Products", "Counts", "Masks", "Big", "Small", "Grid", "Rows", "RowCounts", "Blocks", "Where"]
NAMES = ["Sums", "Wide", "Least", "Most", "Products", "Counts", "Masks", "Big", "Small", "Grid", "Rows", "RowCounts", "Blocks", "Total", "Where"]

# Few bins for many rounds, in memory that no group has room for.
LARGE = """
main transform Large
from int Keys[n], D[n], First[m]
to Sums[m]
{
  to (Sums s) from (Keys keys, D d, First first) {
    for (int i = 0; i < m; i++) s.cell(i) = first.cell(i);
    for (int i = 0; i < n; i++) s.cell(keys.cell(i)) += d.cell(i);
  }
}
"""

# Work-items of an instance, and of a group; with 0 the runtime chooses.
SHAPES = [(0, 0), (16, 256), (1024, 64)] + ([(64, 64), (2, 2), (4096, 256), (512, 1024)] if polybricks.is_nightly() else [])


def added(start, keys, values, op=np.add):
    out = start.copy()
    op.at(out, keys, values)
    return out


def first_of_equal(first, keys, values, is_better):
    out = first.copy()
    for key, value in zip(keys, values):
        if is_better(value, out[key]):
            out[key] = value
    return out


def reference(keys, a, d, longs, first, picture):
    """What NumPy says. Sums are wide."""
    m, n = first.size, keys.size
    wide, y, x = a.astype(float), *np.indices(picture.shape)
    sums = added(np.zeros(m), keys, wide)
    sums[0] -= wide[::5].sum()
    times = [np.flatnonzero(keys % 4 > k) for k in range(3)]
    small = np.zeros(m, np.int64)
    for k, rounds in enumerate(times):
        np.add.at(small, (keys[rounds] + k) % m, rounds)
    height = picture.shape[0]
    return {"Sums": sums, "Wide": added(np.ones(m), m - 1 - keys, d), "Least": first_of_equal(first, keys, a, np.less),
            "Most": first_of_equal(first, keys, a, np.greater),
            "Products": added(np.full(m, 2, np.float32), keys[::3], np.where(a[::3] > 0, 2, -0.5).astype(np.float32), np.multiply),
            "Counts": added(np.full(m, 5, np.int64), keys, longs), "Masks": added(np.zeros(m, np.int64), keys, longs, np.bitwise_xor),
            "Big": added(np.zeros(m, np.int64), keys, longs, np.maximum), "Small": small.astype(np.int16),
            "Grid": added(np.ones((7, 5)), ((x + y) % 7, picture % 5), 0.5).astype(np.float32),
            "Rows": added(np.zeros((height, 9)), (y, picture), 0.25 * x).astype(np.float32),
            "RowCounts": added(np.zeros((height, 9), np.int32), (y, picture), 1),
            "Blocks": added(np.full((height, 8), -1, np.int64), (y, picture % 8), x, np.maximum),
            "Total": np.float32(wide.sum()), "Where": np.int32(a.argmax() if n > 0 else -1)}


def random_shape(rng):
    return int(2**rng.integers(1, 13)), int(2**rng.integers(0, 11))


class Test:
    def __init__(self, tools, work, rng):
        self.tools, self.work, self.rng, self.num_runs = tools, work, rng, 0

    def compile(self, name, text, *options):
        source = self.work / f"{name}.pbcc"
        source.write_text(text)
        return self.tools.compile(source, source.with_suffix(""), *options)

    def outputs(self, program, inputs, names, lanes, group, threads=2, env=None):
        """Runs all rules on the device."""
        choices = {}
        for transform, site, alternatives in program.sites():
            choices.setdefault(transform, {})[site] = next(a for a in alternatives if a[1] == "opencl")
        tunables = of_roles(program, {"work_group": group or None, "fold_items": lanes or None})
        config = program.configuration(choices, tunables, sequential_cutoff=0, threads=threads)
        self.num_runs += 1
        return arrays.run(program, self.work, arrays.save(self.work, inputs), names, "--strict", "--device-copies", entry=config, env=env)[0]

    def compare(self, program, inputs, want, exact, shape, where, runs=((1, None), (2, None), (5, None))):
        """All runs have the same bits, and those of NumPy where these are exact."""
        first = None
        for threads, env in runs:
            got = self.outputs(program, inputs, list(want), *shape, threads, env)
            first = first or got
            for name in want:
                place = f"{name}, {where}, {shape[0]} work-items of an instance, groups of {shape[1]}, {env or ''} seed {polybricks.seed()}"
                polybricks.check(got[name].tobytes() == first[name].tobytes(), f"{place}: other bits than in the first run")
                value = np.asarray(want[name])
                if name in exact:
                    polybricks.check(got[name].tobytes() == value.astype(got[name].dtype).tobytes(), f"{place}: {got[name]} is not {value}")
                else:
                    limit = np.finfo(got[name].dtype).eps * 8 * inputs[0].size
                    polybricks.check(np.allclose(got[name], value, limit, limit), f"{place}: {got[name]} is not {value}")

    def inputs(self, n, m, shape, has_equal_keys, is_exact):
        keys = np.full(n, m // 2, np.int32) if has_equal_keys else self.rng.integers(0, m, n, dtype=np.int32)
        a, d = self.rng.uniform(-1, 1, n), self.rng.uniform(-1, 1, n)
        if is_exact:
            a, d = np.round(16 * a) / 16, np.round(16 * d) / 16
        a = a.astype(np.float32)
        a[::7], a[1::7] = 0.0, -0.0
        first = np.where(np.arange(m) % 3 == 0, np.inf, -0.0).astype(np.float32)
        longs = self.rng.integers(-(1 << 62), 1 << 62, n)
        return [keys, a, d, longs, first, self.rng.integers(0, 9, shape, dtype=np.int32)]

    def in_records(self):
        """Bins that lie in the records of groups, and those of the output that one group updates."""
        program = self.compile("large", LARGE)
        for m, n in ((700001, 2000003), (700001, 5003)) if polybricks.is_nightly() else ((700001, 1500003),):
            keys, first = self.rng.integers(0, m, n, dtype=np.int32), self.rng.uniform(-1, 1, m)
            keys[::5] = m - 1
            d = np.round(self.rng.uniform(-1, 1, n) * 1024) / 1024
            first = np.round(first * 1024) / 1024
            want = {"Sums": added(first, keys, d)}
            self.compare(program, [keys, d, first], want, ["Sums"], (1024, 64), f"{n} keys for {m} bins", ((2, None), (2, {"POCL_DEVICES": "basic"})))

    def in_order_of_the_source(self):
        source = self.work / "ordered.pbcc"
        text = polybricks.run_tool([self.tools.pbc, "--explain", "--fp=strict", source]).stdout
        for region in ("Sums", "Wide", "Products"):
            polybricks.check("another order would round the cells of" in text, f"no reason for {region} in {text}")

    def run(self):
        program = self.compile("ordered", PROGRAM)
        sizes = [(0, 1, (0, 3)), (5003, 1, (11, 301)), (5000, 113, (101, 7)), (20011, 3001, (33, 640))]
        for n, m, shape in sizes:
            for has_equal_keys, is_exact in ((False, True), (True, False)) if n > 1 else ((False, True),):
                inputs = self.inputs(n, m, shape, has_equal_keys, is_exact)
                want = reference(*inputs)
                exact = EXACT + (["Sums", "Wide", "Total"] if is_exact else [])
                some = SHAPES if polybricks.is_nightly() or n == sizes[-1][0] else [SHAPES[int(self.rng.integers(0, len(SHAPES)))]]
                for lanes_and_group in [*some, random_shape(self.rng)]:
                    where = f"{n} {'equal' if has_equal_keys else 'random'} keys, {m} bins"
                    self.compare(program, inputs, want, exact, lanes_and_group, where)
        gpu, two = {"POLYBRICKS_RUN_AS_GPU": "1"}, {"POCL_DEVICES": "basic basic"}
        self.compare(program, inputs, want, exact, (0, 0), "as on a GPU", ((1, gpu), (2, gpu)))
        self.compare(program, inputs, want, exact, (1024, 64), "two devices", ((1, two), (3, two)))
        self.in_records()
        self.in_order_of_the_source()


def main():
    args = polybricks.arguments(__doc__).parse_args()
    test = Test(polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "ordered_bins"), np.random.default_rng(polybricks.seed()))
    test.run()
    print(f"{test.num_runs} runs, all agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
