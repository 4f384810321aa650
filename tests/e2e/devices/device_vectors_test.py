# SPDX-License-Identifier: MIT
"""Neighbouring instances in vectors: outputs are those of the CPU, bit by bit, wherever rows begin and whatever the types are.

    device_vectors_test.py --dist BUILD/dist --work FOLDER

The device is a CPU that counts as a GPU, because CPUs have no such vectors.
"""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
from device_programs import on_device, shapes  # noqa: E402

ENVIRONMENT = {"POLYBRICKS_RUN_AS_GPU": "1"}
HEIGHT = 9
# Widths of matrices whose rows are aligned to four cells, to two, and to none.
ALIGNED, HALF, ODD = 32, 30, 31

# Sums of small whole numbers are exact, whatever is contracted.
PROGRAMS = {
    # Cells of rows in all distances from a vector, an input that does not move along the rows, and a border.
    "cells": ("""
transform Cells
from A[w, h], R[h]
to B[w, h]
{
  B.cell(x, y) from (A.cell(x-5, y) a, A.cell(x-1, y) b, A.cell(x, y) c, A.cell(x+2, y-1) d, A.cell(x+7, y) e, R.cell(y) r) {
    if (a > 5) return r;
    return a + 2*b - c + 3*d - e + r;
  }
  secondary B.cell(x, y) from (A.cell(x, y) a) { return a; }
}
""", lambda rng, w: [rng.integers(-9, 10, (HEIGHT, w)).astype(float), rng.integers(-9, 10, HEIGHT).astype(float)], ["B"], []),
    # Regions of several rows, which begin before an instance's place, and behind it.
    "regions": ("""
transform Regions
from A[w, h], K[3, 2]
to B[w-8, h-2]
{
  B.cell(x, y) from (A.region(x+1, y+1, x+4, y+3) near, A.region(x+6, y, x+8, y+1) far, K k) {
    ElementT s = 0;
    for (int j = 0; j < 2; j++)
      for (int i = 0; i < 3; i++) s += near.cell(i, j) * k.cell(i, j);
    return s - far.cell(0, 0) + 2 * far.cell(1, 0) + near.width();
  }
}
""", lambda rng, w: [rng.integers(-9, 10, (HEIGHT, w + 8)).astype(float), rng.integers(-9, 10, (2, 3)).astype(float)], ["B"], []),
    # A width that a run says.
    "rows": ("""
transform Rows
from A[w, h], K[k]
to B[w-k+1, h]
{
  B.cell(x, y) from (A.region(x, y, x+k, y+1) near, K kernel) {
    ElementT s = 0;
    for (int i = 0; i < k; i++) s += near.cell(i, 0) * kernel.cell(i);
    return s;
  }
}
""", lambda rng, w: [rng.integers(-9, 10, (HEIGHT, w + 4)).astype(float), rng.integers(-9, 10, 5).astype(float)], ["B"], []),
    # Several outputs of several types in one dimension, a scalar, and what only some instances read.
    "types": ("""
transform Types
from float A[n], int I[n], uchar C[n], K
to double D[n], short S[n], uchar U[n]
{
  to (D.cell(x) d, S.cell(x) s, U.cell(x) u) from (A.cell(x) a, I.cell(x) i, C.cell(x) c, K k) {
    d = a * k + i;
    s = i - c;
    u = c > 100 ? c - 100 : c;
  }
}
""", lambda rng, w: [rng.integers(-9, 10, 8 * w).astype(np.float32), rng.integers(-99, 99, 8 * w).astype(np.int32),
                     rng.integers(0, 256, 8 * w).astype(np.uint8), np.array(3.0)], ["D", "S", "U"], []),
    # Instances that may leave their cell as it was have no vectors.
    "kept": ("""
transform Keep
from A[w, h]
to B[w, h]
{
  B.cell(x, y) from (A.cell(x, y) a) { if (a > 0) return a; }
}
main transform Kept
from A[w, h], C[w, h]
to B[w, h]
{
  to (B b) from (A a, C c) { c.copyTo(b); Keep(b, a); }
}
""", lambda rng, w: list(rng.integers(-9, 10, (2, HEIGHT, w)).astype(float)), ["B"], []),
    "floats": ("""
transform Floats
from A[n], B[n]
to C[n]
{
  C.cell(x) from (A.cell(x) a, B.cell(x+1) next) { return 2*a - next; }
  secondary C.cell(x) from (A.cell(x) a) { return a; }
}
""", lambda rng, w: [rng.integers(-9, 10, 8 * w).astype(np.float32), rng.integers(-9, 10, 8 * w).astype(np.float32)], ["C"], ["--element", "float"]),
}
# Instances of a work-item: with and without room for vectors.
ITEMS = ([4, 1], [4, 2], [2, 3], [8, 1], [1, 4], [6, 1])


class Test:
    def __init__(self, tools, work):
        self.tools, self.work = tools, work
        self.rng = np.random.default_rng(polybricks.seed())

    def run(self, name):
        text, inputs_of, outputs, options = PROGRAMS[name]
        source = self.work / f"{name}.pbcc"
        source.write_text(text)
        program = self.tools.compile(source, self.work / name, *options)
        for width in (ALIGNED, HALF, ODD):
            files = arrays.save(self.work, inputs_of(self.rng, width))
            want, _ = arrays.run(program, self.work, files, outputs, "--strict", "--device=none")
            for items in ITEMS:
                # Small groups, so that many of them are whole.
                sizes = {"work_group": [4, 2], "items": items}
                tunables = shapes(program, lambda role, count, sizes=sizes: sizes[role][:count])
                got, statistics = arrays.run(program, self.work, files, outputs, "--strict", "--device-copies", "--fill-nan",
                                             entry=on_device(program, tunables=tunables), env=ENVIRONMENT)
                for output in outputs:
                    polybricks.check(np.array_equal(got[output], want[output]),
                                     f"{name} {width} {items}: {output} is\n{got[output]}\nnot\n{want[output]}")
                num = statistics["devices"][0]["launches_in_vectors"]
                # A matrix with one dimension has a row that begins at its first cell.
                is_aligned = width != ODD or "x, y" not in text
                want_num = 1 if is_aligned and items[0] % 2 == 0 and name != "kept" else 0
                polybricks.check(num == want_num, f"{name} {width} {items}: {num} launches in vectors, not {want_num}")


def main():
    args = polybricks.arguments(__doc__).parse_args()
    tools, work = polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "device_vectors")
    test = Test(tools, work)
    for name in PROGRAMS:
        test.run(name)
    print(f"{len(PROGRAMS)} programs in {len(ITEMS)} shapes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
