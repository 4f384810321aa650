# SPDX-License-Identifier: MIT
"""Bodies that call transforms and copy matrices: what the device has stays there, and the bytes that move are those that have to.

    device_copies_test.py --dist BUILD/dist --work FOLDER
"""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import arrays  # noqa: E402
import polybricks  # noqa: E402
from device_programs import on_device  # noqa: E402

N = 24
MATRIX_BYTES = 8 * N * N

TWICE = """
transform Twice
from A[w, h]
to B[w, h]
{
  B.cell(x, y) from (A.cell(x, y) a) { return 2 * a + 1; }
}
"""

# Two matrices take turns. The host copies before the first call and, after an odd number of them, behind the last one.
TURNS = TWICE + """
main transform Turns
param steps
from A[w, h]
to B[w, h]
{
  to (B b) from (A a) using (T[w, h]) {
    a.copyTo(b);
    for (int k = 0; k < steps; k += 2) {
      Twice(T, b);
      if (k + 1 < steps) Twice(b, T);
      else T.copyTo(b);
    }
  }
}
"""

# Copies of what is on the device only, of what the host has just written, of a part, and beside spawned calls.
MIXED = TWICE + """
main transform Mixed
from A[w, h]
to B[w, h], C[w, h], D[h]
{
  to (B b, C c, D d) from (A a) using (T[w, h], U[w, h], V[w, h]) {
    spawn Twice(T, a);
    a.copyTo(U);
    sync;
    T.copyTo(b);
    spawn Twice(c, b);
    spawn Twice(V, U);
    sync;
    V.cell(0, 0) += 1;
    auto store = [&] { V.copyTo(U); };
    store();
    Twice(V, U);
    V.copyTo(T);
    T.row(0).copyTo(b.row(h - 1));
    for (int y = 0; y < h; y++) d.cell(y) = V.cell(0, y);
  }
}
"""

# A copy of what only the device has, of elements of a type, with so many dimensions.
COPY = """
transform Same
from {type} A[{sizes}]
to {type} B[{sizes}]
{{
  B.cell({at}) from (A.cell({at}) a) {{ return a; }}
}}
main transform Copy
from {type} A[{sizes}]
to {type} B[{sizes}], {type} C[{sizes}]
{{
  to (B b, C c) from (A a) using ({type} T[{sizes}], {type} U[{sizes}]) {{
    Same(T, a);
    T.copyTo(b);
    b.copyTo(U);
    Same(c, U);
  }}
}}
"""
COPIED = ((np.uint8, "uchar", 3), (np.int16, "short", 1), (np.float32, "float", 2), (np.float64, "double", 3))

# Stores at places that are computed, into matrices that are made for each step, in memory that steps before have used.
SCATTER = """
transform Spread
from A[n], int Place[n]
to Out[n]
{
  distinct to (Out out) from (A a, Place place) {
    for (int i = 0; i < n; i++) out.cell(place.cell(i)) = a.cell(i);
  }
}
transform There
from A[n], int Place[n]
to B[n]
{
  to (B b) from (A a, Place place) using (T[n]) {
    Spread(T, a, place);
    Spread(b, T, place);
  }
}
main transform Rounds
from A[n], int Place[n]
through T[n], U[n]
to B[n]
{
  to (T t) from (A a, Place place) { There(t, a, place); }
  to (U u) from (T t, Place place) { There(u, t, place); }
  to (B b) from (U u, Place place) { There(b, u, place); }
}
"""


def turns(a, steps):
    for _ in range(steps):
        a = 2 * a + 1
    return a


def mixed(a):
    t, v = 2 * a + 1, 2 * a + 1
    c = 2 * t + 1
    v[0, 0] += 1
    v = 2 * v + 1
    b = t.copy()
    b[-1] = v[0]
    return {"B": b, "C": c, "D": v[:, 0]}


class Test:
    def __init__(self, tools, work):
        self.tools, self.work = tools, work
        self.rng = np.random.default_rng(polybricks.seed())

    def compile(self, name, text, *options):
        source = self.work / f"{name}.pbcc"
        source.write_text(text)
        return self.tools.compile(source, self.work / name, *options)

    def numbers(self):
        return self.rng.integers(-9, 10, (N, N)).astype(float)

    def counts(self):
        """The input goes there once as a copy of the host, and the result comes back once, however many steps there are."""
        program, a = self.compile("turns", TURNS), self.numbers()
        files = arrays.save(self.work, [a])
        for steps in (1, 2, 3, 8):
            got, statistics = arrays.run(program, self.work, [str(steps), *files], ["B"], "--strict", "--device-copies", "--fill-nan",
                                         entry=on_device(program))
            polybricks.check(np.array_equal(got["B"], turns(a, steps)), f"{steps} steps: {got['B']}")
            moved = [statistics["devices"][0][name] for name in ("bytes_to_device", "bytes_to_host")]
            polybricks.check(moved == [MATRIX_BYTES, MATRIX_BYTES], f"{steps} steps: {moved} bytes were moved")
            polybricks.check(self.copies_of(statistics) == steps % 2, f"{steps} steps: {statistics['devices']}")

    def copies_of(self, statistics):
        return sum(kernel["count"] for kernel in statistics["devices"][0]["kernels"] if kernel["rule"] == "copyTo")

    def scattered(self):
        """What nothing has written is not copied to the device: there is a copy for each input, and for the result, whose cells had
        values."""
        program, n = self.compile("scatter", SCATTER), 1000
        a, place = self.rng.random(n), self.rng.permutation(n).astype(np.int32)
        want = a
        for _ in range(6):
            want, before = np.empty(n), want
            want[place] = before
        files = arrays.save(self.work, [a, place])
        for words in ((), ("--verify-device",), ("--fill-nan",)):
            got, statistics = arrays.run(program, self.work, files, ["B"], "--strict", "--device-copies", *words, entry=on_device(program))
            polybricks.check(np.array_equal(got["B"], want), f"{words}: {got['B']}, not {want}")
            moved = [statistics["devices"][0][name] for name in ("bytes_to_device", "bytes_to_host")]
            polybricks.check(words or moved == [20 * n, 8 * n], f"{moved} bytes were moved")

    def types(self):
        """Copies stay on the device that has the original."""
        for dtype, word, num_dims in COPIED:
            names = ("x", "y", "z")[:num_dims]
            program = self.compile(f"copy_{word}", COPY.format(type=word, sizes=", ".join(f"n{name}" for name in names), at=", ".join(names)))
            a = self.rng.integers(0, 100, (5, 7, 33)[-num_dims:]).astype(dtype)
            files = arrays.save(self.work, [a])
            for words in (("--device-copies", "--fill-nan"), (), ("--device-memory=2K",), ("--verify-device",)):
                got, statistics = arrays.run(program, self.work, files, ["B", "C"], *words, entry=on_device(program))
                for name in ("B", "C"):
                    polybricks.check(np.array_equal(got[name], a), f"{word} {num_dims} {words}: {name} is {got[name]}")
                if "--fill-nan" in words:
                    polybricks.check(self.copies_of(statistics) == 2, f"{word} {num_dims}: {statistics['devices']}")

    def agrees(self):
        for options in ((), ("--checked-copies",), ("--checked",)):
            program, a = self.compile("mixed", MIXED, *options), self.numbers()
            files = arrays.save(self.work, [a])
            for words in (("--device=none",), ("--strict",), ("--strict", "--device-copies", "--fill-nan"), ("--strict", "--device-memory=8K")):
                entry = None if words == ("--device=none",) else on_device(program)
                got, _ = arrays.run(program, self.work, files, ["B", "C", "D"], *words, entry=entry)
                for name, want in mixed(a).items():
                    polybricks.check(np.array_equal(got[name], want), f"{options} {words}: {name} is {got[name]}, not {want}")


def main():
    args = polybricks.arguments(__doc__).parse_args()
    test = Test(polybricks.Tools(args.dist), polybricks.fresh_folder(args.work / "device_copies"))
    test.counts()
    test.scattered()
    test.types()
    test.agrees()
    return 0


if __name__ == "__main__":
    sys.exit(main())
